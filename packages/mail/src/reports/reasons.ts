/** Why a mail did not reach a recipient, as the lines of a report tell it. */
import type { Outcome } from "@mailroom/domain"
import { withCommand } from "@mailroom/domain/reports/answeredCommand"
import { enhancedStatus, replyCode } from "@mailroom/domain/reports/status"
import type { Answer, Exchange } from "./dialogue.js"
import { announcementIn, namedBy } from "./lines.js"
import { type Announcement, reasonIntro } from "./phrases.js"

/** A text in lines, what each of them announces, and the dialogue that they show. */
export interface Page {
  readonly lines: ReadonlyArray<string>
  readonly announced: ReadonlyArray<Announcement | undefined>
  readonly dialogue: ReadonlyArray<Exchange>
}

/** A recipient that the text names. */
export interface Entry {
  readonly addresses: ReadonlyArray<string>
  readonly outcome: Outcome
  readonly final: boolean
  /** the last line that names the recipient */
  readonly line: number
  /** the answer to its RCPT TO, where that command is what names it; null elsewhere */
  readonly answer: string | null
  readonly reason: string
}

const hasCode = (line: string): boolean => enhancedStatus(line) !== null || replyCode(line.trim()) !== null

/** The lines up to the next empty one, a rule, or the next recipient. */
const blockAt = (lines: ReadonlyArray<string>, start: number): string => {
  const block: Array<string> = []
  for (const line of lines.slice(start, start + 20)) {
    if (/^\s*(?:$|-{3})/.test(line) || namedBy(line)?.alone === false) break
    block.push(line.trim())
  }
  return block.join(" ")
}

/** What stands above, when nothing stands below: Lotus Notes and au give the reason first. */
const blockAbove = (lines: ReadonlyArray<string>, end: number): string => {
  const above = lines.slice(Math.max(0, end - 3), end).findLast((line) => line.trim() !== "") ?? ""
  const announcement = announcementIn(above)
  const isReason = announcement === undefined ? !/(?:[:-]|\bto)$/.test(above) : announcement.says === true
  return isReason && namedBy(above) === null ? above.trim() : ""
}

/** What stands behind the next "because:" or "the error was:", on its line or under it. */
const introducedAfter = (lines: ReadonlyArray<string>, start: number): string => {
  const at = lines.findIndex((line, index) => index >= start && index < start + 12 && reasonIntro.test(line))
  if (at === -1) return ""
  const said = blockAt(lines, at)
  const isLabel = said.length < 60 && /[:.-]$/.test(said) && !hasCode(said)
  const next = lines.findIndex((line, index) => index > at && line.trim() !== "")
  return isLabel && next !== -1
    ? `${said} ${blockAt(lines, next + (lines[at + 1]?.trim() === "" ? 0 : 1))}`
    : said
}

export const wordsOf = ({ command }: Exchange, { words }: Answer): string => withCommand(words, command)

/** The answer that stands at a line; with the command that it answers, where the dialogue tells it. */
const answerAt = ({ lines, dialogue }: Page, at: number): string => {
  const exchange = dialogue.find(({ answer }) => answer?.line === at)
  return exchange === undefined || exchange.answer === null
    ? blockAt(lines, at)
    : wordsOf(exchange, exchange.answer)
}

/** What a server answered about this recipient, elsewhere in the text; about anybody if there is just one. */
const answerAbout = (page: Page, entry: Entry, isOnly: boolean): string => {
  const { lines, dialogue } = page
  const refusal = dialogue.find(
    ({ recipient, isRefused }) => isRefused && recipient !== null && entry.addresses.includes(recipient),
  )
  if (refusal !== undefined && refusal.answer !== null) return wordsOf(refusal, refusal.answer)
  const answers = lines.flatMap((line, index) => (hasCode(line) ? [{ line: line.toLowerCase(), index }] : []))
  const about = answers.find(({ line }) => entry.addresses.some((address) => line.includes(address)))
  const answer =
    about ?? (isOnly ? (answers.find(({ index }) => index > entry.line) ?? answers[0]) : undefined)
  return answer === undefined ? "" : answerAt(page, answer.index)
}

export const reasonOf = (page: Page, entry: Entry, isOnly: boolean): string => {
  if (entry.answer !== null) return entry.answer
  const { lines } = page
  const below = `${entry.reason} ${blockAt(lines, entry.line + 1)}`.trim()
  if (hasCode(below)) return below
  const answer = answerAbout(page, entry, isOnly)
  if (answer !== "") return answer
  const introduced = introducedAfter(lines, entry.line + 1)
  return below === ""
    ? introduced || blockAbove(lines, entry.line)
    : introduced === ""
      ? below
      : `${below} ${introduced}`
}

/** What the servers answered, where nobody is named and all of their answers have the same code. */
export const onlyAnswer = (page: Page): string => {
  const answers = page.lines.flatMap((line, index) => (hasCode(line) ? [{ line: line.trim(), index }] : []))
  const codes = new Set(answers.map(({ line }) => enhancedStatus(line) ?? replyCode(line)))
  const [first] = answers
  return first === undefined || codes.size > 1 ? "" : answerAt(page, first.index)
}
