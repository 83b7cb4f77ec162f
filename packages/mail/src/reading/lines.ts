/** The lines of a body, on which the other rules work. */

/**
 * The role of a line by its markup: a `quote` is after `>` or in a blockquote; an `attribution` is the element in which a
 * mail client writes "On Monday, Ann wrote:"; `history` and `signature` are marked by the mail client.
 */
export type Role = "text" | "quote" | "attribution" | "signature" | "history"

export interface Line {
  /** empty for a line of white space */
  readonly text: string
  readonly role: Role
}

export interface PlainText {
  readonly lines: ReadonlyArray<Line>
  /** the text beyond the limits, which is not analyzed: nobody writes that much */
  readonly rest: string
}

/** Lines and UTF-16 units that are read of a body: enough for a reply above or below a long history. */
export const MAX_LINES = 20_000
export const MAX_TEXT = 1_000_000

const lineEnd = /\r\n?|\n/g

/** The length of the text to read: whole lines, or a part of a single long line. */
const readLength = (text: string): number => {
  if (text.length <= MAX_LINES) return text.length
  lineEnd.lastIndex = 0
  let end = 0
  for (let count = 0; count < MAX_LINES; count++) {
    const found = lineEnd.exec(text)
    if (found === null) return Math.min(text.length, MAX_TEXT)
    if (lineEnd.lastIndex > MAX_TEXT) return end === 0 ? MAX_TEXT : end
    end = lineEnd.lastIndex
  }
  return end
}

export const isBlank = ({ text }: Line): boolean => text === ""

const nextAfter = (lines: ReadonlyArray<Line>, index: number): Line | undefined => {
  let next = index + 1
  while (next < lines.length && lines[next]?.text === "") next += 1
  return lines[next]
}

/** Whether the next line that is not empty is quoted. */
export const isQuoteNext = (lines: ReadonlyArray<Line>, index: number): boolean =>
  nextAfter(lines, index)?.role === "quote"

const plainLine = (text: string, before: Role | null): Line => {
  // ">From " is an escaped line of an mbox, not a quote.
  const quoted = /^ ?[>＞]/.test(text) && !(before !== "quote" && text.startsWith(">From "))
  return { text, role: quoted ? "quote" : "text" }
}

/** Command prompts that look like initials before a quote. */
const prompts: ReadonlySet<string> = new Set(["SQL", "CMD", "PS", "CLI"])

/**
 * The quote mark of some clients: `|`, or the initials in `C> text`, where `>` may repeat; null for other lines. A row of a
 * table has more than one bar.
 */
const rareQuote = (text: string): string | null => {
  if (/^ ?\|(?: [^|]*)?$/.test(text)) return "|"
  const initials = /^ ?([A-Z][A-Za-z]{0,2})>{1,9}(?: |$)/.exec(text)?.[1]
  return initials === undefined || prompts.has(initials) ? null : initials
}

/** A line with a rare mark is a quote only beside another one, below a line that ends with a colon, or first. */
const withRareQuotes = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const marks = lines.map(({ text, role }) => (role === "quote" ? null : rareQuote(text)))
  let above = ""
  return lines.map((line, at) => {
    const mark = marks[at] ?? null
    const isQuote =
      mark !== null && (marks[at - 1] === mark || marks[at + 1] === mark || /^$|[:：]\s*$/.test(above))
    if (!isBlank(line)) above = line.text.slice(-20)
    return isQuote ? { ...line, role: "quote" } : line
  })
}

export const plainLines = (text: string): PlainText => {
  const length = readLength(text)
  const lines: Array<Line> = []
  for (const line of text.slice(0, length).split(lineEnd))
    lines.push(plainLine(line.trim() === "" ? "" : line, lines.at(-1)?.role ?? null))
  return { lines: withRareQuotes(lines), rest: text.slice(length) }
}
