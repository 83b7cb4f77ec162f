/** What a report does to the message it is about (decisions §6; docs/decisions/0031). */
import { Schema } from "effect"
import { normalizeAddress } from "../mailboxes/address.js"
import type { MessageContent, MessageStatus } from "../messages/Message.js"
import type { SuppressionReason } from "../suppressions/Suppression.js"
import type { RecipientReport } from "./Report.js"
import { isPermanent } from "./permanence.js"

/** Outcomes that count; a delay is none yet. */
export const Reported = Schema.Literal("delivered", "bounced", "complained", "unsubscribed")
export type Reported = typeof Reported.Type

/** Everybody the message was sent to, normalized, once each. */
export const sentTo = ({ toAddresses, ccAddresses, bccAddresses }: Addressed): ReadonlyArray<string> => [
  ...new Set([...toAddresses, ...ccAddresses, ...bccAddresses].map(normalizeAddress)),
]

/** The recipients of a message, as far as reports look at them. */
export type Addressed = Pick<MessageContent, "toAddresses" | "ccAddresses" | "bccAddresses">

/**
 * The recipient of the message that a report is about, null when the report is to be ignored. `proven` is the recipient
 * whose return path the report came to. The report is about him, whatever other address it names, for his mail may have
 * been sent on; but a report that names another recipient of the message instead is ignored, for it is not his to tell.
 * Without `proven` (mail of versions before) it is a recipient that the report names, or the only one there is.
 */
export const recipientOfReport = (
  content: Addressed,
  { addresses }: Pick<RecipientReport, "addresses">,
  proven: string | null,
): string | null => {
  const recipients = sentTo(content)
  const named = addresses.map(normalizeAddress).filter((address) => recipients.includes(address))
  if (proven !== null) return named.length === 0 || named.includes(proven) ? proven : null
  const [only, ...others] = recipients
  return named[0] ?? (others.length === 0 ? (only ?? null) : null)
}

/** The recipient at a place in `sentTo`; null for no place, and for one that the message has not. */
export const recipientAt = (content: Addressed, place: number | null): string | null =>
  place === null ? null : (sentTo(content)[place] ?? null)

/** Of several recipients the worst that happened is what the message shows. */
const rank: Readonly<Record<MessageStatus, number>> = {
  RECEIVED: 0,
  SENDING: 0,
  UNKNOWN: 0,
  SENT: 0,
  FAILED: 0,
  DELIVERED: 1,
  BOUNCED: 2,
  COMPLAINED: 3,
}

const statusOf: Readonly<Record<Reported, MessageStatus>> = {
  delivered: "DELIVERED",
  bounced: "BOUNCED",
  complained: "COMPLAINED",
  unsubscribed: "SENT",
}

/** The status of a message after one more report, in whatever order they come. */
export const statusAfter = (status: MessageStatus, outcome: Reported): MessageStatus =>
  rank[statusOf[outcome]] > rank[status] ? statusOf[outcome] : status

/** Why the address goes on the suppression list; null when it does not. */
export const suppressionAfter = (report: RecipientReport): SuppressionReason | null => {
  switch (report.outcome) {
    case "complained":
      return "COMPLAINT"
    case "unsubscribed":
      return "MANUAL"
    case "bounced":
      return isPermanent(report) ? "BOUNCE" : null
    default:
      return null
  }
}
