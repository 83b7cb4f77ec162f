/**
 * `npm run test:runtimes`: the client's main job in Node, Bun and Deno. The package is installed from its tarball, with Bun and
 * Deno beside it, into a temporary project.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "..", "..", "..")
const project = mkdtempSync(join(tmpdir(), "mailroom-runtimes-"))

const main = `
import { Mailroom } from "@mailroom/client"
import { mainJob } from "./job.mjs"
console.log(JSON.stringify(await mainJob(new Mailroom(), JSON.parse(process.env.JOB))))
`

const run = (cwd, command, args) => {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: "inherit",
    env: { ...process.env, RUNTIMES: project },
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`)
}

try {
  run(join(here, ".."), "npm", ["pack", "--silent", "--pack-destination", project])
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run(project, "npm", ["install", "--no-audit", "--no-fund", `./${tarball}`, "bun@1.4.5", "deno@2.9.6"])
  copyFileSync(join(here, "support", "job.mjs"), join(project, "job.mjs"))
  writeFileSync(join(project, "main.mjs"), main)
  run(root, process.execPath, [
    "scripts/run.mjs",
    "test",
    "packages/client/test/live.test.ts",
    "-t",
    "installed",
  ])
} finally {
  rmSync(project, { recursive: true, force: true })
}
