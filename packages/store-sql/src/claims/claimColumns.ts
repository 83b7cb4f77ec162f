/** The claim of a message beside its other columns. */
import { type ClaimRecord, type Instant, type MessageClaim, viewClaim } from "@mailroom/domain"

/** The SELECT list of a claim, for a row of `messages AS alias`. Reads `message_claims` only for messages that have a claim. */
export const claimColumns = (alias: string): string =>
  (["state", "expires_at"] as const)
    .map(
      (column) =>
        `CASE WHEN ${alias}.claimed = 0 THEN NULL
          ELSE (SELECT c.${column} FROM message_claims AS c WHERE c.message_id = ${alias}.id) END AS "${names[column]}"`,
    )
    .join(", ")

const names = { state: "claimState", expires_at: "claimExpiresAt" } as const

/** The values of `claimColumns`; null for a message without a claim. */
export interface ClaimValues {
  readonly claimState: ClaimRecord["state"] | null
  readonly claimExpiresAt: Instant | null
}

export const claimOf = ({ claimState, claimExpiresAt }: ClaimValues, now: Instant): MessageClaim | null =>
  claimState === null || claimExpiresAt === null
    ? null
    : viewClaim({ state: claimState, expiresAt: claimExpiresAt }, now)
