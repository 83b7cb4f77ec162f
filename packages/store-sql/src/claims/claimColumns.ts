/** The claim of a message beside its other columns. */
import { Actor, ClaimRecord, Instant, type MessageClaim, viewClaim } from "@mailroom/domain"
import { Schema } from "effect"
import { JsonText } from "../database/columns.js"

/** `message_claims.claimed_by`: JSON, or null. */
export const StoredActor = Schema.NullOr(JsonText(Actor))
export const encodeActor = Schema.encodeSync(StoredActor)
const decodeActor = Schema.decodeSync(StoredActor)

/** The SELECT list of a claim, for a row of `messages AS alias`. Reads `message_claims` only for messages that have a claim. */
export const claimColumns = (alias: string): string =>
  (["state", "expires_at", "claimed_by"] as const)
    .map(
      (column) =>
        `CASE WHEN ${alias}.claimed = 0 THEN NULL
          ELSE (SELECT c.${column} FROM message_claims AS c WHERE c.message_id = ${alias}.id) END AS "${names[column]}"`,
    )
    .join(", ")

const names = { state: "claimState", expires_at: "claimExpiresAt", claimed_by: "claimedBy" } as const

/** The values of `claimColumns`; null for a message without a claim. */
export const claimFields = {
  claimState: Schema.NullOr(ClaimRecord.fields.state),
  claimExpiresAt: Schema.NullOr(Instant),
  /** JSON */
  claimedBy: Schema.NullOr(Schema.String),
}
export type ClaimValues = Schema.Struct<typeof claimFields>["Type"]

export const claimOf = (
  { claimState, claimExpiresAt, claimedBy }: ClaimValues,
  now: Instant,
): MessageClaim | null =>
  claimState === null || claimExpiresAt === null
    ? null
    : viewClaim({ state: claimState, expiresAt: claimExpiresAt, claimedBy: decodeActor(claimedBy) }, now)
