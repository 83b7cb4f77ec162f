/** The Promise client is small, and needs nothing but itself. */
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"

/** Bytes, compressed. */
const MAX = 15_000

it("the whole client, in one file for browsers, has at most 15 kB compressed and imports nothing", async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL("../dist/src/index.js", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    metafile: true,
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  expect(gzipSync(outputFiles[0]?.contents ?? "").length).toBeLessThan(MAX)
})
