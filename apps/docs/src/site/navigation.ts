/** The navigation: every page has its place in one of these parts. */
import type { Page } from "./Page.js"

export interface Part {
  readonly title: string
  /** whether other pages link to its first page only */
  readonly brief: boolean
  readonly pages: ReadonlyArray<Page>
}

interface Plan {
  readonly title: string
  /** paths of pages in their order, or a folder with all its other pages */
  readonly pages: ReadonlyArray<string>
  readonly brief?: boolean
}

const plan: ReadonlyArray<Plan> = [
  {
    title: "Guides",
    pages: [
      "",
      "guides/quick-start",
      "guides/receive",
      "guides/threads",
      "guides/approval",
      "guides/sending",
      "guides/take-over",
      "guides/trust",
      "guides/limits",
      "guides/errors",
      "guides/embedding",
      "guides/self-hosting",
    ],
  },
  { title: "Recipes", pages: ["recipes", "recipes/*"] },
  { title: "Tools", pages: ["client", "cli", "mcp", "embedding"] },
  { title: "API reference", pages: ["reference", "reference/*"] },
  { title: "Specification", pages: ["specification", "specification/*"] },
  { title: "Operation", pages: ["operations", "packages", "mail-corpus", "docs"] },
  { title: "Decisions", pages: ["decisions", "decisions/*"], brief: true },
]

/** Puts the pages into their parts; a page without a place is an error. */
export const navigation = (pages: ReadonlyArray<Page>): ReadonlyArray<Part> => {
  const named = new Map(pages.map((page) => [page.path, page]))
  const take = (path: string): ReadonlyArray<Page> => {
    if (path.endsWith("/*"))
      return [...named.values()].filter(
        (page) => page.path.startsWith(path.slice(0, -1)) && named.delete(page.path),
      )
    const page = named.get(path)
    if (page === undefined) throw new Error(`there is no page ${path}`)
    named.delete(path)
    return [page]
  }
  const parts = plan.map(({ title, brief = false, pages: paths }) => ({
    title,
    brief,
    pages: paths.flatMap(take),
  }))
  if (named.size > 0)
    throw new Error(`pages without a place in the navigation: ${[...named.keys()].join(", ")}`)
  return parts
}

/** The pages before and behind a page in its part. */
export const neighbours = (
  parts: ReadonlyArray<Part>,
  page: Page,
): readonly [Page | undefined, Page | undefined] => {
  const part = parts.find(({ pages }) => pages.includes(page))
  const at = part?.pages.indexOf(page) ?? 0
  return [part?.pages[at - 1], part?.pages[at + 1]]
}
