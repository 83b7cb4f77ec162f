/** Lists of messages by their claim. */
import type { SqlClient, Statement } from "@effect/sql"
import type { ClaimCondition, Instant, MailboxId } from "@mailroom/domain"
import { dialectOf } from "../dialect.js"
import type { Range } from "../messages/filterRanges.js"

/** The condition of the index `messages_free`. */
export const FREE = "direction = 'INBOUND' AND visible = 1 AND claimed = 0"

/** SQL for claims that meet a condition. A lease that ended frees its message before `claimed` says so. */
const claimsThat = (
  sql: SqlClient.SqlClient,
  condition: ClaimCondition,
  now: Instant,
): Statement.Fragment => {
  if (condition === "completed") return sql`state = 'COMPLETED'`
  return condition === "claimed"
    ? sql`state = 'CLAIMED' AND expires_at > ${now}`
    : sql`state = 'CLAIMED' AND expires_at <= ${now}`
}

/** The ranges that together have every message of a mailbox that meets a condition. */
export const claimRanges = (
  sql: SqlClient.SqlClient,
  mailboxId: MailboxId,
  condition: ClaimCondition,
  now: Instant,
): ReadonlyArray<Range> => {
  const inMailbox = sql`mailbox_id = ${mailboxId}`
  const claims: Range = {
    from: "message_claims",
    id: "message_id",
    where: [inMailbox, claimsThat(sql, condition, now)],
  }
  const free: Range = {
    from: `messages ${dialectOf(sql).indexedBy("messages_free")}`,
    id: "id",
    where: [inMailbox, sql.literal(FREE)],
  }
  return condition === "free" ? [free, claims] : [claims]
}

/** The same condition on a row of `messages`. */
export const claimCondition = (
  sql: SqlClient.SqlClient,
  condition: ClaimCondition,
  now: Instant,
): Statement.Fragment => {
  const hasClaim = sql`EXISTS (SELECT 1 FROM message_claims
    WHERE message_claims.message_id = messages.id AND ${claimsThat(sql, condition, now)})`
  return condition === "free"
    ? sql`messages.direction = 'INBOUND' AND (messages.claimed = 0 OR ${hasClaim})`
    : hasClaim
}
