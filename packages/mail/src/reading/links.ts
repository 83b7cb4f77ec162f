/** The links of a mail: those to confirm or sign in first, those to unsubscribe last. */
// A deep import: a worker thread has a heap of its own, and all of the domain is most of it.
import { parseUrl } from "@mailroom/domain/parseUrl"
import type { HtmlText } from "./html.js"
import type { Line } from "./lines.js"
import { folded, ofAll, withoutEnd } from "./phrases.js"

export interface Link {
  readonly url: string
  /** the text of the link, else the words before it, else the URL */
  readonly text: string
}

/** A link with the words for its rank. */
interface Found extends Link {
  readonly nearby: string
}

const MAX_LINKS = 50
const MAX_FOUND = 2_000
const MAX_URL = 2_000
const MAX_TEXT = 200

const confirms = new RegExp(ofAll("confirm"), "u")
const unsubscribes = new RegExp(ofAll("unsubscribe"), "u")
const confirming =
  /verif|confirm|activat|validat|magic|reset|recover|optin|opt-in|passwordless|one-?time|invit|otp=|[?&](?:token|code)=/
const unsubscribing = /unsubscri|opt-?out|list-manage\.com\/profile|preferences/

const isHttp = (url: string): boolean =>
  /^https?:\/\//i.test(url) && url.length <= MAX_URL && parseUrl(url) !== null

const shortened = (text: string): string => {
  const line = text.replace(/\s+/gu, " ").trim()
  return line.length <= MAX_TEXT ? line : line.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, "")
}

/** Removes punctuation and brackets after a URL; keeps a closing bracket that opens in the URL. */
const withoutPunctuation = (url: string): string => {
  let end = url.length
  let open = 0
  for (const character of url) open += character === "(" ? 1 : character === ")" ? -1 : 0
  for (; end > 0; end--) {
    const last = url.charAt(end - 1)
    if (last === ")" && open < 0) open += 1
    else if (!/[.,;:!?'"*_\]}。，、；：！？）」』】》…]/.test(last)) break
  }
  return url.slice(0, end)
}

const url = /https?:\/\/[^\s<>"`|^\\{}。，、；！？（）「」『』【】《》\u200b\ufeff]+/gi

/** Joins a URL in angle brackets that was broken into lines (RFC 3986, appendix C). */
const joinBroken = (lines: ReadonlyArray<Line>, index: number, begun: string): string => {
  let whole = begun
  for (let at = index + 1; at < lines.length && whole.length <= MAX_URL; at++) {
    const text = lines[at]?.text.trim() ?? ""
    const close = text.indexOf(">")
    const piece = close === -1 ? text : text.slice(0, close)
    if (piece === "" || /\s/.test(piece)) return begun
    whole += piece
    if (close !== -1) return whole
  }
  return begun
}

/** The words before a URL; for a Markdown link, the words in its brackets. */
const wordsBefore = (text: string): string =>
  /\[([^[\]]{1,200})\]\($/.exec(text)?.[1] ??
  withoutEnd(text, " \t<([{:：>*_\"'“-").replace(/^[\s>)\].,;*_-]+/u, "")

const inLine = (
  lines: ReadonlyArray<Line>,
  index: number,
  text: string,
  above: string,
): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let from = 0
  for (const { index: start, 0: match } of text.matchAll(url)) {
    const end = start + match.length
    const isBroken = text.charAt(start - 1) === "<" && end === text.length
    const whole = isBroken ? joinBroken(lines, index, match) : withoutPunctuation(match)
    const before = shortened(wordsBefore(text.slice(Math.max(from, start - MAX_TEXT), start)))
    if (isHttp(whole))
      found.push({ url: whole, text: before === "" ? whole : before, nearby: before === "" ? above : before })
    from = end
  }
  return found
}

export const linksOfText = (
  lines: ReadonlyArray<Line>,
  isNew: ReadonlyArray<boolean>,
): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  let above = ""
  for (const [index, line] of lines.entries()) {
    if (isNew[index] !== true || line.text === "") continue
    if (found.length < MAX_FOUND && line.text.includes("://"))
      found.push(...inLine(lines, index, line.text, above))
    above = line.text.slice(0, MAX_TEXT)
  }
  return found
}

/** Links from anchors, and from URLs in the text, which mail clients show as links. */
export const linksOfHtml = (
  { lines, anchors }: HtmlText,
  isNew: ReadonlyArray<boolean>,
): ReadonlyArray<Found> => {
  const ofAnchors = anchors.flatMap(({ href, text, line }) => {
    const target = href.replace(/[\t\r\n]/g, "").trim()
    // An anchor at the very end may begin after the last line.
    if (!isHttp(target) || isNew[Math.min(line, isNew.length - 1)] === false) return []
    const words = shortened(text)
    return [{ url: target, text: words === "" ? target : words, nearby: words }]
  })
  return [...ofAnchors, ...linksOfText(lines, isNew)]
}

const rankOf = ({ url, nearby }: Found): number => {
  const words = folded(nearby)
  const address = url.toLowerCase()
  if (unsubscribes.test(words) || unsubscribing.test(address)) return 2
  return confirms.test(words) || confirming.test(address) ? 0 : 1
}

/** Each URL once, with its first words, sorted by rank and then by order of appearance. */
export const ranked = (found: ReadonlyArray<Found>): ReadonlyArray<Link> => {
  const each = new Map<string, Found>()
  for (const link of found) {
    const known = each.get(link.url)
    if (known === undefined || (known.text === known.url && link.text !== link.url)) each.set(link.url, link)
  }
  return [...each.values()]
    .map((link) => ({ link, rank: rankOf(link) }))
    .sort((one, next) => one.rank - next.rank)
    .slice(0, MAX_LINKS)
    .map(({ link: { url, text } }) => ({ url, text }))
}
