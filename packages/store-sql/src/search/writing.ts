/** Writing the search index: one process at a time, which the row of `search_writer` names. */
import type { SqlClient } from "@effect/sql"
import {
  AccountId,
  cutsFor,
  gapsOf,
  Instant,
  MessageId,
  placeInSegments,
  SEGMENT_CUT_MAX,
} from "@mailroom/domain"
import type { SearchQueueEntry, SearchDocument, SearchStore } from "@mailroom/engine"
import { Array, Effect, Option, Schema } from "effect"
import { forLists, inLists, padded } from "../database/batches.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { factBits } from "./conditions.js"
import { queueAgainIn } from "./queueAgain.js"
import type { IndexedDocument, WordIndex } from "./WordIndex.js"

const writers = rowsOf(Schema.Struct({ name: Schema.String }))
const queued = rowsOf(Schema.Struct({ id: MessageId }))
const segments = rowsOf(
  Schema.Struct({
    id: Schema.Int,
    accountId: AccountId,
    startsAt: Instant,
    newestAt: Instant,
    messages: Schema.Int,
  }),
)
type Segment = Effect.Effect.Success<ReturnType<typeof segments.decode>>[number]
const ids = rowsOf(Schema.Struct({ id: Schema.Int }))
const newest = rowsOf(Schema.Struct({ newestAt: Schema.NullOr(Instant) }))
const places = rowsOf(Schema.Struct({ id: MessageId, segmentId: Schema.Int }))

const indexedDocument = (document: SearchDocument, segmentId: number): IndexedDocument => ({
  messageId: document.id,
  mailboxId: document.mailboxId,
  segmentId,
  createdAt: document.createdAt,
  sizeBytes: document.sizeBytes,
  facts: factBits(document.facts),
  tokens: document.tokens,
})

/** `SearchStore.takeWriter`, `add` and `skip`. `holder` is the name of this process. */
export const writingIn = (
  sql: SqlClient.SqlClient,
  words: WordIndex,
  holder: string,
): Pick<SearchStore["Type"], "takeWriter" | "add" | "skip"> => {
  const { join, joinUnsynced } = transactionOf(sql)
  const { forUpdate, sharing } = dialectOf(sql)
  const lock = sql.literal(forUpdate)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)
  const queueAgain = queueAgainIn(sql)
  // A SQLite file has one process, so another name in it is that of an earlier process.
  const isFree = sql.literal(sharing === "alone" ? "OR 1 = 1" : "")

  /** Removes messages from the queue, in the order of its key, and returns those that were in it at their revision. */
  const unqueue = (entries: Array.NonEmptyReadonlyArray<SearchQueueEntry>) => {
    const keys = sql`(VALUES ${sql.csv(
      padded(entries).map(({ createdAt, id, revision }) => sql`(${createdAt}, ${id}, ${revision})`),
    )})`
    const key = sql.literal("(created_at, message_id, revision)")
    return all(
      queued,
      sharing === "alone"
        ? sql`DELETE FROM search_queue WHERE ${key} IN ${keys} RETURNING message_id AS id`
        : sql`DELETE FROM search_queue WHERE ${key} IN (
            SELECT created_at, message_id, revision FROM search_queue
            WHERE ${key} IN (SELECT column1::bigint, column2, column3::bigint FROM ${keys} AS given)
            ORDER BY created_at, message_id FOR UPDATE)
          RETURNING message_id AS id`,
    )
  }

  const segmentsOf = (accounts: ReadonlyArray<AccountId>) =>
    Effect.map(
      inLists(accounts, (list) =>
        all(
          segments,
          sql`SELECT id, account_id AS "accountId", starts_at AS "startsAt", newest_at AS "newestAt", messages
            FROM search_segments WHERE account_id IN ${sql.in(list)}`,
        ),
      ),
      (found) => [...found].sort((a, b) => a.startsAt - b.startsAt),
    )

  /** Whether mail of the account is queued that is newer than `after` and older than `before`. */
  const isWaiting = (accountId: AccountId, after: Instant, before: Instant) =>
    Effect.map(
      first(
        queued,
        sql`SELECT message_id AS id FROM search_queue WHERE account_id = ${accountId}
          AND created_at > ${after} AND created_at < ${before} LIMIT 1`,
      ),
      Option.isSome,
    )

  /**
   * Ends a segment at `at`, if few of its messages are newer: takes these from the index and queues them again. They are found in
   * the queue, which has few. Returns the segment as it is then.
   */
  const endAt = (segment: Segment, at: Instant) =>
    Effect.gen(function* () {
      const newer = yield* all(
        queued,
        sql`SELECT message_id AS id FROM search_documents WHERE segment_id = ${segment.id} AND created_at > ${at}
          ORDER BY created_at LIMIT ${SEGMENT_CUT_MAX + 1}`,
      )
      if (newer.length === 0 || newer.length > SEGMENT_CUT_MAX) return segment
      const moved = newer.map(({ id }) => id)
      // A message that is deleted right now would stay in the queue.
      const locked = yield* inLists(moved, (list) =>
        all(queued, sql`SELECT id FROM messages WHERE id IN ${sql.in(list)} ${skipLocked}`),
      )
      if (locked.length < moved.length) return segment
      yield* queueAgain(moved)
      yield* forLists(moved, (list) =>
        run(sql`DELETE FROM search_documents WHERE message_id IN ${sql.in(list)}`),
      )
      const [left] = yield* all(
        newest,
        sql`SELECT max(created_at) AS "newestAt" FROM search_documents WHERE segment_id = ${segment.id}`,
      )
      const newestAt = left?.newestAt ?? segment.startsAt
      const messages = segment.messages - moved.length
      yield* run(
        sql`UPDATE search_segments SET newest_at = ${newestAt}, messages = ${messages} WHERE id = ${segment.id}`,
      )
      return { ...segment, newestAt, messages }
    })

  /** The segments of the account, of which some may end earlier than before (`cutsFor`). */
  const cut = (
    existing: ReadonlyArray<Segment>,
    times: ReadonlyArray<Instant>,
  ): Effect.Effect<ReadonlyArray<Segment>> => {
    const cuts = cutsFor(existing, times)
    return cuts.size === 0
      ? Effect.succeed(existing)
      : Effect.forEach(existing, (segment) => {
          const at = cuts.get(segment)
          return at === undefined ? Effect.succeed(segment) : endAt(segment, at)
        })
  }

  /** Adds messages of one account to its segments, and returns the number of the segment of each. */
  const place = (
    accountId: AccountId,
    existing: ReadonlyArray<Segment>,
    documents: ReadonlyArray<SearchDocument>,
  ) =>
    Effect.gen(function* () {
      const times = documents.map(({ createdAt }) => createdAt)
      const segmentsNow = yield* cut(existing, times)
      const waiting = yield* Effect.filter(gapsOf(segmentsNow, times), ([below, earliest]) =>
        isWaiting(accountId, below?.newestAt ?? -1, earliest),
      )
      const descending = new Set(waiting.map(([below]) => below))
      const { changed, places } = placeInSegments(segmentsNow, times, descending)
      const numbers = yield* Effect.forEach(changed, ({ existing: known, startsAt, newestAt, messages }) =>
        known === null
          ? Effect.map(
              all(
                ids,
                sql`INSERT INTO search_segments (account_id, starts_at, newest_at, messages)
                  VALUES (${accountId}, ${startsAt}, ${newestAt}, ${messages}) RETURNING id`,
              ),
              ([made]) => made?.id ?? 0,
            )
          : Effect.as(
              run(sql`UPDATE search_segments SET starts_at = ${startsAt}, newest_at = ${newestAt},
                messages = ${messages} WHERE id = ${known.id}`),
              known.id,
            ),
      )
      return Array.zipWith(documents, places, (document, index) =>
        indexedDocument(document, numbers[index] ?? 0),
      )
    })

  /** The messages that the index has already, which stay in their segments. Only a message that changed can be one. */
  const replacing = (documents: ReadonlyArray<SearchDocument>) =>
    Effect.map(
      inLists(
        documents.filter(({ revision }) => revision > 0).map(({ id }) => id),
        (list) =>
          all(
            places,
            sql`SELECT message_id AS id, segment_id AS "segmentId" FROM search_documents
              WHERE message_id IN ${sql.in(list)}`,
          ),
      ),
      (found) => {
        const segmentOf = new Map(found.map(({ id, segmentId }) => [id, segmentId]))
        return documents.flatMap((document) => {
          const segmentId = segmentOf.get(document.id)
          return segmentId === undefined ? [] : [indexedDocument(document, segmentId)]
        })
      },
    )

  const add = (documents: ReadonlyArray<SearchDocument>) =>
    Effect.gen(function* () {
      const writer = yield* first(
        writers,
        sql`SELECT name FROM search_writer WHERE name = 'writer' AND locked_by = ${holder} ${lock}`,
      )
      if (Option.isNone(writer) || !Array.isNonEmptyReadonlyArray(documents)) return
      const still = new Set((yield* unqueue(documents)).map(({ id }) => id))
      const taken = documents.filter(({ id }) => still.has(id))
      const replaced = yield* replacing(taken)
      const known = new Set(replaced.map(({ messageId }) => messageId))
      const ours = Array.groupBy(
        taken.filter(({ id }) => !known.has(id)),
        ({ accountId }) => accountId,
      )
      const existing = Array.groupBy(
        yield* segmentsOf(Object.values(ours).map(([{ accountId }]) => accountId)),
        ({ accountId }) => accountId,
      )
      const placed = yield* Effect.forEach(Object.values(ours), (group) =>
        place(group[0].accountId, existing[group[0].accountId] ?? [], group),
      )
      yield* words.insert([...replaced, ...placed.flat()])
    })

  return {
    takeWriter: (now, leaseUntil) =>
      joinUnsynced(
        Effect.map(
          first(
            writers,
            sql`UPDATE search_writer SET locked_until = ${leaseUntil}, locked_by = ${holder}
              WHERE name = 'writer' AND (locked_until <= ${now} OR locked_by = ${holder} ${isFree}) RETURNING name`,
          ),
          Option.isSome,
        ),
      ),
    add: (documents) => join(add(documents)),
    skip: (entry) => join(Effect.asVoid(unqueue([entry]))),
  }
}
