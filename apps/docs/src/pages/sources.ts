/** The files of the repository that are pages of the site, and the links between them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import type { Page } from "../site/Page.js"
import { urlOf } from "../site/Page.js"
import { root } from "../site/root.js"
import { markdownPage } from "./markdown.js"

const REPOSITORY = "https://github.com/mailroom/mailroom/blob/main"

/** The folders of `docs/` and single files, in the order of their pages. */
const single = ["client", "cli", "mcp", "embedding", "operations", "packages", "mail-corpus", "docs"]

const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, "docs", folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `docs/${folder}/${name}`)

/** Every file with a page. */
export const sourceFiles = (): ReadonlyArray<string> => [
  ...markdownIn("guides"),
  ...markdownIn("recipes"),
  ...single.map((name) => `docs/${name}.md`),
  ...markdownIn("specification"),
  ...markdownIn("decisions"),
]

/** The page of a file: `docs/guides/README.md` is the first page, other `README.md` the page of their folder. */
export const pagePath = (file: string): string => {
  const path = file.replace(/^docs\//, "").replace(/\.md$/, "")
  if (path === "guides/README") return ""
  return path.replace(/\/README$/, "")
}

const isElsewhere = (href: string): boolean => /^[a-z]+:/.test(href) || href.startsWith("/")

/** Resolves the links of a file: to pages of the site, or else to the repository. */
const resolver = (file: string, pages: ReadonlySet<string>) => (href: string) => {
  if (isElsewhere(href) || href.startsWith("#")) return href
  const [target = "", anchor] = href.split("#")
  const path = posix.normalize(posix.join(posix.dirname(file), target))
  const suffix = anchor === undefined ? "" : `#${anchor}`
  if (pages.has(path)) return `${urlOf(pagePath(path))}${suffix}`
  if (path === "docs/decisions") return "/docs/decisions"
  if (!existsSync(join(root, path))) throw new Error(`${file} links to ${href}, which does not exist`)
  return `${REPOSITORY}/${path}${suffix}`
}

/** The pages that are made of Markdown. */
export const markdownPages = (): ReadonlyArray<Page> => {
  const files = sourceFiles()
  const known = new Set(files)
  return files.map((file) =>
    markdownPage({
      path: pagePath(file),
      markdown: readFileSync(join(root, file), "utf8"),
      resolve: resolver(file, known),
    }),
  )
}
