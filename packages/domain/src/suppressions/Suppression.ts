/** Suppressed addresses, which an account must not send to (spec: decisions.suppression.fields). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, SuppressionId } from "../ids.js"
import { Instant, timestamp, Timestamp } from "../time.js"

export const SuppressionReason = Schema.Literal("BOUNCE", "COMPLAINT", "MANUAL").annotations({
  identifier: "SuppressionReason",
  description: "Why an address is suppressed",
})
export type SuppressionReason = typeof SuppressionReason.Type

export const SuppressionRecord = Schema.Struct({
  id: SuppressionId,
  accountId: AccountId,
  email: Schema.String,
  reason: SuppressionReason,
  createdAt: Instant,
})
export type SuppressionRecord = typeof SuppressionRecord.Type

export const Suppression = Schema.Struct({
  id: described(SuppressionId, "id of the entry"),
  email: described(Schema.String, "the address, lower-case"),
  reason: described(SuppressionReason, "why it is suppressed"),
  createdAt: described(Timestamp, "time of the suppression"),
}).annotations({ identifier: "Suppression", description: "A suppressed address" })
export type Suppression = typeof Suppression.Type

export const viewSuppression = ({ id, email, reason, createdAt }: SuppressionRecord): Suppression => ({
  id,
  email,
  reason,
  createdAt: timestamp(createdAt),
})
