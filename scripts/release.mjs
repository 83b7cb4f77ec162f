/**
 * `npm run release -- 0.2.0`: gives all packages the next version, dates the changelog, builds from nothing, and packs the tarballs
 * into `release/`. Prints what is left to do: look, commit, tag, publish. Changes nothing when something is missing.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "./bundle.mjs"
import { pack, readManifest, workspaces, writeManifest } from "./packages.mjs"

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
const run = (command, ...args) => execFileSync(command, args, { stdio: "inherit" })
const numbers = (version) => version.split(".").map(Number)

/** Whether `next` is a later version than `now`. Both are `major.minor.patch`. */
const isLater = (next, now) => {
  const [a, b] = [numbers(next), numbers(now)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at] > b[at]
}

const [version = ""] = process.argv.slice(2)
const { version: current } = readManifest(".")
if (!/^\d+\.\d+\.\d+$/.test(version)) fail("Usage: npm run release -- {major}.{minor}.{patch}")
if (!isLater(version, current)) fail(`The next version must be later than ${current}.`)
if (execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" }) !== "")
  fail("There are changes that are not committed. Commit them first.")

const changelog = readFileSync("CHANGELOG.md", "utf8")
const [, unreleased = ""] = /^## Unreleased\n([^]*?)(?=^## |(?![^]))/m.exec(changelog) ?? []
if (unreleased.trim() === "") fail("CHANGELOG.md has nothing under Unreleased.")

const today = new Date().toISOString().slice(0, 10)
writeFileSync(
  "CHANGELOG.md",
  changelog.replace("## Unreleased\n", `## Unreleased\n\n## ${version} (${today})\n`),
)
for (const folder of [".", ...workspaces()]) {
  const { name, version: _, ...rest } = readManifest(folder)
  writeManifest(folder, { name, version, ...rest })
}
const versionFile = "packages/mcp/src/version.ts"
writeFileSync(
  versionFile,
  readFileSync(versionFile, "utf8").replace(/VERSION = ".*"/, `VERSION = "${version}"`),
)
run("npm", "install", "--package-lock-only", "--no-audit", "--no-fund")
for (const folder of workspaces()) rmSync(join(folder, "dist"), { recursive: true, force: true })
run("npx", "tsc", "-b")
await bundle()
rmSync("release", { recursive: true, force: true })
const files = pack("release")
process.stdout.write(`${files.join("\n")}

Version ${version} is packed. Now:
  git commit -am "Release ${version}" && git tag v${version}
  for file in release/*.tgz; do npm publish --access public "$file"; done
`)
