/**
 * Finds what ends a text without being part of it: the signature below `-- ` (RFC 3676 §4.3), the line that mobile mail
 * clients add, and the footer of an issue tracker or a mailing list.
 */
import { isBlank, type Line } from "./lines.js"
import { anyOf, folded, phrasesOf } from "./phrases.js"

/** Lines of a footer, with blank ones. */
const FOOTER_MAX_LINES = 12
const FOOTER_MAX_LINE = 400

/** First lines of footers: GitHub, GitLab, Bugzilla, Redmine, Launchpad, Google Groups, Jira. */
const footerStart =
  /^(?:you(?: are|'re) receiving this (?:\S+ )?because|you (?:have )?received this (?:bug )?(?:message|mail|e-?mail|notification) because|reply to this e-?mail directly|view it on (?:github|gitlab|bitbucket|codeberg|gitea|forgejo|sourcehut)\b|this message was sent by atlassian)/

/** First line of a footer when an address or a link follows. */
const unsubscribes = /^(?:to (?:unsubscribe|stop receiving)|unsubscribe)\b/
const reference = /https?:\/\/|[^\s<>@]@[^\s<>@]/

/** Further lines of a footer: links, addresses, ids, and the phrases of these trackers. */
const footerLine =
  /https?:\/\/|[^\s<>@]@[^\s<>@]|^message id\b|^for (?:additional|more) |^more options|^you are (?:on|the|watching|receiving)\b|^\(v\d|^or, |^to (?:view|stop|unsubscribe|change|post)\b|^this e-?mail was sent\b|^unsubscribe\b|^triage notifications\b|^mute the thread\b/

const rule = /^[-_=—–]{1,80}$/

const beginsFooter = (line: string, next: string): boolean =>
  footerStart.test(line) || (unsubscribes.test(line) && (reference.test(line) || reference.test(next)))

/** The first line of the footer that ends before line `end`; `end` without one. */
const footerAt = (lines: ReadonlyArray<Line>, end: number): number => {
  const first = Math.max(0, end - FOOTER_MAX_LINES)
  const texts = lines.slice(first, end).map(({ text }) => folded(text.slice(0, FOOTER_MAX_LINE)))
  const start = texts.findIndex((text, at) => {
    if (!beginsFooter(text, texts[at + 1] ?? "")) return false
    return texts
      .slice(at + 1)
      .every((below) => below === "" || footerStart.test(below) || footerLine.test(below))
  })
  if (start === -1) return end
  let at = first + start
  const above = lines[at - 1]
  if (above !== undefined && !isBlank(above)) {
    if (!rule.test(above.text.trim())) return end
    at -= 1
  }
  return at
}

/** Lines of a signature below `-- `; more are text below a line of dashes. */
const SIGNATURE_MAX_LINES = 24
/** Lines below other dashes, and below the line of a mailing list. */
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

const countFilled = (lines: ReadonlyArray<Line>): number => lines.filter((line) => !isBlank(line)).length

/** Whether a line begins a signature. `below` are the lines after it, computed only for candidates. */
const isSignature = (line: Line, below: () => ReadonlyArray<Line>): boolean => {
  if (line.role === "signature") return true
  const text = line.text.trim()
  if (text === "--") return countFilled(below()) <= SIGNATURE_MAX_LINES
  if (text === "—" || text === "–" || text === "---") return countFilled(below()) <= MAX_SHORT
  return (
    /^_{2,}$/.test(text) &&
    countFilled(below()) <= MAX_SHORT &&
    below().some((one) => mailingList.test(one.text))
  )
}

/** The number of lines before the signature and the footer. */
export const withoutSignature = (lines: ReadonlyArray<Line>): number => {
  let end = lines.length
  const dropBlank = () => {
    while (end > 0 && lines[end - 1]?.text === "") end -= 1
  }
  dropBlank()
  end = footerAt(lines, end)
  // A signature of the maximum length, and room for its blank lines.
  for (let at = Math.max(0, end - 4 * SIGNATURE_MAX_LINES); at < end; at++) {
    const line = lines[at]
    if (line !== undefined && isSignature(line, () => lines.slice(at + 1, end))) end = at
  }
  dropBlank()
  // The line of a mail client is the last one, or has one or two lines of the client below it.
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
