/**
 * Builds the pages of the dashboard into `apps/dashboard/bundle` (docs/decisions/0077): `index.html`, and beside it in `assets`
 * scripts and styles whose names have a hash of their content, also compressed. Does nothing when no source has changed.
 */
import { build } from "esbuild"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const dashboard = join(root, "apps", "dashboard")
const target = join(dashboard, "bundle")
const assets = join(target, "assets")

/** The colours and sizes that the pages without script have, too. */
const design = join(root, "packages", "http", "dist", "src", "pages", "design.js")

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  )

/** When something that is built last changed. A folder changes with the removal of a file. */
const sourcesChangedAt = () => {
  const files = filesBelow(join(dashboard, "src"))
  const folders = new Set(files.map((file) => dirname(file)))
  return Math.max(
    ...[...files, ...folders].map(changedAt),
    changedAt(join(root, "packages", "client", "dist", ".tsbuildinfo")),
    changedAt(design),
    changedAt(join(root, "package-lock.json")),
    changedAt(fileURLToPath(import.meta.url)),
  )
}

/** Gives `@import "mailroom:tokens"` the tokens of the pages without script. */
const tokens = {
  name: "tokens",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^mailroom:tokens$/ }, ({ path }) => ({ path, namespace: "tokens" }))
    onLoad({ filter: /.*/, namespace: "tokens" }, async () => {
      const { tokens: contents } = await import(`${design}?${changedAt(design)}`)
      return { contents, loader: "css" }
    })
  },
}

/**
 * Keeps what the frame needs in one chunk. esbuild makes a chunk for each set of pages that share a module, which would be dozens
 * of small files to load at first. So each page imports the frame, which is there when a page is opened.
 */
const oneFrame = {
  name: "one frame",
  setup: ({ onLoad }) => {
    const frame = JSON.stringify(join(dashboard, "src", "app", "App.tsx"))
    onLoad({ filter: /[\\/]src[\\/]pages[\\/].*\.tsx$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}\nimport ${frame}\n`,
      loader: "tsx",
    }))
  },
}

const compress = (file) => {
  const content = readFileSync(file)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

/** The outputs of an entry point and of everything that it imports at once. */
const loadedWith = (outputs, output, found = new Set()) => {
  if (found.has(output)) return found
  found.add(output)
  for (const { path, kind } of outputs[output].imports)
    if (kind === "import-statement") loadedWith(outputs, path, found)
  return found
}

const urlOf = (output) => `/assets/${basename(output)}`

/** The page that starts the dashboard. `<!-- settings -->` is where the server writes its settings. */
const shellOf = (outputs) => {
  const builtFrom = (source) => {
    const entry = `apps/dashboard/src/${source}`
    const found = Object.keys(outputs).find((output) => outputs[output].entryPoint === entry)
    if (found === undefined) throw new Error(`${entry} was not built`)
    return found
  }
  const main = builtFrom("main.tsx")
  const preloaded = [...loadedWith(outputs, main)].filter((output) => output !== main)
  const replaced = {
    styles: `<link rel="stylesheet" href="${urlOf(builtFrom("styles/main.css"))}">`,
    theme: `<script src="${urlOf(builtFrom("theme-first.ts"))}"></script>`,
    scripts: [
      `<script type="module" src="${urlOf(main)}"></script>`,
      ...preloaded.map((output) => `<link rel="modulepreload" href="${urlOf(output)}">`),
    ].join("\n    "),
  }
  const source = readFileSync(join(dashboard, "src", "index.html"), "utf8")
  return source.replaceAll(/<!-- (styles|theme|scripts) -->/g, (_, part) => replaced[part])
}

/** Builds the dashboard, unless it is newer than its sources. The result is its folder. */
export const buildDashboard = async () => {
  if (changedAt(join(target, "index.html")) > sourcesChangedAt()) return target
  rmSync(target, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["main.tsx", "theme-first.ts", "styles/main.css"].map(
      (name) => `apps/dashboard/src/${name}`,
    ),
    outdir: assets,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: ["es2022", "chrome111", "firefox113", "safari16.4"],
    tsconfig: join(dashboard, "tsconfig.json"),
    plugins: [tokens, oneFrame],
    metafile: true,
    logLevel: "warning",
  })
  for (const file of filesBelow(assets)) compress(file)
  // Last, because its time tells that everything is there.
  writeFileSync(join(target, "index.html"), shellOf(metafile.outputs))
  return target
}
