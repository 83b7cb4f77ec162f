/** The program in the README runs as it stands. */
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import type { RunningMailroom } from "mailroom"
import { readFileSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const programIn = (readme: string): string =>
  /```js\n(import \{ createMailroom[^]*?)```/.exec(readFileSync(at(readme), "utf8"))?.[1] ?? ""

interface Program {
  readonly mailroom: RunningMailroom
}

const isProgram = (module: unknown): module is Program =>
  typeof module === "object" && module !== null && "mailroom" in module

describe("the program in the README", () => {
  it("is the same in the package and in the repository", () => {
    expect(programIn("../README.md")).toBe(programIn("../../../README.md"))
  })

  it("answers a mail", async () => {
    const folder = at("../dist/readme")
    await mkdir(folder, { recursive: true })
    const options = `{ folder: ${JSON.stringify(`${folder}/data`)}, receive: { port: 0 } }`
    const text = programIn("../README.md").replace('{ folder: "data" }', options)
    await writeFile(`${folder}/program.mjs`, `${text}\nexport { mailroom }\n`)
    const program: unknown = await import(`${folder}/program.mjs`)
    if (!isProgram(program)) throw new Error("the program has no mailroom")
    const { mailroom } = program
    try {
      const { port } = mailroom
      await Effect.runPromise(deliver(port ?? 0, "agent@mailroom.localhost", plainMail("question")))
      const mailbox = await mailroom.mailboxes.adopt("agent")
      const answers = async () => (await mailroom.messages.list(mailbox, { direction: "OUTBOUND" })).messages
      await expect.poll(answers, { timeout: 20_000 }).toMatchObject([{ subject: "Re: question" }])
    } finally {
      await mailroom.close()
      await rm(folder, { recursive: true })
    }
  })
})
