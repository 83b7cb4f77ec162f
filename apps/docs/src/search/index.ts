/** Makes the index of the search when the site is built. */
import type { Page } from "../site/Page.js"
import { urlOf } from "../site/Page.js"
import { commonWords, type SearchIndex, wordsIn } from "./query.js"

/** Characters of a section that a result shows. */
const SNIPPET = 90

const snippetOf = (text: string): string => {
  const clean = text.replaceAll("`", "").replace(/\s+/g, " ").trim()
  return clean.length <= SNIPPET ? clean : `${clean.slice(0, SNIPPET).replace(/ \S*$/, "")} …`
}

/** The positions of ascending numbers, as differences to their predecessors in base 36. */
const deltas = (numbers: ReadonlyArray<number>): string =>
  numbers.map((number, index) => (number - (numbers[index - 1] ?? 0)).toString(36)).join(" ")

/** The sections of these pages, and for each word the sections that have it. */
export const makeIndex = (pages: ReadonlyArray<Page>): SearchIndex => {
  const sections = pages.flatMap((page, number) =>
    page.sections.map(({ anchor, heading, text }) => ({ number, anchor, heading, text })),
  )
  const places = new Map<string, Array<number>>()
  for (const [position, { heading, text }] of sections.entries())
    for (const word of new Set(wordsIn(`${heading} ${text}`)))
      if (!commonWords.has(word)) places.set(word, [...(places.get(word) ?? []), position])
  const words = [...places.keys()].sort()
  return {
    pages: pages.map(({ path, title }) => [urlOf(path), title]),
    sections: sections.map(({ number, anchor, heading, text }) => [number, anchor, heading, snippetOf(text)]),
    words: words.join(" "),
    places: words.map((word) => deltas(places.get(word) ?? [])).join(","),
  }
}
