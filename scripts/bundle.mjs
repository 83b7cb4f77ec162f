/**
 * Bundles the server and the command line into a few files each (docs/decisions/0027, 0075), because a process took longer to
 * load a thousand modules than for the rest of its start. Beside them are the pages that they serve: the dashboard
 * (docs/decisions/0077) and the documentation (0078). Does nothing when a bundle is newer than the compiled files.
 *
 * Usage: node scripts/bundle.mjs [folder of a program]...
 */
import { build } from "esbuild"
import { cpSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildDashboard } from "./dashboard.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** The worker threads that a server starts by these names. */
const threads = {
  worker: "packages/mail/dist/src/parsing/worker.js",
  documentWorker: "packages/mail/dist/src/documents/documentWorker.js",
  signatureWorker: "packages/mail/dist/src/signatures/signatureWorker.js",
  checkpointThread: "packages/store-sql/dist/src/sqlite/checkpointThread.js",
}

/** The programs: the folder of each package, and how it is built. A published one is smaller and loads faster minified. */
const programs = [
  { folder: "apps/server", minify: false },
  { folder: "packages/cli", minify: true },
]

/** Packages with native parts, and one that is never installed. */
const external = ["better-sqlite3", "@node-rs/argon2", "pg-native"]

/** The tables of character codes that PDF files in Chinese, Japanese and Korean need. */
const characterMaps = join(root, "node_modules", "pdfjs-dist", "cmaps")

/** The variables that CommonJS packages expect. */
const banner = [
  `import { createRequire as makeRequire } from "node:module"`,
  `import { dirname as directoryOf } from "node:path"`,
  `import { fileURLToPath as pathOfUrl } from "node:url"`,
  `const require = makeRequire(import.meta.url)`,
  `const __filename = pathOfUrl(import.meta.url)`,
  `const __dirname = directoryOf(__filename)`,
].join(";")

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const compiledAt = () =>
  Math.max(
    ...["apps", "packages"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) =>
        changedAt(join(root, folder, name, "dist", ".tsbuildinfo")),
      ),
    ),
    changedAt(join(root, "package-lock.json")),
  )

const bundleProgram = async ({ folder, minify }) => {
  const target = join(root, folder, "bundle")
  if (changedAt(join(target, "main.js")) > compiledAt()) return
  rmSync(target, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: { main: `${folder}/dist/src/main.js`, ...threads },
    outdir: target,
    bundle: true,
    splitting: true,
    minify,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    banner: { js: banner },
    logLevel: "warning",
  })
  cpSync(characterMaps, join(target, "cmaps"), { recursive: true })
}

/** Puts the pages that a program serves beside it. */
const copyDashboard = (dashboard, { folder }) => {
  const target = join(root, folder, "bundle", "dashboard")
  if (changedAt(join(target, "index.html")) >= changedAt(join(dashboard, "index.html"))) return
  rmSync(target, { recursive: true, force: true })
  cpSync(dashboard, target, { recursive: true, preserveTimestamps: true })
}

/** The documentation: where it is built, and what it is made of beside the compiled files. */
const site = join(root, "apps", "docs", "site")
const documents = ["docs", "apps/docs/style", "apps/docs/browser", "apps/docs/src/search"]

const documentsChangedAt = () =>
  Math.max(
    compiledAt(),
    changedAt(join(root, "apps/docs/responses.json")),
    ...documents.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => changedAt(join(root, folder, name))),
    ),
  )

const builtAt = (folder) => changedAt(join(folder, "manifest.json"))

const buildDocumentation = async () => {
  if (builtAt(site) > documentsChangedAt()) return
  const { buildDocs } = await import("../apps/docs/dist/src/build.js")
  await buildDocs(site)
}

/** Puts the documentation beside a program. */
const copyDocumentation = ({ folder }) => {
  const target = join(root, folder, "bundle", "docs")
  if (builtAt(target) > builtAt(site)) return
  rmSync(target, { recursive: true, force: true })
  cpSync(site, target, { recursive: true })
}

/** Bundles the programs in these folders, or all, with the pages. `npm start` needs the server alone. */
export const bundle = async (...folders) => {
  const wanted = programs.filter(({ folder }) => folders.length === 0 || folders.includes(folder))
  const [dashboard] = await Promise.all([
    buildDashboard(),
    buildDocumentation(),
    ...wanted.map(bundleProgram),
  ])
  for (const program of wanted) {
    copyDashboard(dashboard, program)
    copyDocumentation(program)
  }
}

// The path that Node was given may lead through a symbolic link; that of a module never does.
const [, script, ...folders] = process.argv
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) await bundle(...folders)
