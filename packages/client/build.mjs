/**
 * Makes `lib/`, the part of the published package that holds `@mailroom/client/effect`. The contract and the domain are not
 * published: their code is bundled here, and their types are copied, with imports by relative paths. Run by `npm pack`
 * after the TypeScript build.
 */
import { build } from "esbuild"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const lib = join(here, "lib")
const dist = join(here, "dist", "src")
const entry = join(dist, "effect", "index")
const inner = {
  "@mailroom/api": join(here, "..", "api", "dist", "src"),
  "@mailroom/domain": join(here, "..", "domain", "dist", "src"),
}

/** An import from a file in `lib/` to another file, with slashes. */
const importPath = (from, to) => {
  const path = relative(dirname(from), to).split(sep).join("/")
  return path.startsWith(".") ? path : `./${path}`
}

/** The Promise client stays where it is, so that both clients have the same error classes. */
const promiseClient = {
  name: "promise client",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path)
      const isOfPromiseClient = file.startsWith(dist + sep) && !file.startsWith(join(dist, "effect") + sep)
      return isOfPromiseClient
        ? { path: importPath(join(lib, "effect.js"), file), external: true }
        : undefined
    }),
}

const bundle = () =>
  build({
    entryPoints: [`${entry}.js`],
    outfile: join(lib, "effect.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    external: ["effect", "effect/*", "@effect/platform", "@effect/platform/*"],
    plugins: [promiseClient],
    logLevel: "warning",
  })

const IMPORT = /(from |import\()"(\.{1,2}\/[^"]+|@mailroom\/(?:api|domain))"/g

/** Where the types of a file are in `lib/`; undefined for those of the Promise client, which are published as they are. */
const placeOf = (file) => {
  for (const [name, root] of Object.entries({ ...inner, effect: join(dist, "effect") }))
    if (file.startsWith(root + sep)) return join(lib, "types", name.split("/").at(-1), relative(root, file))
  return undefined
}

/** Copies the types of a file and of everything that it imports. */
const copyTypes = (file, done = new Set()) => {
  const place = placeOf(file)
  if (place === undefined || done.has(file)) return
  done.add(file)
  const text = readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "")
  const rewritten = text.replaceAll(IMPORT, (_, keyword, specifier) => {
    const root = inner[specifier]
    const target = root === undefined ? join(dirname(file), specifier) : join(root, "index.js")
    const types = target.replace(/\.js$/, ".d.ts")
    if (!existsSync(types)) throw new Error(`${file} imports ${specifier}, which has no types`)
    copyTypes(types, done)
    return `${keyword}"${importPath(place, (placeOf(types) ?? types).replace(/\.d\.ts$/, ".js"))}"`
  })
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, rewritten)
}

rmSync(lib, { recursive: true, force: true })
await bundle()
copyTypes(`${entry}.d.ts`)
