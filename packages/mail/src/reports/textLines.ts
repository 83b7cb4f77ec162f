/** Lines of a report for people: the recipients that they name, the failures they announce, and the reasons for them. */
import type { Outcome } from "@mailroom/domain"
import { withCommand } from "@mailroom/domain/reports/answeredCommand"
import { enhancedStatus, replyCode } from "@mailroom/domain/reports/status"
import type { Answer, Exchange } from "./dialogue.js"
import { type Announcement, announcements, contact, reasonIntro, recipientLines } from "./phrases.js"
import { addressIn } from "./reportParts.js"

export const LINE_MAX_LENGTH = 1000

const announcementIn = (line: string) =>
  announcements.find(({ words }) => words.some((pattern) => pattern.test(line)))

/** A line joined with the next, which may continue its sentence; null at the end of a paragraph. */
export const withNext = (lines: ReadonlyArray<string>, at: number): string | null => {
  const [line = "", next = ""] = [lines[at]?.trim(), lines[at + 1]?.trim()]
  return line === "" || next === "" ? null : `${line} ${next}`.slice(0, LINE_MAX_LENGTH)
}

/** The announcement of a failure in a line, or in the sentence that begins in it and ends in the next. */
export const announcementAt = (lines: ReadonlyArray<string>, at: number) => {
  const here = announcementIn(lines[at] ?? "")
  if (here !== undefined) return here
  const both = withNext(lines, at)
  return both === null || announcementIn(lines[at + 1] ?? "") !== undefined ? undefined : announcementIn(both)
}

interface Named {
  readonly addresses: ReadonlyArray<string>
  readonly reason: string
  readonly alone: boolean
  readonly outcome: Outcome | null
}

const namedBy = (line: string, shapes = recipientLines): Named | null => {
  if (!line.includes("@")) return null
  for (const { alone, outcome, line: shape } of shapes) {
    const groups = shape.exec(line)?.groups
    const address = addressIn(groups?.["address"] ?? "")
    if (groups === undefined || address === null) continue
    const origin = addressIn(groups["origin"] ?? "")
    const addresses = origin === null ? [address] : [origin, address]
    return { addresses, reason: groups["reason"] ?? "", alone, outcome: outcome ?? null }
  }
  return null
}

const sentences = recipientLines.filter(({ alone }) => alone)

/** The recipient that a line names, or a sentence that begins in it and ends in the next. */
export const namedAt = (
  lines: ReadonlyArray<string>,
  at: number,
): (Named & { readonly last: number }) | null => {
  const line = lines[at] ?? ""
  const here = namedBy(line)
  if (here !== null) return { ...here, last: at }
  const next = lines[at + 1] ?? ""
  const both = line.includes("@") === next.includes("@") ? null : withNext(lines, at)
  const named = both === null || namedBy(next, sentences) !== null ? null : namedBy(both, sentences)
  return named === null ? null : { ...named, last: at + 1 }
}

/** Whether the address in a line is a contact for help, by the words before it or the line above. */
export const isContact = (lines: ReadonlyArray<string>, at: number): boolean => {
  const [before = ""] = (lines[at] ?? "").split("@", 1)
  const above = lines.slice(Math.max(0, at - 2), at).findLast((line) => line.trim() !== "") ?? ""
  return contact.test(before) || (/[:,]$/.test(above) && contact.test(above))
}

/** Exim names the address that an alias was expanded from: the one that the mail was sent to. */
export const originIn = (line: string): string | null =>
  addressIn(/^\s*\((?:ultimately )?generated from ([^\s()]{1,320})\)/i.exec(line)?.[1] ?? "")

/** The lines of a text, the announcement in each, and the SMTP dialogue that they show. */
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
  /** the reply to its RCPT TO, when the recipient was found by that command; else null */
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

/** The reason above a recipient, when there is none below: Lotus Notes and au write it first. */
const blockAbove = (lines: ReadonlyArray<string>, end: number): string => {
  const above = lines.slice(Math.max(0, end - 3), end).findLast((line) => line.trim() !== "") ?? ""
  const announcement = announcementIn(above)
  const isReason = announcement === undefined ? !/(?:[:-]|\bto)$/.test(above) : announcement.isReason === true
  return isReason && namedBy(above) === null ? above.trim() : ""
}

/** The text after the next "because:" or "the error was:", on that line or below it. */
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

export const replyText = ({ command }: Exchange, { words }: Answer): string => withCommand(words, command)

/** The reply in a line, with the SMTP command that it answers where the dialogue shows it. */
const answerAt = ({ lines, dialogue }: Page, at: number): string => {
  const exchange = dialogue.find(({ answer }) => answer?.line === at)
  return exchange === undefined || exchange.answer === null
    ? blockAt(lines, at)
    : replyText(exchange, exchange.answer)
}

/** A server's reply about this recipient anywhere in the text; for an only recipient, any reply. */
const answerAbout = (page: Page, entry: Entry, isOnly: boolean): string => {
  const { lines, dialogue } = page
  const refusal = dialogue.find(
    ({ recipient, isRefused }) => isRefused && recipient !== null && entry.addresses.includes(recipient),
  )
  if (refusal !== undefined && refusal.answer !== null) return replyText(refusal, refusal.answer)
  const answers = lines.flatMap((line, index) => (hasCode(line) ? [{ line: line.toLowerCase(), index }] : []))
  const about = answers.find(({ line }) => entry.addresses.some((address) => line.includes(address)))
  const answer =
    about ?? (isOnly ? (answers.find(({ index }) => index > entry.line) ?? answers[0]) : undefined)
  return answer === undefined ? "" : answerAt(page, answer.index)
}

/** The reason of a failure: a reply with a code, else the text around the recipient. */
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

/** The reply in a text that names no recipient; empty when its replies have different codes. */
export const onlyAnswer = (page: Page): string => {
  const answers = page.lines.flatMap((line, index) => (hasCode(line) ? [{ line: line.trim(), index }] : []))
  const codes = new Set(answers.map(({ line }) => enhancedStatus(line) ?? replyCode(line)))
  const [first] = answers
  return first === undefined || codes.size > 1 ? "" : answerAt(page, first.index)
}
