/**
 * Quarantine: received messages that are stored and hidden until the owner releases them (docs/specification/senders.md,
 * docs/decisions/0064).
 */
import { Schema } from "effect"
import type { ListVerdict } from "../addressLists/listVerdict.js"
import { described } from "../described.js"
import type { MailboxPolicies } from "../mailboxes/policies.js"
import { Instant, timestamp, Timestamp } from "../time.js"
import { isSpam, type Spam } from "../trust/Spam.js"
import type { Trust } from "../trust/Trust.js"

/** The codes never change their meaning. */
export const QuarantineReason = Schema.Literal(
  "blocked",
  "not_allowed",
  "suspicious",
  "unverified",
  "spam",
  "manual",
).annotations({
  identifier: "QuarantineReason",
  description:
    "`blocked`: a block list has the sender. `not_allowed`: the mailbox takes only allowed senders. `suspicious`, " +
    "`unverified`, `spam`: the mailbox quarantines such mail. `manual`: a caller quarantined it",
})
export type QuarantineReason = typeof QuarantineReason.Type

/** As stored. */
export const QuarantineRecord = Schema.Struct({ at: Instant, reasons: Schema.Array(QuarantineReason) })
export type QuarantineRecord = typeof QuarantineRecord.Type

export const Quarantine = Schema.Struct({
  at: described(Timestamp, "since when"),
  reasons: described(Schema.Array(QuarantineReason), "why, at least one reason"),
}).annotations({ identifier: "Quarantine", description: "That a message is quarantined, and why" })
export type Quarantine = typeof Quarantine.Type

export const viewQuarantine = (quarantine: QuarantineRecord | null): Quarantine | null =>
  quarantine === null ? null : { at: timestamp(quarantine.at), reasons: quarantine.reasons }

/** What is known about the sender of a received mail. */
export interface JudgedSender {
  /** `senderVerdict` */
  readonly verdict: ListVerdict
  /** whether it is the owner's verified address, and proven */
  readonly isOwner: boolean
}

/**
 * Why a mailbox quarantines a received mail; empty when it does not. An allow entry of a proven sender outweighs the spam
 * filter, not `suspicious`: it says whom to believe, and not that a mail which hides text is harmless.
 */
export const quarantineReasons = (
  policies: Pick<MailboxPolicies, "receivePolicy" | "quarantine">,
  { verdict, isOwner }: JudgedSender,
  trust: Trust | null,
  spam: Spam | null,
): ReadonlyArray<QuarantineReason> => {
  const isTaken = verdict === "allow" || isOwner
  const { quarantine } = policies
  return [
    ...(verdict === "block" ? (["blocked"] as const) : []),
    ...(verdict === "none" && !isOwner && policies.receivePolicy === "allowlisted"
      ? (["not_allowed"] as const)
      : []),
    ...(trust?.level === "suspicious" && quarantine.includes("suspicious") ? (["suspicious"] as const) : []),
    ...(trust?.level === "unverified" && quarantine.includes("unverified") ? (["unverified"] as const) : []),
    ...(isSpam(spam) && quarantine.includes("spam") && !isTaken ? (["spam"] as const) : []),
  ]
}
