/** The line above a quote: "On Mon, 1 Jan 2024 at 12:00, Ann <ann@a.example> wrote:", in one line or wrapped. */
import { isBlank, type Line } from "./lines.js"
import { folded, ofAll } from "./phrases.js"

const MAX_LINES = 5
const MAX_LINE = 300

const wrote = new RegExp(ofAll("wrote"), "u")
const wroteLast = new RegExp(`(?:${ofAll("wrote")}) ?[-—]*$`, "u")
const leading = new RegExp(`^[-—_ ]*(?:${ofAll("on")}) `, "u")
const digit = /\p{Nd}/u
const date = /\p{Nd}{4}|\p{Nd}{1,2}[/.-]\p{Nd}{1,2}[/.-]\p{Nd}{2}|\p{Nd}{1,2} ?[:.h時时시] ?\p{Nd}{2}/u
const time = /\p{Nd}{1,2} ?[:.h時时시] ?\p{Nd}{2}/u
const address = /[^\s<>@]@[^\s<>@]/u
const beginsWithDate = /^[-— ]*(?:\p{L}{1,14}[.,]{0,2} )?\p{Nd}{1,4}/u
const endsWithAddress = /<[^<>\s]+@[^<>\s]+>$/u

const nextAfter = (lines: ReadonlyArray<Line>, index: number): Line | undefined => {
  let next = index + 1
  while (next < lines.length && lines[next]?.text === "") next += 1
  return lines[next]
}

/** Whether the next line that is not empty is quoted. */
export const isQuoteNext = (lines: ReadonlyArray<Line>, index: number): boolean =>
  nextAfter(lines, index)?.role === "quote"

/** Addresses hold numbers that look like dates. */
const isDated = (text: string): boolean =>
  date.test(
    text
      .split(" ")
      .filter((word) => !word.includes("@"))
      .join(" "),
  )

/** A date or an address with the verb is proof; less needs a quote below. */
const isAttribution = (text: string, quoteBelow: boolean, isReply: boolean): boolean => {
  const hasDate = isDated(text)
  const hasAddress = address.test(text)
  if (/[:：]$/.test(text)) {
    if (wrote.test(text)) {
      if (quoteBelow) return hasDate || hasAddress || (wroteLast.test(text.slice(0, -1)) && text.length <= 80)
      return hasAddress || time.test(text) || (hasDate && isReply)
    }
    return hasDate && hasAddress && (beginsWithDate.test(text) || leading.test(text))
  }
  if (hasDate && wroteLast.test(text)) return hasAddress || /[-—]$/.test(text) || quoteBelow
  return quoteBelow && hasDate && beginsWithDate.test(text) && endsWithAddress.test(text)
}

/** What `canBegin` looks for, in a line as it is; this spares most lines the folding. */
export const mayBegin = /[\p{Nd}@<(:：]/u

/** A line that such a text may begin with: the date is early in it, or a name and an address. */
const canBegin = (text: string): boolean =>
  digit.test(text.slice(0, 34)) ||
  address.test(text) ||
  /[<(]$/.test(text) ||
  (/[:：]$/.test(text) && wrote.test(text))

/** A line that such a text may end with; this spares most lines the rest. */
const canEnd = (text: string): boolean => /[:：>—-]$/.test(text) || wroteLast.test(text.slice(-40))

const isDatedBeginning = (text: string): boolean => leading.test(text) && digit.test(text.slice(0, 34))

const isComplete = (text: string, lines: ReadonlyArray<Line>, at: number, isReply: boolean): boolean =>
  isDated(text) && isAttribution(text, isQuoteNext(lines, at), isReply)

/** Two lines that were one: an address that was broken has no space. */
const joined = (before: string, line: string): string =>
  /[<(]$/.test(before) ? before + line : `${before} ${line}`

/** The last line of the attribution that begins at `start`, or null when none does. */
export const attributionAt = (lines: ReadonlyArray<Line>, start: number, isReply: boolean): number | null => {
  if (!mayBegin.test(lines[start]?.text ?? "")) return null
  let text = ""
  for (let end = start; end < Math.min(start + MAX_LINES, lines.length); end++) {
    const line = lines[end]
    if (line === undefined || isBlank(line) || line.text.length > MAX_LINE) return null
    // The bracket that closes an address can come to stand at the beginning of a line, like a quote.
    if (line.role !== "text" && !(line.role === "quote" && /<[^<>]*$/.test(text))) return null
    const here = folded(line.text)
    if (end === start && !canBegin(here)) return null
    // A later line is the better beginning when it is complete: what stands before it is the person's.
    if (end > start && (isDatedBeginning(here) || (canEnd(here) && isComplete(here, lines, end, isReply))))
      return null
    text = end === start ? here : joined(text, here)
    if (canEnd(here) && isAttribution(text, isQuoteNext(lines, end), isReply)) return end
  }
  return null
}
