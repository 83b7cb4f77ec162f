/** `npm run check`: types, lint, format and unused code, side by side, in seconds. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const bin = (name) => join(root, "node_modules", ".bin", name)

const run = (name, command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    const output = []
    child.stdout.on("data", (chunk) => output.push(chunk))
    child.stderr.on("data", (chunk) => output.push(chunk))
    child.on("error", (error) => resolve({ name, ok: false, text: String(error) }))
    child.on("close", (code) => resolve({ name, ok: code === 0, text: Buffer.concat(output).toString() }))
  })

const types = async () => {
  const built = await run("types", bin("tsc"), ["-b"])
  return built.ok ? run("types", bin("tsc"), ["-p", "tsconfig.tests.json"]) : built
}

// The linter reads the types that the build writes.
const builtTypes = await types()
const results = [
  builtTypes,
  ...(await Promise.all([
    run("lint", bin("oxlint"), ["--type-aware"]),
    run("format", bin("oxfmt"), ["--check"]),
    run("unused code", bin("knip"), ["--cache"]),
  ])),
]
for (const { name, ok, text } of results)
  process.stdout.write(ok ? `ok   ${name}\n` : `FAIL ${name}\n${text}\n`)
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
