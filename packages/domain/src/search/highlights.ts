/** The parts of a found message that match, as HTML with `<mark>` around the words. */
import { escapeHtml } from "../messages/html.js"
import { truncated } from "../unicode.js"
import { type Range, rangesIn, wordsIn, wordsOf } from "./matches.js"
import { type SearchableContent, searchedBody } from "./searchableText.js"
import type { SearchQuery } from "./SearchQuery.js"

/** UTF-16 units of a highlight, without marks and escapes. */
export const HIGHLIGHT_MAX_LENGTH = 240
/** UTF-16 units of the text of a mail in which words are marked. */
export const HIGHLIGHTED_BODY_MAX_LENGTH = 32 * 1024

/** UTF-16 units in front of the first match. */
const LEAD = 60

export interface Highlights {
  readonly subject?: string
  readonly from?: string
  readonly text?: string
}

/** Starts and ends at whole characters, and at a space where one is near. */
const excerptOf = (text: string, first: Range): Range => {
  const wanted = Math.max(0, first.start - LEAD)
  const space = wanted === 0 ? -1 : text.slice(wanted, first.start).search(/\s/)
  const start = wanted === 0 ? 0 : space === -1 ? first.start : wanted + space + 1
  return { start, end: start + truncated(text.slice(start), HIGHLIGHT_MAX_LENGTH).length }
}

const escaped = (text: string): string => escapeHtml(text.replace(/\s+/g, " "))

/** Undefined when nothing matches. */
const marked = (text: string, words: ReturnType<typeof wordsOf>): string | undefined => {
  const ranges = rangesIn(text, words, HIGHLIGHT_MAX_LENGTH)
  const [first] = ranges
  if (first === undefined) return undefined
  const { start, end } = excerptOf(text, first)
  const parts: Array<string> = []
  let position = start
  for (const range of ranges) {
    if (range.start < position || range.end > end) continue
    parts.push(
      escaped(text.slice(position, range.start)),
      `<mark>${escaped(text.slice(range.start, range.end))}</mark>`,
    )
    position = range.end
  }
  parts.push(escaped(text.slice(position, end)))
  return `${start > 0 ? "…" : ""}${parts.join("").trim()}${end < text.length ? "…" : ""}`
}

/** The highlights of a message that matches. Only fields in which a word of the query occurs have one. */
export const highlightsOf = (
  query: SearchQuery,
  content: Pick<SearchableContent, "subject" | "fromName" | "fromAddress" | "bodyText" | "bodyHtml">,
): Highlights => {
  const words = wordsOf(query)
  const subject = marked(content.subject, wordsIn("subject", words))
  const sender =
    content.fromName === null ? content.fromAddress : `${content.fromName} <${content.fromAddress}>`
  const from = marked(sender, wordsIn("from", words))
  const body = truncated(searchedBody(content), HIGHLIGHTED_BODY_MAX_LENGTH)
  const text = marked(body, wordsIn("body", words))
  return {
    ...(subject !== undefined && { subject }),
    ...(from !== undefined && { from }),
    ...(text !== undefined && { text }),
  }
}
