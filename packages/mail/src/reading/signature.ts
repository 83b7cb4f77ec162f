/** Signatures: what stands below `-- ` (RFC 3676 §4.3), and the line that mobile mail clients add. */
import { footerAt } from "./footer.js"
import { isBlank, type Line } from "./lines.js"
import { anyOf, folded, phrasesOf } from "./phrases.js"

/** A longer one is text below a line of dashes. */
const MAX_LINES = 24
/** The same, below other dashes and below the line of a mailing list. */
const MAX_SHORT = 8
const MAX_CLIENT_LINE = 120

const phrases = phrasesOf("sentFrom")
const client = new RegExp(
  `^(?:${anyOf(phrases.filter((phrase) => !phrase.startsWith("…")))})|` +
    `^.{0,60}(?:${anyOf(phrases.filter((phrase) => phrase.startsWith("…")))})[.。]?$`,
  "u",
)
const mailingList = /mailing list|\/listinfo\/|unsubscribe/i

/** "Sent from my iPhone", not "Sent from my desk, which is easier". */
const isClientLine = ({ text }: Line): boolean => {
  if (text.length > MAX_CLIENT_LINE || text.length < 4) return false
  const words = folded(text)
    .replace(/[<([]?https?:\/\/\S+/, "")
    .trim()
  return words.length <= 80 && !/[,;!?，、]/u.test(words) && client.test(words)
}

const filled = (lines: ReadonlyArray<Line>): number => lines.filter((line) => !isBlank(line)).length

/** `below` is asked for only where a line may be one. */
const isSignature = (line: Line, below: () => ReadonlyArray<Line>): boolean => {
  if (line.role === "signature") return true
  const text = line.text.trim()
  if (text === "--") return filled(below()) <= MAX_LINES
  if (text === "—" || text === "–" || text === "---") return filled(below()) <= MAX_SHORT
  return (
    /^_{2,}$/.test(text) && filled(below()) <= MAX_SHORT && below().some((one) => mailingList.test(one.text))
  )
}

/** How many of the first lines are not the signature. */
export const withoutSignature = (lines: ReadonlyArray<Line>): number => {
  let end = lines.length
  const dropBlank = () => {
    while (end > 0 && lines[end - 1]?.text === "") end -= 1
  }
  dropBlank()
  end = footerAt(lines, end)
  // What a signature may be at most, and blank lines in it.
  for (let at = Math.max(0, end - 4 * MAX_LINES); at < end; at++) {
    const line = lines[at]
    if (line !== undefined && isSignature(line, () => lines.slice(at + 1, end))) end = at
  }
  dropBlank()
  // It stands last, or above a line or two that the client adds itself.
  for (let at = end - 1; at >= Math.max(0, end - 3); at--) {
    const line = lines[at]
    if (line === undefined || !isClientLine(line)) continue
    end = at
    dropBlank()
    if (/^[-_=]{5,}$/.test(lines[end - 1]?.text.trim() ?? "")) end -= 1
    break
  }
  dropBlank()
  return end
}
