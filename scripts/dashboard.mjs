/**
 * Builds the pages of the dashboard into `apps/dashboard/bundle` (docs/decisions/0077): `index.html`, `pages.json`, and beside them in `assets`
 * scripts and styles whose names have a hash of their content, also compressed. Does nothing when no source has changed.
 */
import { build } from "esbuild"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
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

const start = "apps/dashboard/src/main.tsx"
const routesSource = "apps/dashboard/src/app/routes.ts"

/** Pages, and the frame of HTML mail: what is loaded when it is opened. */
const openedSource = /[\\/]src[\\/](?:pages[\\/].*|components[\\/]htmlMail[\\/]HtmlFrame)\.tsx$/

/** Pages that share a module before it is loaded with the start. */
const SHARED_BY = 5

/** What only the pages of the operator share, which few readers open. */
const operatorsSource = /[\\/]src[\\/]pages[\\/]operator[\\/]/

/**
 * Keeps what the start and the frame need in one chunk, with the modules that many pages share. esbuild makes a chunk for each set of
 * pages that share a module, which would be dozens of small files, and on a slow network each costs a page more than its bytes do. So
 * the start imports those modules, and each page imports the start, which is there when a page is opened.
 */
const oneStart = (shared) => ({
  name: "one start",
  setup: ({ onLoad }) => {
    const importing = (path, imported) => ({
      contents: [readFileSync(path, "utf8"), ...imported.map((one) => `import ${JSON.stringify(one)}`)].join(
        "\n",
      ),
      loader: "tsx",
    })
    onLoad({ filter: openedSource }, ({ path }) => importing(path, [join(root, start)]))
    onLoad({ filter: /[\\/]src[\\/]main\.tsx$/ }, ({ path }) =>
      importing(
        path,
        shared.map((one) => join(root, one)),
      ),
    )
  },
})

/** The sources that at least `SHARED_BY` pages import, beside other pages, what the start has, and the operator's. */
const sharedSources = (inputs) => {
  const reached = (path, found = new Set()) => {
    if (found.has(path)) return found
    found.add(path)
    for (const { path: next, kind } of inputs[path].imports)
      if (kind === "import-statement") reached(next, found)
    return found
  }
  const started = reached(start)
  const counts = new Map()
  const pages = inputs[routesSource].imports.filter(({ kind }) => kind === "dynamic-import")
  for (const page of pages)
    for (const path of reached(page.path)) counts.set(path, (counts.get(path) ?? 0) + 1)
  const isShared = ([path, count]) => count >= SHARED_BY && !started.has(path) && !operatorsSource.test(path)
  return [...counts].filter(isShared).map(([path]) => path)
}

const compress = (file) => {
  const content = readFileSync(file)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

/** Reads the routes, with the source of each page in the place of the page. */
const readRoutes = async () => {
  const sources = {
    name: "sources of pages",
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/]src[\\/]pages[\\/].*\.tsx$/ }, ({ path }) => ({
        contents: `export const source = ${JSON.stringify(relative(root, path).replaceAll(sep, "/"))}`,
      }))
    },
  }
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [routesSource],
    bundle: true,
    format: "esm",
    write: false,
    plugins: [sources],
  })
  const { accountData, routes } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  )
  return Promise.all(
    routes.map(async ({ path, area, load, data = [] }) => {
      const { before, after } = area === "account" ? accountData : { before: [], after: [] }
      const { source } = await load()
      return { path, source, data: [...before, ...data, ...after], dataOfQuery: [...before, ...after] }
    }),
  )
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

const builtFrom = (outputs, source) => {
  const found = Object.keys(outputs).find((output) => outputs[output].entryPoint === source)
  if (found === undefined) throw new Error(`${source} was not built`)
  return found
}

/** The output that has the start; that of the entry point only imports it. */
const startIn = (outputs) => Object.keys(outputs).find((output) => start in outputs[output].inputs)

/** The pages, each with the scripts that it needs beside those of the start. */
const pagesOf = async (outputs) => {
  const started = loadedWith(outputs, startIn(outputs))
  const routes = await readRoutes()
  return routes.map(({ source, ...page }) => {
    const scripts = [...loadedWith(outputs, builtFrom(outputs, source))]
    return {
      ...page,
      scripts: scripts.filter((output) => !started.has(output)).map((output) => basename(output)),
    }
  })
}

/**
 * The page that starts the dashboard. `<!-- settings -->` is where the server writes its settings, `<!-- preloads -->` where what the
 * page at the address needs.
 */
const shellOf = (outputs) => {
  const main = startIn(outputs)
  const preloaded = [...loadedWith(outputs, main)].filter((output) => output !== main)
  const replaced = {
    styles: `<link rel="stylesheet" href="${urlOf(builtFrom(outputs, "apps/dashboard/src/styles/main.css"))}">`,
    theme: `<script src="${urlOf(builtFrom(outputs, "apps/dashboard/src/theme-first.ts"))}"></script>`,
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
  const options = {
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
    metafile: true,
    logLevel: "warning",
  }
  const modules = await build({ ...options, plugins: [tokens], write: false })
  const shared = sharedSources(modules.metafile.inputs)
  const { metafile } = await build({ ...options, plugins: [tokens, oneStart(shared)] })
  for (const file of filesBelow(assets)) compress(file)
  writeFileSync(join(target, "pages.json"), JSON.stringify(await pagesOf(metafile.outputs)))
  // Last, because its time tells that everything is there.
  writeFileSync(join(target, "index.html"), shellOf(metafile.outputs))
  return target
}
