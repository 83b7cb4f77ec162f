/**
 * What a bounce means for the address: whether it is bad for good (spec: decisions §6; docs/decisions/0029). Codes alone
 * do not tell: many servers answer 5.1.1 when a mailbox is full, 5.7.1 when there is none, 5.0.0 for anything, or give no
 * code. So the words decide where they are known, then the codes. To suppress a good address is the worst error, because
 * nobody notices that its mail is not sent; so what is unclear is not permanent.
 */
import { answeredCommand } from "./answeredCommand.js"
import { permanentByWords } from "./bounceWords.js"
import type { RecipientReport } from "./Report.js"
import { enhancedStatus, exactStatus, replyCode } from "./status.js"

const WORDS_MAX_LENGTH = 500

/**
 * Codes that are never about the address: the sender's address or domain (RFC 3463 §3.2, RFC 7505 §4.2), a full mailbox, a
 * mail that is too large. They are given with words such as "recipient", so they count before the words.
 */
const notAboutAddress = new Set(["5.1.7", "5.1.8", "5.7.27", "5.2.2", "5.2.3", "5.3.4"])

/**
 * RFC 3463 §3: the mailbox does not exist (X.1.0 to X.1.4, X.1.6, X.1.10 of RFC 7505) or is disabled (X.2.1), or its domain
 * has no mail server (X.4.4). Not X.0.0 and X.2.0, which filters and local failures get too.
 */
const badAddress = new Set(["5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.6", "5.1.10", "5.2.1", "5.4.4"])

/** Codes that name the address even in an answer to DATA, where others are about the mail. */
const isExact = (status: string): boolean => badAddress.has(status) && !/^5\.(?:1\.0|2\.1)$/.test(status)

/** Exchange Online says "recipient address rejected: access denied" of one it does not know (5.4.1). */
const isUnknownAtEdge = (status: string | null, words: string): boolean =>
  status === "5.4.1" && /\brecipient address rejected\b/i.test(words)

/**
 * RFC 5321 §4.2.3: no such mailbox, not local, name not allowed; RFC 7504: a host or domain that takes no mail at all
 * (556). The others are about the mail or the session.
 */
const isRefusedMailbox = (reply: string | null): boolean => /^(?:55[013]|556)$/.test(reply ?? "")

/** A code that only says that something failed says nothing: then the reply code counts. */
const isSilent = (status: string | null): boolean => status === null || status === "5.0.0"

/** IronPort writes 5.1.0 and this in front of every answer that has no code of its own. */
const unknownError = /\b5\.1\.0\b.{0,5}\bunknown address error\b|\bunknown address error\b/i

/**
 * Whether a bounce says that the address is bad for good. Only of bounces: nothing delivered, delayed or complained
 * about says so. What passes (full, too large, refused for what the mail is or where it came from) is not.
 */
export const isPermanent = (report: RecipientReport): boolean => {
  if (report.outcome !== "bounced") return false
  if (report.permanent !== null) return report.permanent
  const said = (report.diagnostic ?? "").slice(0, WORDS_MAX_LENGTH)
  const words = said.replace(unknownError, "")
  const given = words === said || report.status !== "5.1.0" ? report.status : null
  const status = exactStatus(given, enhancedStatus(words))
  const reply = replyCode(words.trim().replace(/^[-\s]+/, ""))
  if (status?.startsWith("4.") === true || reply?.startsWith("4") === true) return false
  if (status !== null && notAboutAddress.has(status)) return false
  const command = answeredCommand(words)
  // The server had not heard of the recipient yet.
  if (command === "connect" || command === "mail") return false
  if (isUnknownAtEdge(status, words)) return true
  const byWords = permanentByWords(words)
  if (byWords !== null) return byWords
  if (command === "data") return status !== null && isExact(status)
  return isSilent(status) ? isRefusedMailbox(reply) : badAddress.has(status ?? "")
}
