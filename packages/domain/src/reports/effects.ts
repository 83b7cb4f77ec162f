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
export const sentTo = ({ toAddresses, ccAddresses, bccAddresses }: MessageContent): ReadonlyArray<string> => [
  ...new Set([...toAddresses, ...ccAddresses, ...bccAddresses].map(normalizeAddress)),
]

/**
 * Which recipient of the message a report is about: one it names; or the only one there is, whose mail may have been
 * sent on to an address that we never saw. null when that cannot be told: nobody else is to suffer for it.
 */
export const recipientOfReport = (
  content: MessageContent,
  { addresses }: Pick<RecipientReport, "addresses">,
): string | null => {
  const recipients = sentTo(content)
  const named = addresses.map(normalizeAddress).find((address) => recipients.includes(address))
  const [only, ...others] = recipients
  return named ?? (others.length === 0 ? (only ?? null) : null)
}

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
