/** The package as it is published, in an empty project with its dependencies. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as z from "zod"
import { compile, output } from "../../client/test/support/packed.js"
import manifest from "../package.json" with { type: "json" }

const root = fileURLToPath(new URL("../../..", import.meta.url))
const Packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailroom-mcp-"))
  await mkdir(join(folder, "node_modules/@mailroom"), { recursive: true })
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  for (const name of Object.keys({ ...manifest.dependencies, "@types/node": "", "undici-types": "" })) {
    if (name.startsWith("@mailroom/")) continue
    const link = join(folder, "node_modules", name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, "node_modules", name), link)
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** Packs a package of the repository without building it, and unpacks it in the project. */
const install = async (name: string) => {
  const printed = await output(
    join(root, "packages", name),
    "npm",
    "pack",
    "--json",
    "--ignore-scripts",
    "--pack-destination",
    folder,
  )
  const [packed] = Packed.parse(Object.values(JSON.parse(printed)))
  const file = join(folder, packed?.filename ?? "")
  const target = join(folder, "node_modules/@mailroom", name)
  await mkdir(target)
  await output(folder, "tar", "-xzf", file, "-C", target, "--strip-components=1")
  return { file, paths: (packed?.files ?? []).map(({ path }) => path) }
}

it("has its documents, loads with its dependencies alone, and says what its program needs", async () => {
  await install("client")
  const { file, paths } = await install("mcp")
  expect(paths).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "dist/src/index.js", "dist/src/bin.js"]),
  )
  expect(paths.filter((path) => path.includes("test"))).toEqual([])

  const script = `import { handleRequest, serveStdio } from "@mailroom/mcp"; console.log(typeof handleRequest, typeof serveStdio)`
  expect(await output(folder, process.execPath, "--input-type=module", "-e", script)).toBe(
    "function function\n",
  )
  const program = join(folder, "node_modules/@mailroom/mcp/dist/src/bin.js")
  await expect(output(folder, process.execPath, program)).rejects.toThrow("MAILROOM_API_KEY and MAILROOM_URL")

  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8")
  const [, example = ""] = /```ts\n([^]*?)```/.exec(readme) ?? []
  await compile(folder, example, { module: "nodenext", lib: ["es2023"], types: ["node"] })

  const bytes = await readFile(file)
  const tarball = new Uint8Array(bytes).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
}, 120_000)
