/** Claims in SQL. `messages.claimed` tells free messages apart in an index; the claim itself is in `message_claims`. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { ClaimRecord, Direction, Instant, MailboxId, MessageId } from "@mailroom/domain"
import { type ClaimedMessage, ClaimStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { forLists, inLists } from "../database/batches.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { dialectOf } from "../dialect.js"
import { encodeActor, StoredActor } from "./claimColumns.js"
import { FREE } from "./claimLists.js"
import { fittingCount, MATCHED, matchedIn, matchedRows } from "../waiting/matchedMessages.js"

const ids = rowsOf(Schema.Struct({ id: MessageId }))
const messages = rowsOf(
  Schema.Struct({ id: MessageId, mailboxId: MailboxId, direction: Direction, createdAt: Instant }),
)
const claims = rowsOf(Schema.Struct({ ...ClaimRecord.fields, claimedBy: StoredActor }))
const ends = rowsOf(Schema.Struct({ at: Schema.NullOr(Instant) }))

const MESSAGE = `id, mailbox_id AS "mailboxId", direction, created_at AS "createdAt"`
const CLAIM = `state, token_hash AS "tokenHash", expires_at AS "expiresAt", lease_seconds AS "leaseSeconds",
  claimed_by AS "claimedBy"`

const make = (sql: SqlClient.SqlClient): ClaimStore["Type"] => {
  const { forUpdate, indexedBy, skipLocked } = dialectOf(sql)
  const inFreeIndex = sql.literal(indexedBy("messages_free"))
  const isFree = sql.literal(FREE)
  const selected = sql.literal(MESSAGE)
  const matched = matchedIn(sql)

  const setClaimed = (id: MessageId, claimed: boolean) =>
    run(sql`UPDATE messages SET claimed = ${claimed ? 1 : 0} WHERE id = ${id}`)

  /** Reads the claim of a message that this transaction has locked. */
  const withClaim = (found: Statement.Statement<object>): Effect.Effect<Option.Option<ClaimedMessage>> =>
    Effect.flatMap(
      first(messages, found),
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (message) =>
          Effect.map(
            first(
              claims,
              sql`SELECT ${sql.literal(CLAIM)} FROM message_claims WHERE message_id = ${message.id}`,
            ),
            (claim) => Option.some({ ...message, claim: Option.getOrNull(claim) }),
          ),
      }),
    )

  return {
    freeEnded: (mailboxId, now, limit) =>
      Effect.gen(function* () {
        const ended = sql`mailbox_id = ${mailboxId} AND state = 'CLAIMED' AND expires_at <= ${now}`
        const locked = yield* all(
          ids,
          sql`SELECT id FROM messages WHERE id IN (
              SELECT message_id FROM message_claims WHERE ${ended} ORDER BY expires_at LIMIT ${limit})
            ${sql.literal(skipLocked)}`,
        )
        if (locked.length === 0) return 0
        // Looked at again under the lock: a claim may have been renewed meanwhile.
        const freed = yield* inLists(
          locked.map(({ id }) => id),
          (list) =>
            all(
              ids,
              sql`UPDATE message_claims SET state = 'RELEASED' WHERE message_id IN ${sql.in(list)} AND ${ended}
                RETURNING message_id AS id`,
            ),
        )
        yield* forLists(
          freed.map(({ id }) => id),
          (list) => run(sql`UPDATE messages SET claimed = 0 WHERE id IN ${sql.in(list)}`),
        )
        return freed.length
      }),
    lockOldest: (mailboxId) =>
      withClaim(
        sql`SELECT ${selected} FROM messages ${inFreeIndex} WHERE mailbox_id = ${mailboxId} AND ${isFree}
          ORDER BY created_at, id LIMIT 1 ${sql.literal(skipLocked)}`,
      ),
    lockFirst: (mailboxId, wanted) =>
      Effect.gen(function* () {
        for (const id of wanted) {
          const found = yield* withClaim(
            sql`SELECT ${selected} FROM messages WHERE id = ${id} AND mailbox_id = ${mailboxId} AND ${isFree}
              ${sql.literal(skipLocked)}`,
          )
          if (Option.isSome(found)) return found
        }
        return Option.none()
      }),
    lock: (mailboxId, id) =>
      withClaim(
        sql`SELECT ${selected} FROM messages WHERE id = ${id} AND mailbox_id = ${mailboxId} AND status <> 'SENDING'
          ${sql.literal(forUpdate)}`,
      ),
    save: ({ id, mailboxId, createdAt }, { state, tokenHash, expiresAt, leaseSeconds, claimedBy }) =>
      Effect.zipRight(
        run(
          sql`INSERT INTO message_claims
              (message_id, mailbox_id, created_at, state, token_hash, expires_at, lease_seconds, claimed_by)
            VALUES ${sql.in([id, mailboxId, createdAt, state, tokenHash, expiresAt, leaseSeconds, encodeActor(claimedBy)])}
            ON CONFLICT (message_id) DO UPDATE SET state = excluded.state, token_hash = excluded.token_hash,
              expires_at = excluded.expires_at, lease_seconds = excluded.lease_seconds,
              claimed_by = excluded.claimed_by`,
        ),
        setClaimed(id, state !== "RELEASED"),
      ),
    free: (mailboxId, after, limit) =>
      Effect.gen(function* () {
        const found = yield* all(
          matchedRows,
          sql`SELECT ${sql.literal(MATCHED)} FROM messages ${inFreeIndex}
            WHERE mailbox_id = ${mailboxId} AND ${isFree}
            ${after === null ? sql.literal("") : sql`AND (created_at, id) > (${after.createdAt}, ${after.id})`}
            ORDER BY created_at, id LIMIT ${limit}`,
        )
        const shown = found.slice(0, fittingCount(found))
        const last = shown.at(-1)
        const hasMore = shown.length < found.length || found.length === limit
        return {
          messages: yield* matched(shown),
          next: hasMore && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null,
        }
      }),
    nextEnd: (mailboxId) =>
      Effect.map(
        first(
          ends,
          sql`SELECT min(expires_at) AS at FROM message_claims WHERE mailbox_id = ${mailboxId} AND state = 'CLAIMED'`,
        ),
        Option.flatMap(({ at }) => Option.fromNullable(at)),
      ),
  }
}

export const ClaimStoreSql: Layer.Layer<ClaimStore, never, SqlClient.SqlClient> = Layer.effect(
  ClaimStore,
  Effect.map(SqlClient.SqlClient, make),
)
