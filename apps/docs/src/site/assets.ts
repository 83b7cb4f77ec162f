/** What pages load beside their HTML: a style and two scripts, bundled and named by their content. */
import { tokens } from "@mailroom/http/design"
import { build, type Plugin } from "esbuild"
import { join } from "node:path"
import type { SearchIndex } from "../search/query.js"
import { hashedFile, type SiteFile } from "./files.js"
import { root } from "./root.js"

/** Gives `@import "mailroom:tokens"` the colours and sizes of all pages of the service. */
const design: Plugin = {
  name: "design",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^mailroom:tokens$/ }, ({ path }) => ({ path, namespace: "design" }))
    onLoad({ filter: /.*/, namespace: "design" }, () => ({ contents: tokens, loader: "css" }))
  },
}

const bundled = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: entry.endsWith("theme.ts") ? "iife" : "esm",
    target: ["es2022", "chrome114", "firefox125", "safari17"],
    plugins: [design],
    logLevel: "warning",
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`esbuild made nothing of ${entry}`)
  return output.text
}

const SCRIPT = "text/javascript; charset=utf-8"

const source = (path: string): string => join("apps/docs", path)

export interface AssetFiles {
  readonly style: SiteFile
  readonly theme: SiteFile
  readonly script: SiteFile
  readonly searchIndex: SiteFile
}

export const assetFiles = async (index: SearchIndex): Promise<AssetFiles> => {
  const [style, theme, script] = await Promise.all(
    [source("style/main.css"), source("browser/theme.ts"), source("browser/main.ts")].map(bundled),
  )
  return {
    style: hashedFile("style", "css", "text/css; charset=utf-8", style ?? ""),
    theme: hashedFile("theme", "js", SCRIPT, theme ?? ""),
    script: hashedFile("main", "js", SCRIPT, script ?? ""),
    searchIndex: hashedFile("search", "json", "application/json", JSON.stringify(index)),
  }
}
