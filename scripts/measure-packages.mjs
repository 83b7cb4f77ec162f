/**
 * `npm run packages:measure`: the table of docs/packages.md. Packs all published packages, installs those that people install,
 * each into an empty project, and measures the sizes and how long Node takes to import each. Needs the npm registry.
 */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { pack, published, readManifest } from "./packages.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
/** Fresh processes whose median is an import time. */
const RUNS = 10

/** What people install: the packages of the line, and what a program imports. */
const lines = [
  { title: "`mailroom`", install: ["mailroom"], imports: "mailroom" },
  { title: "`@mailroom/client`", install: ["@mailroom/client"], imports: "@mailroom/client" },
  {
    title: "`@mailroom/client/effect`",
    install: ["@mailroom/client", "effect@3", "@effect/platform@0.97"],
    imports: "@mailroom/client/effect",
  },
  { title: "`@mailroom/testing`", install: ["@mailroom/testing"], imports: "@mailroom/testing" },
  { title: "`@mailroom/mcp`", install: ["@mailroom/mcp"], imports: "@mailroom/mcp" },
  { title: "`@mailroom/cli`", install: ["@mailroom/cli"], program: "@mailroom/cli/bundle/main.js" },
]

const kB = (bytes) => `${Math.round(bytes / 1000)} kB`
const MB = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

/** Files below a folder, with their sizes. Links are not followed. */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

const bytesBelow = (folder) => filesBelow(folder).reduce((sum, file) => sum + statSync(file).size, 0)

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]

/** Milliseconds that a fresh process needs to import a package, from the first line of the program on. */
const importTime = (folder, name) => {
  const script = `const start = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - start)`
  const args = ["--input-type=module", "-e", script]
  return Number(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }))
}

/** Milliseconds that a program takes to print its version, without the start of Node. */
const startTime = (folder, file) => {
  const timed = (...args) => {
    const start = performance.now()
    execFileSync(process.execPath, args, { cwd: folder, stdio: "ignore" })
    return performance.now() - start
  }
  return timed(join("node_modules", file), "mailboxes", "--help") - timed("-e", "")
}

/** The size of a program in one file, with these packages left out. */
const bundled = async (entry, external = []) => {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/client", entry)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external,
    write: false,
  })
  const bytes = outputFiles[0].contents
  const sizes = [bytes, gzipSync(bytes), brotliCompressSync(bytes)]
  return sizes.map(({ length }) => `${(length / 1000).toFixed(1)} kB`)
}

const target = mkdtempSync(join(tmpdir(), "mailroom-measure-"))
try {
  const files = pack(target)
  const names = published().map((folder) => readManifest(folder).name)
  const tarballOf = (name) => {
    const start = `${name.replace("@", "").replace("/", "-")}-`
    return files.find((file) => new RegExp(`/${start}\\d`).test(file))
  }
  /** A package of ours and those of ours that it needs. */
  const withInner = (name, found = new Set()) => {
    if (!names.includes(name) || found.has(name)) return found
    found.add(name)
    const stage = join(target, "staged", name.replace("/", "-"))
    for (const dependency of Object.keys(readManifest(stage).dependencies ?? {})) withInner(dependency, found)
    return found
  }

  const rows = lines.map(({ title, install, imports, program }, index) => {
    const [name] = install
    const folder = join(target, `project-${index}`)
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const inner = [...withInner(name)].map(tarballOf)
    const outer = [...install.slice(1), ...(install.length === 1 && imports ? ["effect@3"] : [])]
    const options = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"]
    execFileSync("npm", ["install", ...options, ...inner], { cwd: folder, stdio: "ignore" })
    const tree = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"))
    const measured = {
      packages: Object.keys(tree.packages).length,
      bytes: bytesBelow(join(folder, "node_modules")),
    }
    // For the comparison, and the optional peers of a line. Not counted.
    if (outer.length > 0)
      execFileSync("npm", ["install", ...options, ...outer], { cwd: folder, stdio: "ignore" })
    const tarball = tarballOf(name)
    const pairs = Array.from({ length: RUNS }, () => [
      program === undefined ? importTime(folder, imports) : startTime(folder, program),
      importTime(program === undefined ? folder : root, "effect"),
    ])
    const [own, effect] = [0, 1].map((at) => median(pairs.map((pair) => pair[at])))
    return [
      title,
      kB(statSync(tarball).size),
      MB(bytesBelow(join(folder, "node_modules", name))),
      measured.packages,
      MB(measured.bytes),
      `${own.toFixed(0)} ms`,
      `${effect.toFixed(0)} ms`,
      (own / effect).toFixed(2),
    ]
  })
  const head = [
    "package",
    "packed",
    "unpacked",
    "installed packages",
    "installed",
    "import",
    "`effect` beside it",
    "ratio",
  ]
  const peers = ["effect", "effect/*", "@effect/platform", "@effect/platform/*"]
  const sizes = [
    ["part", "minified", "gzip", "brotli"],
    ["`@mailroom/client`", ...(await bundled("dist/src/index.js"))],
    ["`@mailroom/client/effect`, without its peers", ...(await bundled("lib/effect.js", peers))],
  ]
  for (const table of [[head, ...rows], sizes]) {
    const [titles, ...body] = table
    const texts = [titles, titles.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`)
    process.stdout.write(`${texts.join("\n")}\n\n`)
  }
} finally {
  rmSync(target, { recursive: true, force: true })
}
