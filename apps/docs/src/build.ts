/** Builds the site of `/docs` into a folder: pages, assets, and the manifest that the server reads. */
import { renameSync, rmSync } from "node:fs"
import { decisionsPage } from "./pages/decisions.js"
import { notFoundPage } from "./pages/notFound.js"
import { markdownPages } from "./pages/sources.js"
import { referencePages } from "./reference/pages.js"
import { makeIndex } from "./search/index.js"
import { assetFiles } from "./site/assets.js"
import { writeSite } from "./site/files.js"
import { pageHtml } from "./site/layout.js"
import { navigation } from "./site/navigation.js"
import { urlOf } from "./site/Page.js"

const HTML = "text/html; charset=utf-8"

/** Decisions are for contributors; their words would hide those of the guides. */
const isSearched = (path: string): boolean => !path.startsWith("decisions")

/** Writes the site beside its place first, so that a server never sees half of it. */
export const buildDocs = async (folder: string): Promise<void> => {
  const fromMarkdown = markdownPages()
  const pages = [...fromMarkdown, ...referencePages(), decisionsPage(fromMarkdown)]
  const parts = navigation(pages)
  const ordered = parts.flatMap((part) => part.pages)
  const files = await assetFiles(makeIndex(ordered.filter(({ path }) => isSearched(path))))
  const assets = {
    style: urlOf(files.style.path),
    theme: urlOf(files.theme.path),
    script: urlOf(files.script.path),
    searchIndex: urlOf(files.searchIndex.path),
  }
  const htmlFiles = [...ordered, notFoundPage].map((page) => ({
    path: page.path,
    type: HTML,
    content: pageHtml(page, parts, assets),
    immutable: false,
  }))
  rmSync(`${folder}.new`, { recursive: true, force: true })
  writeSite(`${folder}.new`, [...htmlFiles, ...Object.values(files)])
  rmSync(folder, { recursive: true, force: true })
  renameSync(`${folder}.new`, folder)
}
