/** Who claimed a message (docs/specification/sharing.md). */
export const claimantColumn = (): ReadonlyArray<string> => [
  // JSON of an actor. NULL: imported mail, or a claim of an earlier version.
  `ALTER TABLE message_claims ADD COLUMN claimed_by TEXT`,
]
