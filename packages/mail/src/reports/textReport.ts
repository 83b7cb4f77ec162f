/** Reads a report for people: which recipients the mail did not reach, and why. */
import type { Outcome, RecipientReport } from "@mailroom/domain"
import { diagnosticOf } from "@mailroom/domain/reports/diagnostic"
import { enhancedStatus } from "@mailroom/domain/reports/status"
import { dialogueIn, type Exchange } from "./dialogue.js"
import { copies, stillTrying } from "./phrases.js"
import { RECIPIENTS_MAX } from "./reportParts.js"
import {
  announcementAt,
  type Entry,
  isContact,
  LINE_MAX_LENGTH,
  namedAt,
  onlyAnswer,
  originIn,
  type Page,
  reasonOf,
  replyText,
  withNext,
} from "./textLines.js"

const TEXT_MAX_LENGTH = 64 * 1024

export interface TextReport {
  readonly recipients: ReadonlyArray<RecipientReport>
  /** the outcome for a recipient that the text does not name; null when it names one, or announces no failure */
  readonly unnamed: RecipientReport | null
  /** the text below a line such as "below is a copy of the message"; empty without one */
  readonly copy: string
}

const isQuoted = (line: string): boolean => /^>(?!>> )(?! ?[^\s<>:]+@[^\s<>:]+$)/.test(line)

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, TEXT_MAX_LENGTH)
    .split(/\r\n|\r|\n/)
    .map((line) =>
      line
        .slice(0, LINE_MAX_LENGTH)
        .replace(/[\u00a0\u3000]/g, " ")
        .trimEnd(),
    )
    .filter((line) => !isQuoted(line))

/** The recipients that the lines name, in order. `from` is the outcome for those before the first announcement. */
const entriesOf = (
  { lines, announced }: Page,
  from: Outcome | null,
  sender: string,
): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  const known = new Set([sender])
  let outcome = from
  let isFinal = false
  for (const [line, text] of lines.entries()) {
    if (entries.length >= RECIPIENTS_MAX) break
    const found = namedAt(lines, line)
    const named = found !== null && !found.alone && isContact(lines, line) ? null : found
    const announcement = named === null ? announced[line] : undefined
    if (announcement !== undefined) {
      outcome = announcement.outcome
      isFinal ||= announcement.final === true
    }
    const origin = originIn(text)
    const alias = entries.at(-1)
    if (origin !== null && alias !== undefined && line - alias.line <= 2)
      entries.splice(-1, 1, { ...alias, addresses: [...new Set([origin, ...alias.addresses])] })
    const addresses = named?.addresses ?? (origin === null ? [] : [origin])
    const isNew = addresses.some((address) => !known.has(address))
    for (const address of addresses) known.add(address)
    if (!isNew || (outcome === null && named?.alone !== true)) continue
    if (origin !== null && alias !== undefined && line - alias.line <= 2) continue
    entries.push({
      addresses,
      outcome: named?.outcome ?? outcome ?? "bounced",
      final: isFinal,
      line: named?.last ?? line,
      answer: null,
      reason: named?.reason ?? "",
    })
  }
  return entries
}

const failed = (address: string, line: number, answer: string | null): Entry => ({
  addresses: [address],
  outcome: "bounced",
  final: false,
  line,
  answer,
  reason: "",
})

/** An entry at the line that mentions an address from the header. */
const failedIn = (lines: ReadonlyArray<string>, address: string): Entry =>
  failed(
    address,
    Math.max(
      0,
      lines.findIndex((line) => line.toLowerCase().includes(address)),
    ),
    null,
  )

/**
 * The recipients whose RCPT TO was refused. When no reply is shown, the recipient of a single RCPT TO; of several, it is
 * unclear which one the report is about.
 */
const refusedRecipients = (dialogue: ReadonlyArray<Exchange>): ReadonlyArray<Entry> => {
  const commands = dialogue.filter(({ command }) => command === "RCPT TO")
  const refused = commands.filter(({ isRefused }) => isRefused)
  const [first] = commands
  const only = commands.length === 1 && first?.answer === null ? commands : []
  return (refused.length > 0 ? refused : only).flatMap((exchange) => {
    const { recipient, answer } = exchange
    return recipient === null
      ? []
      : [failed(recipient, 0, answer === null ? null : replyText(exchange, answer))]
  })
}

export interface TextHints {
  /** the header says that it is a report: then a recipient counts without an announcement */
  readonly isReport: boolean
  /** the recipients that the header names */
  readonly failed: ReadonlyArray<string>
  /** the address in From: a contact when the text names it */
  readonly sender: string
}

const reported = (addresses: ReadonlyArray<string>, outcome: Outcome, reason: string): RecipientReport => {
  const diagnostic = diagnosticOf(reason)
  return { addresses, outcome, status: enhancedStatus(diagnostic ?? ""), diagnostic, permanent: null }
}

export const readTextReport = (text: string, hints: TextHints): TextReport => {
  const all = linesOf(text)
  const cut = all.findIndex((line) => copies.some((copy) => copy.test(line)))
  const lines = cut === -1 ? all : all.slice(0, cut)
  const page: Page = {
    lines,
    announced: lines.map((_, at) => announcementAt(lines, at)),
    dialogue: dialogueIn(lines),
  }
  const announcement = page.announced.find((one) => one !== undefined)
  const trying = lines.some((line, at) =>
    stillTrying.some((words) => words.test(withNext(lines, at) ?? line)),
  )
  const isReport = announcement !== undefined || hints.isReport
  const strict = entriesOf(page, null, hints.sender)
  // au names the recipient before the announcement, and of an unknown language only the subject is understood.
  const named = strict.length > 0 || !isReport ? strict : entriesOf(page, "bounced", hints.sender)
  const others = hints.failed.filter((address) => !named.some(({ addresses }) => addresses.includes(address)))
  const found = [...named, ...others.map((address) => failedIn(lines, address))]
  const entries = found.length > 0 || !isReport ? found : refusedRecipients(page.dialogue)
  const outcomeOf = (outcome: Outcome, isFinal: boolean) => (trying && !isFinal ? "delayed" : outcome)
  return {
    recipients: entries
      .slice(0, RECIPIENTS_MAX)
      .map((entry) =>
        reported(
          entry.addresses,
          outcomeOf(entry.outcome, entry.final),
          reasonOf(page, entry, entries.length === 1),
        ),
      ),
    unnamed:
      entries.length > 0 || announcement === undefined
        ? null
        : reported([], outcomeOf(announcement.outcome, announcement.final === true), onlyAnswer(page)),
    copy: cut === -1 ? "" : all.slice(cut + 1).join("\r\n"),
  }
}
