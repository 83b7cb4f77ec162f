/**
 * Separates the lines that the author wrote from those of earlier mails.
 *
 * A mark is an attribution, the header of a quoted mail, or "Original Message". A mark with a quote below removes the quote,
 * and keeps what follows: an answer below or between the lines. A mark without a quote removes everything below it.
 * Quotes without a mark, and the header of a mail without a rule above it, are removed from a reply only: elsewhere the
 * author wrote them, as in a patch or a report. A forwarded mail is content: everything from "Forwarded message" stays.
 */
import { attributionAt, mayBegin } from "./attribution.js"
import { isBlank, isQuoteNext, type Line } from "./lines.js"
import { folded, ofAll, withoutEnd } from "./phrases.js"
import { quotedHeaderAt } from "./quotedHeader.js"

export interface MailKind {
  /** by its header or subject, it replies to a mail */
  readonly isReply: boolean
  /** by its subject, it forwards a mail */
  readonly isForward: boolean
}

export interface NewLines {
  /** for each line: whether the author of the mail wrote it */
  readonly isNew: ReadonlyArray<boolean>
  /** the first line of a forwarded mail; the number of lines without one */
  readonly forwardedFrom: number
}

const rule = "-_=~—–. "
const original = new RegExp(`^(?:${ofAll("original")})$`, "u")
const forwarded = new RegExp(`^(?:${ofAll("forwarded")})$`, "u")
const onlyRule = /^[-_=*]{2,}$/

const MAX_MARKER = 200
/** A quick test: a line without a match is no marker. */
const mayBeMarker = /[-_=~—–:：]/

/** A quick test for the first line of any mark; a quoted header has a colon. */
const mayBeginMark = new RegExp(`${mayBeMarker.source}|${mayBegin.source}`, "u")

/** "----- Original Message -----" or "Begin forwarded message:": only the phrase, between dashes or before a colon. */
const isMarker = (pattern: RegExp, { text }: Line, needsRule: boolean): boolean => {
  if (text.length > MAX_MARKER || !mayBeMarker.test(text)) return false
  const line = folded(text.replace(/^[ >＞]+/, ""))
  const hasRule = /^[-_=~—–]{2}/.test(line)
  if (!hasRule && (needsRule || !/[:：]$/.test(line))) return false
  return pattern.test(withoutEnd(line.replace(/^[-_=~—–. ]+/, ""), `${rule}:：`))
}

/** The last line of the mark that begins at `start`; null without one. */
const markAt = (lines: ReadonlyArray<Line>, start: number, isReply: boolean): number | null => {
  const line = lines[start]
  if (line === undefined || line.role === "quote" || isBlank(line)) return null
  if (line.role === "attribution") return start
  if (isMarker(original, line, true)) return start
  return quotedHeaderAt(lines, start, isReply) ?? attributionAt(lines, start, isReply)
}

/** Whether a line is the end of a long quoted line that a mail client wrapped without a new `>`. */
const isWrappedQuote = (before: Line | undefined, line: Line, after: Line | undefined): boolean =>
  before?.role === "quote" &&
  after?.role === "quote" &&
  before.text.length >= 66 &&
  /^[\p{Ll}_]/u.test(line.text)

interface Marked {
  /** for each line: whether it is part of a mark, or below one that removes everything below */
  readonly old: Array<boolean>
  readonly isReply: boolean
  /** see `NewLines` */
  readonly forwardedFrom: number
}

const marksOf = (lines: ReadonlyArray<Line>, kind: MailKind): Marked => {
  const old = lines.map(() => false)
  let isReply = kind.isReply
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    if (line === undefined) break
    if (line.role === "text" && !mayBeginMark.test(line.text)) {
      at += 1
      continue
    }
    const opensQuote = line.role === "quote" && lines[at - 1]?.role !== "quote"
    const canForward = line.role !== "quote" || (opensQuote && !kind.isReply && !isReply)
    if (canForward && isMarker(forwarded, line, false)) return { old, isReply, forwardedFrom: at }
    if (line.role === "history") {
      if (kind.isForward) return { old, isReply, forwardedFrom: at }
      return { old: old.fill(true, at), isReply: true, forwardedFrom: lines.length }
    }
    if (kind.isForward && quotedHeaderAt(lines, at, true) !== null) return { old, isReply, forwardedFrom: at }
    const end = markAt(lines, at, isReply)
    if (end === null) {
      at += 1
      continue
    }
    if (kind.isForward && quotedHeaderAt(lines, at, isReply) !== null)
      return { old, isReply, forwardedFrom: at }
    isReply = true
    if (!isQuoteNext(lines, end) && !leadsToMark(lines, end)) {
      return { old: old.fill(true, at), isReply, forwardedFrom: lines.length }
    }
    old.fill(true, at, end + 1)
    at = end + 1
  }
  return { old, isReply, forwardedFrom: lines.length }
}

/** Whether another mark follows: "Original Message" above an attribution, which decides. */
const leadsToMark = (lines: ReadonlyArray<Line>, end: number): boolean => {
  let next = end + 1
  while (lines[next]?.text === "") next += 1
  return lines[next] !== undefined && markAt(lines, next, true) !== null
}

export const newLines = (lines: ReadonlyArray<Line>, kind: MailKind): NewLines => {
  const { old, isReply, forwardedFrom } = marksOf(lines, kind)
  const isNew = lines.map((line, at) => {
    if (at >= forwardedFrom) return true
    if (old[at] === true) return false
    if (!isReply) return true
    return line.role !== "quote" && !isWrappedQuote(lines[at - 1], line, lines[at + 1])
  })
  // A rule above a mark is part of it.
  for (const [mark, isOld] of old.entries()) {
    if (!isOld || old[mark - 1] === true) continue
    for (let at = mark - 1; at >= 0 && isNew[at] === true; at--) {
      const above = lines[at]
      if (above === undefined || !(isBlank(above) || onlyRule.test(above.text.trim()))) break
      isNew[at] = false
    }
  }
  return { isNew, forwardedFrom }
}
