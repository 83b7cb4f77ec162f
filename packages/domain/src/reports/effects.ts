/** The effect of a delivery report on its message (docs/specification/messages.md; docs/decisions/0031). */
import { Schema } from "effect"
import { normalizeAddress } from "../mailboxes/address.js"
import type { MessageContent, MessageStatus } from "../messages/Message.js"
import type { SuppressionReason } from "../suppressions/Suppression.js"
import type { RecipientReport } from "./Report.js"
import { isPermanent } from "./permanence.js"

/** Final outcomes; a delay is not one. */
export const Reported = Schema.Literal("delivered", "bounced", "complained", "unsubscribed", "opted-out")
export type Reported = typeof Reported.Type

/** All recipients of the message, normalized, each once. */
export const sentTo = ({ toAddresses, ccAddresses, bccAddresses }: Addressed): ReadonlyArray<string> => [
  ...new Set([...toAddresses, ...ccAddresses, ...bccAddresses].map(normalizeAddress)),
]

/** The fields of a message from which reports determine its recipients. */
export type Addressed = Pick<MessageContent, "toAddresses" | "ccAddresses" | "bccAddresses">

/**
 * The recipient that a report is about; null when the report must be ignored. `proven` is the recipient whose return path
 * received the report. The report is about that recipient even if it names an unknown address, because the mail may have
 * been forwarded. If it names another recipient of the message instead, it is ignored: only the other's return path can
 * report about the other. Without `proven` (mail of earlier versions), the recipient is one that the report names, or the
 * only one of the message.
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

/** The recipient at an index of `sentTo`; null without an index, or outside of the list. */
export const recipientAt = (content: Addressed, index: number | null): string | null =>
  index === null ? null : (sentTo(content)[index] ?? null)

/** A message to several recipients shows the worst outcome. */
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
  "opted-out": "SENT",
}

/** The status after one more report; the order of reports does not matter. */
export const statusAfter = (status: MessageStatus, outcome: Reported): MessageStatus =>
  rank[statusOf[outcome]] > rank[status] ? statusOf[outcome] : status

/** The reason for suppressing the address; null when it is not suppressed. */
export const suppressionAfter = (report: RecipientReport): SuppressionReason | null => {
  switch (report.outcome) {
    case "complained":
      return "COMPLAINT"
    case "unsubscribed":
    case "opted-out":
      return "MANUAL"
    case "bounced":
      return isPermanent(report) ? "BOUNCE" : null
    default:
      return null
  }
}
