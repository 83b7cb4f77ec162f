/** The text of a mail that is written here, as those read it who read no HTML: previews, search, tools of MCP. */
import { truncated } from "../unicode.js"

/** UTF-16 units of the text of HTML, at most (256 kB). Twice as much HTML is read, because tags take room too. */
export const TEXT_OF_HTML_MAX_LENGTH = 256 * 1024

/** The start of a tag, with its name when no reader sees the content of the element. */
const TAG = /<(?:(style|script|title)\b|[a-z/!])/iy
/** The start of a tag around which a line ends. */
const BLOCK =
  /<\/?(?:address|article|blockquote|br|dd|div|dl|dt|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)\b/iy
const CELL = /<\/?t[dh]\b/iy
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
}

const character = (code: number): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : " "

const startsAt = (tag: RegExp, html: string, position: number): boolean => {
  tag.lastIndex = position
  return tag.test(html)
}

/** What stands between the texts before and after a tag. */
const separator = (html: string, open: number): string => {
  if (startsAt(BLOCK, html, open)) return "\n"
  return startsAt(CELL, html, open) ? " " : ""
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ")

/** Where the end tag of an element begins, from `position` on; -1 without one. */
const endTagOf = (name: string, html: string, position: number): number => {
  const endTag = new RegExp(`</${name}`, "gi")
  endTag.lastIndex = position
  return endTag.exec(html)?.index ?? -1
}

/** HTML without its tags, comments and unseen elements. Reads each character once. */
const withoutTags = (html: string): string => {
  const parts: Array<string> = []
  let position = 0
  for (;;) {
    const open = html.indexOf("<", position)
    if (open === -1) break
    parts.push(oneLine(html.slice(position, open)))
    TAG.lastIndex = open
    const tag = TAG.exec(html)
    if (tag === null) {
      parts.push("<")
      position = open + 1
      continue
    }
    parts.push(separator(html, open))
    const close = html.startsWith("<!--", open) ? "-->" : ">"
    const unseen = tag[1]
    const content = unseen === undefined ? open : endTagOf(unseen, html, open)
    const end = content === -1 ? -1 : html.indexOf(close, content)
    if (end === -1) return parts.join("")
    position = end + close.length
  }
  return [...parts, oneLine(html.slice(position))].join("")
}

const withCharacters = (text: string): string =>
  text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) =>
    name === undefined
      ? character(Number.parseInt(decimal ?? hex ?? "0", decimal === undefined ? 16 : 10))
      : (NAMED[name.toLowerCase()] ?? " "),
  )

/** The words of HTML, in the lines of its blocks. */
const textOfHtml = (html: string): string => {
  const text = withCharacters(withoutTags(truncated(html, 2 * TEXT_OF_HTML_MAX_LENGTH)))
  const lines = text.split("\n").map((line) => oneLine(line).trim())
  return truncated(lines.filter((line) => line !== "").join("\n"), TEXT_OF_HTML_MAX_LENGTH)
}

/**
 * The text of a sent message or a draft: its text part, or the text of its HTML if there is none; null without both.
 * Received mail has the text of its HTML in `bodyText` already.
 */
export const textOf = ({
  bodyText,
  bodyHtml,
}: {
  readonly bodyText?: string | null | undefined
  readonly bodyHtml?: string | null | undefined
}): string | null =>
  (bodyText ?? "") === "" && (bodyHtml ?? "") !== "" ? textOfHtml(bodyHtml ?? "") : (bodyText ?? null)
