/** `npm run client:measure`: the sizes of the client, and the time that Node takes to import it, for docs/client.md. */
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, gzipSync } from "node:zlib"

const here = dirname(fileURLToPath(import.meta.url))
const RUNS = 15

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`

/** The size of a program in one file, with these packages left out. */
const size = async (entry, external = []) => {
  const { outputFiles } = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external,
    write: false,
  })
  const bytes = outputFiles[0].contents
  return `${kB(bytes.length)} minified, ${kB(gzipSync(bytes).length)} gzip, ${kB(brotliCompressSync(bytes).length)} brotli`
}

/** The median of the milliseconds that an import takes in a new process. */
const importTime = (name) => {
  const script = `const start = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - start)`
  const times = Array.from({ length: RUNS }, () =>
    Number(
      execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: here, encoding: "utf8" }),
    ),
  )
  return `${times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)].toFixed(0)} ms`
}

const peers = ["effect", "effect/*", "@effect/platform", "@effect/platform/*"]
console.log("@mailroom/client:", await size("dist/src/index.js"))
console.log("@mailroom/client/effect without its peers:", await size("lib/effect.js", peers))
console.log("@mailroom/client/effect with its peers:", await size("lib/effect.js"))
for (const name of [
  "node:http",
  "@mailroom/client",
  "effect",
  "@effect/platform/HttpApiClient",
  "@mailroom/client/effect",
])
  console.log(`import ${name}:`, importTime(name))
