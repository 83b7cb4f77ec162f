/**
 * Whether a bounce means that the address is permanently invalid (spec: decisions.reports.bounced; docs/decisions/0029).
 * Codes alone are not reliable: many servers reply 5.1.1 for a full mailbox, 5.7.1 for a missing one, 5.0.0 for anything,
 * or no code. So a known phrase decides first, then the codes. Suppressing a valid address is the worst error, because
 * nobody notices that its mail is not sent; so an unclear bounce is not permanent.
 */
import { answeredCommand } from "./answeredCommand.js"
import { permanentByWords } from "./bounceWords.js"
import type { RecipientReport } from "./Report.js"
import { enhancedStatus, exactStatus, replyCode } from "./status.js"

const WORDS_MAX_LENGTH = 500

/**
 * Codes that are never about the address: the sender's address or domain (RFC 3463 §3.2, RFC 7505 §4.2), a full mailbox, a
 * mail that is too large. Their texts contain words such as "recipient", so they are checked before the phrases.
 */
const notAboutAddress = new Set(["5.1.7", "5.1.8", "5.7.27", "5.2.2", "5.2.3", "5.3.4"])

/**
 * RFC 3463 §3: the mailbox does not exist (X.1.0 to X.1.4, X.1.6, X.1.10 of RFC 7505) or is disabled (X.2.1), or its domain
 * has no mail server (X.4.4). Not X.0.0 and X.2.0, which filters and local failures use too.
 */
const badAddress = new Set(["5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.6", "5.1.10", "5.2.1", "5.4.4"])

/** Codes about the address even in a reply to DATA, where other codes are about the mail. */
const isExact = (status: string): boolean => badAddress.has(status) && !/^5\.(?:1\.0|2\.1)$/.test(status)

/** Exchange Online replies 5.4.1 "recipient address rejected: access denied" for an unknown address. */
const isUnknownAtEdge = (status: string | null, words: string): boolean =>
  status === "5.4.1" && /\brecipient address rejected\b/i.test(words)

/**
 * RFC 5321 §4.2.3: no such mailbox, not local, name not allowed; RFC 7504: a host or domain that accepts no mail
 * (556). The others are about the mail or the session.
 */
const isRefusedMailbox = (reply: string | null): boolean => /^(?:55[013]|556)$/.test(reply ?? "")

/** Codes that only mean "failed": the SMTP reply code decides instead. */
const isSilent = (status: string | null): boolean => status === null || status === "5.0.0"

/** IronPort puts 5.1.0 and this text before every reply without a status code. */
const unknownError = /\b5\.1\.0\b.{0,5}\bunknown address error\b|\bunknown address error\b/i

/**
 * Whether the reported address is permanently invalid. Only a bounce can say so. A temporary reason (full mailbox, mail too
 * large, refused for its content or origin) is not permanent.
 */
export const isPermanent = (report: RecipientReport): boolean => {
  if (report.outcome !== "bounced") return false
  if (report.permanent !== null) return report.permanent
  const said = (report.diagnostic ?? "").slice(0, WORDS_MAX_LENGTH)
  const words = said.replace(unknownError, "")
  const reported = words === said || report.status !== "5.1.0" ? report.status : null
  const status = exactStatus(reported, enhancedStatus(words))
  const reply = replyCode(words.trim().replace(/^[-\s]+/, ""))
  if (status?.startsWith("4.") === true || reply?.startsWith("4") === true) return false
  if (status !== null && notAboutAddress.has(status)) return false
  const command = answeredCommand(words)
  // The server refused before it knew the recipient.
  if (command === "connect" || command === "mail") return false
  if (isUnknownAtEdge(status, words)) return true
  const byWords = permanentByWords(words)
  if (byWords !== null) return byWords
  if (command === "data") return status !== null && isExact(status)
  return isSilent(status) ? isRefusedMailbox(reply) : badAddress.has(status ?? "")
}
