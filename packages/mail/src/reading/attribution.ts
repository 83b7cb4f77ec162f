/** Finds the attribution above a quote: "On Mon, 1 Jan 2024 at 12:00, Ann <ann@a.example> wrote:", also wrapped. */
import { isBlank, isQuoteNext, type Line } from "./lines.js"
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

/** Whether it has a date, outside of addresses, whose numbers can look like dates. */
const isDated = (text: string): boolean =>
  date.test(
    text
      .split(" ")
      .filter((word) => !word.includes("@"))
      .join(" "),
  )

/** Words between the parts of a date and a name, besides those that begin an attribution. */
const between = new RegExp(
  `^(?:${ofAll("on")}|at|um|uhr|à|a|om|kl|alle|ore|godz|von|van|de|da|by|pm|am|gmt|utc)$`,
  "u",
)

/**
 * Whether a line holds only a sender and a date: each word is a number, an address, part of a name (capitalized, or in a
 * script without capitals), a word between these, or a month or weekday beside a number.
 */
const isWhoAndWhen = (text: string): boolean => {
  const words = text
    .slice(0, 160)
    .split(/[\s,;:()[\]*"'<>]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (text.length > 160 || words.length > 16) return false
  const hasNumber = (at: number): boolean => digit.test(words[at] ?? "")
  return words.every(
    (word, at) =>
      hasNumber(at) ||
      word.includes("@") ||
      /^[^\p{L}]*[\p{Lu}\p{Lo}]/u.test(word) ||
      between.test(word.replace(/\.$/u, "").toLowerCase()) ||
      hasNumber(at - 1) ||
      hasNumber(at + 1),
  )
}

/** A verb with a date or an address is enough; less needs a quote below. `shown` is the text before folding. */
const isAttribution = (text: string, shown: string, quoteBelow: boolean, isReply: boolean): boolean => {
  const hasDate = isDated(text)
  const hasAddress = address.test(text)
  if (/[:：]$/.test(text)) {
    if (wrote.test(text)) {
      if (quoteBelow) return hasDate || hasAddress || (wroteLast.test(text.slice(0, -1)) && text.length <= 80)
      return hasAddress || time.test(text) || (hasDate && isReply)
    }
    const beginsWhen = beginsWithDate.test(text) || leading.test(text)
    if (hasDate && hasAddress && beginsWhen) return true
    // Without a verb, in a mail that is no reply, it needs an address, or a leading date with a time.
    const isSure = isReply ? hasDate || hasAddress : hasAddress || (hasDate && beginsWhen && time.test(text))
    return quoteBelow && isSure && isWhoAndWhen(shown)
  }
  if (hasDate && wroteLast.test(text)) return hasAddress || /[-—]$/.test(text) || quoteBelow
  return (
    quoteBelow && hasDate && (beginsWithDate.test(text) || leading.test(text)) && endsWithAddress.test(text)
  )
}

/** A quick test before folding: a line without any of these fails `canBegin`. */
export const mayBegin = /[\p{Nd}@<(:：]/u

/** Whether an attribution may begin with the line: it has an early date, or a name and an address. */
const canBegin = (text: string): boolean =>
  digit.test(text.slice(0, 34)) ||
  address.test(text) ||
  /[<(]$/.test(text) ||
  (/[:：]$/.test(text) && wrote.test(text))

/** A quick test whether an attribution may end with the line. */
const canEnd = (text: string): boolean => /[:：>—-]$/.test(text) || wroteLast.test(text.slice(-40))

const isDatedBeginning = (text: string): boolean => leading.test(text) && digit.test(text.slice(0, 34))

const isComplete = (text: string, lines: ReadonlyArray<Line>, at: number, isReply: boolean): boolean =>
  isDated(text) && isAttribution(text, lines[at]?.text.trim() ?? "", isQuoteNext(lines, at), isReply)

/** Joins a wrapped line; without a space inside an address. */
const joined = (before: string, line: string): string =>
  /[<(]$/.test(before) ? before + line : `${before} ${line}`

/** The last line of the attribution that begins at `start`; null without one. */
export const attributionAt = (lines: ReadonlyArray<Line>, start: number, isReply: boolean): number | null => {
  if (!mayBegin.test(lines[start]?.text ?? "")) return null
  let text = ""
  let shown = ""
  for (let end = start; end < Math.min(start + MAX_LINES, lines.length); end++) {
    const line = lines[end]
    if (line === undefined || isBlank(line) || line.text.length > MAX_LINE) return null
    // A wrapped address can put its closing bracket at the start of a line, like a quote.
    if (line.role !== "text" && !(line.role === "quote" && /<[^<>]*$/.test(text))) return null
    const here = folded(line.text)
    if (end === start && !canBegin(here)) return null
    // A complete attribution in a later line wins: the lines before it are text of the person.
    if (end > start && (isDatedBeginning(here) || (canEnd(here) && isComplete(here, lines, end, isReply))))
      return null
    text = end === start ? here : joined(text, here)
    shown = joined(shown, line.text.trim()).trim()
    if (canEnd(here) && isAttribution(text, shown, isQuoteNext(lines, end), isReply)) return end
  }
  return null
}
