/** Reports as text for people: who is named as a recipient that the mail did not reach, and why. */
import type { Outcome, RecipientReport } from "@mailroom/domain"
import { diagnosticOf } from "@mailroom/domain/reports/diagnostic"
import { enhancedStatus, replyCode } from "@mailroom/domain/reports/status"
import { addressIn, RECIPIENTS_MAX } from "./addresses.js"
import { announcements, commandLine, copies, reasonIntro, recipientLines, stillTrying } from "./phrases.js"

const TEXT_MAX_LENGTH = 64 * 1024
const LINE_MAX_LENGTH = 1000

export interface TextReport {
  readonly recipients: ReadonlyArray<RecipientReport>
  /** somebody says that a mail did not arrive, whether or not it is said whom it was to */
  readonly announced: boolean
  /** what stands under "below is a copy of the message", and may be one; empty when nothing does */
  readonly copy: string
}

interface Entry {
  readonly addresses: ReadonlyArray<string>
  readonly outcome: Outcome
  readonly final: boolean
  readonly line: number
  readonly reason: string
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

const hasCode = (line: string): boolean => enhancedStatus(line) !== null || replyCode(line.trim()) !== null

const announcementIn = (line: string) =>
  announcements.find(({ words }) => words.some((pattern) => pattern.test(line)))

interface Named {
  readonly addresses: ReadonlyArray<string>
  readonly reason: string
  readonly alone: boolean
  readonly outcome: Outcome | null
}

const namedBy = (line: string): Named | null => {
  if (!line.includes("@")) return null
  for (const { alone, outcome, line: shape } of recipientLines) {
    const groups = shape.exec(line)?.groups
    const address = addressIn(groups?.["address"] ?? "")
    if (groups === undefined || address === null) continue
    const origin = addressIn(groups["origin"] ?? "")
    const addresses = origin === null ? [address] : [origin, address]
    return { addresses, reason: groups["reason"] ?? "", alone, outcome: outcome ?? null }
  }
  return null
}

/** Exim's alias: the address it was before is the one that was written to. */
const originIn = (line: string): string | null =>
  addressIn(/^\s*\((?:ultimately )?generated from ([^\s()]{1,320})\)/i.exec(line)?.[1] ?? "")

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

/** What a server answered about this recipient, elsewhere in the text; about anybody if there is just one. */
const answerAbout = (lines: ReadonlyArray<string>, entry: Entry, isOnly: boolean): string => {
  const answers = lines.flatMap((line, index) => (hasCode(line) ? [{ line: line.toLowerCase(), index }] : []))
  const about = answers.find(({ line }) => entry.addresses.some((address) => line.includes(address)))
  const answer =
    about ?? (isOnly ? (answers.find(({ index }) => index > entry.line) ?? answers[0]) : undefined)
  return answer === undefined ? "" : blockAt(lines, answer.index)
}

const reasonOf = (lines: ReadonlyArray<string>, entry: Entry, isOnly: boolean): string => {
  const below = `${entry.reason} ${blockAt(lines, entry.line + 1)}`.trim()
  if (hasCode(below)) return below
  const answer = answerAbout(lines, entry, isOnly)
  if (answer !== "") return answer
  const introduced = introducedAfter(lines, entry.line + 1)
  return below === ""
    ? introduced || blockAbove(lines, entry.line)
    : introduced === ""
      ? below
      : `${below} ${introduced}`
}

/** The recipients that the lines name, in their order; what comes before the first announcement is told by `from`. */
const entriesOf = (
  lines: ReadonlyArray<string>,
  from: Outcome | null,
  sender: string,
): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  const known = new Set([sender])
  let outcome = from
  let isFinal = false
  for (const [line, text] of lines.entries()) {
    if (entries.length >= RECIPIENTS_MAX) break
    const named = namedBy(text)
    const announcement = named === null ? announcementIn(text) : undefined
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
      line,
      reason: named?.reason ?? "",
    })
  }
  return entries
}

const failed = (address: string, line: number): Entry => ({
  addresses: [address],
  outcome: "bounced",
  final: false,
  line,
  reason: "",
})

/** Where the text speaks of an address that the header named. */
const failedIn = (lines: ReadonlyArray<string>, address: string): Entry =>
  failed(
    address,
    Math.max(
      0,
      lines.findIndex((line) => line.toLowerCase().includes(address)),
    ),
  )

/** Whom a command in a transcript was about. */
const commanded = (lines: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  lines.flatMap((line, index) => {
    const address = addressIn(commandLine.exec(line)?.groups?.["address"] ?? "")
    return address === null ? [] : [failed(address, index)]
  })

export interface TextHints {
  /** the header says that it is a report, so a recipient needs no announcement where none is understood */
  readonly isReport: boolean
  /** whom the header names */
  readonly failed: ReadonlyArray<string>
  /** whom it is from: an address to turn to, when the text names it */
  readonly sender: string
}

export const readTextReport = (text: string, hints: TextHints): TextReport => {
  const all = linesOf(text)
  const cut = all.findIndex((line) => copies.some((copy) => copy.test(line)))
  const lines = cut === -1 ? all : all.slice(0, cut)
  const announced = lines.some((line) => announcementIn(line) !== undefined)
  const trying = lines.some((line) => stillTrying.some((words) => words.test(line)))
  const isMeant = announced || hints.isReport
  const strict = entriesOf(lines, null, hints.sender)
  // au names the recipient first; and other languages are announced by the subject alone.
  const named = strict.length > 0 || !isMeant ? strict : entriesOf(lines, "bounced", hints.sender)
  const others = hints.failed.filter((address) => !named.some(({ addresses }) => addresses.includes(address)))
  const told = [...named, ...others.map((address) => failedIn(lines, address))]
  const entries = told.length > 0 || !isMeant ? told : commanded(lines).slice(0, 1)
  return {
    recipients: entries.slice(0, RECIPIENTS_MAX).map((entry) => {
      const diagnostic = diagnosticOf(reasonOf(lines, entry, entries.length === 1))
      return {
        addresses: entry.addresses,
        outcome: trying && !entry.final ? "delayed" : entry.outcome,
        status: enhancedStatus(diagnostic ?? ""),
        diagnostic,
        permanent: null,
      }
    }),
    announced,
    copy: cut === -1 ? "" : all.slice(cut + 1).join("\r\n"),
  }
}
