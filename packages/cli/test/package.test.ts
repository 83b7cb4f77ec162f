/** The package as it is published, installed into an empty folder. */
import { readFile, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { output, packed, projectWith } from "../../client/test/support/packed.js"
import { exitCodes } from "../src/exitCodes.js"
import { killLeftovers, programAt, startDevAt } from "./support/program.js"

/** Packages with native parts: npm would fetch them, here they are those of the repository. */
const NATIVE = ["better-sqlite3", "@node-rs/argon2"]

const folders: Array<string> = []
let folder: string

beforeAll(async () => {
  const { file } = await packed("cli")
  folders.push(dirname(file))
  folder = await projectWith(file, NATIVE)
  folders.push(folder)
}, 60_000)

afterAll(async () => {
  killLeftovers()
  await Promise.all(folders.map((path) => rm(path, { recursive: true })))
})

it("runs as mailroom, with a service of its own, and sends a mail through it", async () => {
  const command = join(folder, "node_modules", ".bin", "mailroom")
  const manifest: unknown = JSON.parse(
    await readFile(join(folder, "node_modules/@mailroom/cli/package.json"), "utf8"),
  )
  expect(manifest).toMatchObject({ version: (await output(folder, command, "--version")).trim() })
  const { service, stop } = await startDevAt(command, folder)
  try {
    const environment = {
      MAILROOM_URL: service.url,
      MAILROOM_API_KEY: service.apiKey,
      XDG_CONFIG_HOME: folder,
    }
    const sent = await programAt(
      command,
      ["send", "--to", service.mailbox, "--subject", "Packed", "--text", "Hello", "--json"],
      environment,
    )
    expect(sent).toMatchObject({ code: exitCodes.ok, err: "" })
    const { out } = await programAt(
      command,
      ["wait", "--subject", "Packed", "--since", "1m", "--json"],
      environment,
    )
    expect(JSON.parse(out)).toMatchObject({ message: { subject: "Packed" }, timedOut: false })
  } finally {
    expect(await stop()).toBe(exitCodes.interrupted)
  }
}, 60_000)
