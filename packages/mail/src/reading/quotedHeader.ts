/** Finds the header that Outlook and others write above a quoted mail: From, Sent, To and Subject, in any order. */
import { isBlank, isQuoteNext, type Line } from "./lines.js"
import { folded, ofAll } from "./phrases.js"

type Field = "from" | "sent" | "to" | "subject"

const fields: ReadonlyArray<Field> = ["from", "sent", "to", "subject"]
/** One word can be different fields in different languages, such as `de` and `a`. */
const patterns = fields.map((field) => ({ field, pattern: new RegExp(`^(?:${ofAll(field)}) ?[:：]`, "u") }))

const MAX_LINES = 14
/** Further lines of a wrapped value. */
const MAX_WRAPPED = 2

const fieldsOf = (line: Line): ReadonlyArray<Field> => {
  const colon = line.text.slice(0, 40).search(/[:：]/)
  if (colon === -1) return []
  const text = folded(line.text.slice(0, colon + 1))
  return patterns.filter(({ pattern }) => pattern.test(text)).map(({ field }) => field)
}

const isBelowRule = (lines: ReadonlyArray<Line>, start: number): boolean => {
  let above = start - 1
  while (lines[above]?.text === "") above -= 1
  return /^\s*[-_]{5,}\s*$/.test(lines[above]?.text.slice(0, 200) ?? "")
}

/** The last line of the header that begins at `start`; null without one. */
export const quotedHeaderAt = (
  lines: ReadonlyArray<Line>,
  start: number,
  isReply: boolean,
): number | null => {
  const first = lines[start]
  if (first === undefined || first.role === "quote") return null
  const opening = fieldsOf(first)
  if (opening.length === 0) return null
  const begins = (fields: ReadonlyArray<Field>) => fields.includes("from") || fields.includes("sent")
  // "To: …" or "Subject: …" can be a line of any text; it begins a header only above a From or a date.
  if (!begins(opening) && !begins(fieldsOf(lines[start + 1] ?? first))) return null
  const found = new Set<Field>(opening)
  let count = 1
  let hasAddress = first.text.includes("@")
  let end = start
  let skipped = 0
  for (let at = start + 1; at < Math.min(start + MAX_LINES, lines.length); at++) {
    const line = lines[at]
    if (line === undefined || line.role === "quote") break
    const here = fieldsOf(line)
    if (here.length === 0) {
      skipped += 1
      if (skipped > MAX_WRAPPED || (isBlank(line) && lines[at - 1]?.text === "")) break
      continue
    }
    for (const field of here) found.add(field)
    hasAddress ||= line.text.includes("@")
    count += 1
    skipped = 0
    end = at
  }
  if (!found.has("from") && !found.has("sent")) return null
  // Outside of a reply it may be a form or a header that the author shows. It counts below a rule, or as a paragraph with a
  // quote below it.
  const leadsQuote = count >= 3 && (lines[start - 1]?.text ?? "") === "" && isQuoteNext(lines, end)
  if (!isReply && !leadsQuote && !isBelowRule(lines, start)) return null
  return (count >= 3 && (found.has("subject") || hasAddress)) || (count === 2 && hasAddress) ? end : null
}
