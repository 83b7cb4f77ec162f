/** Raw mail and the delivery queue in SQL. */
import { SqlClient } from "@effect/sql"
import type { Instant, RawMailId } from "@mailroom/domain"
import {
  type Envelope,
  type QueuedMail,
  type RawContent,
  type RawMail,
  RawMailStore,
  StorageFailure,
} from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { forLists, inLists, insertValues } from "../database/batches.js"
import { allAsStored, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { LeaseHolder } from "../LeaseHolder.js"
import { removeUnusedRawMails } from "./removeUnused.js"

const RAW_COLUMNS = ["id", "size_bytes", "bytes", "blob_key", "created_at"] as const
const QUEUE_COLUMNS = ["id", "raw_id", "envelope", "due_at", "created_at"] as const

type RawRow = {
  readonly id: RawMailId
  readonly sizeBytes: number
  readonly createdAt: Instant
} & (
  | { readonly bytes: Uint8Array; readonly blobKey: null }
  | { readonly bytes: null; readonly blobKey: string }
)
const RAW_SELECTION = `id, size_bytes AS "sizeBytes", bytes, blob_key AS "blobKey", created_at AS "createdAt"`

interface ClaimedRow {
  readonly id: string
  readonly rawId: RawMailId
  /** an `Envelope` as JSON text */
  readonly envelope: string
  readonly attempts: number
  readonly dueAt: Instant
}

interface EntryRow {
  readonly id: string
}

const counted = rowsOf(Schema.Struct({ count: Schema.Int }))

const contentValues = (
  content: RawContent,
): readonly [size: number, bytes: Uint8Array | null, key: string | null] =>
  content.kind === "inline"
    ? [content.bytes.length, content.bytes, null]
    : [content.sizeBytes, null, content.key]

const rawMailOf = ({ id, createdAt, sizeBytes, bytes, blobKey }: RawRow): RawMail => ({
  id,
  createdAt,
  content: bytes === null ? { kind: "blob", key: blobKey, sizeBytes } : { kind: "inline", bytes },
})

const make = (sql: SqlClient.SqlClient, holder: string): RawMailStore["Type"] => {
  const { lease } = transactionOf(sql)
  const insertRaw = insertValues(sql, "raw_mails", RAW_COLUMNS)
  const insertEntries = insertValues(sql, "inbound_queue", QUEUE_COLUMNS)
  const skipLocked = sql.literal(dialectOf(sql).skipLocked)
  const selected = sql.literal(RAW_SELECTION)
  const removeUnused = removeUnusedRawMails(sql)

  const lock = (limit: number, now: Instant, leaseUntil: Instant, which: "fresh" | "suspect") =>
    allAsStored(
      sql<ClaimedRow>`UPDATE inbound_queue SET attempts = attempts + 1, locked_until = ${leaseUntil}, locked_by = ${holder} WHERE id IN (
          SELECT id FROM inbound_queue WHERE due_at <= ${now} AND locked_until <= ${now}
          AND ${sql.literal(which === "fresh" ? "attempts < 2" : "attempts >= 2")}
          ORDER BY due_at, id LIMIT ${limit} ${skipLocked})
        RETURNING id, raw_id AS "rawId", envelope, attempts, due_at AS "dueAt"`,
    )

  const claim = (limit: number, now: Instant, leaseUntil: Instant) =>
    Effect.gen(function* () {
      const fresh = yield* lock(limit, now, leaseUntil, "fresh")
      const claimed = fresh.length > 0 ? fresh : yield* lock(1, now, leaseUntil, "suspect")
      const found = yield* inLists(
        claimed.map(({ rawId }) => rawId),
        (list) => allAsStored(sql<RawRow>`SELECT ${selected} FROM raw_mails WHERE id IN ${sql.in(list)}`),
      )
      const rawOf = new Map(found.map((row) => [row.id, rawMailOf(row)]))
      const lost = claimed.find(({ rawId }) => !rawOf.has(rawId))
      if (lost !== undefined)
        return yield* Effect.die(
          new StorageFailure({ reason: "unexpected", cause: new Error(`no raw mail ${lost.rawId}`) }),
        )
      return [...claimed]
        .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
        .flatMap(({ id, rawId, envelope: text, attempts }): ReadonlyArray<QueuedMail> => {
          const raw = rawOf.get(rawId)
          const envelope: Envelope = JSON.parse(text)
          return raw === undefined ? [] : [{ id, raw, envelope, attempts }]
        })
    })

  return {
    insert: (raws) =>
      insertRaw(raws.map(({ id, content, createdAt }) => [id, ...contentValues(content), createdAt])),
    byId: (id) =>
      Effect.map(allAsStored(sql<RawRow>`SELECT ${selected} FROM raw_mails WHERE id = ${id}`), ([row]) =>
        Option.map(Option.fromNullable(row), rawMailOf),
      ),
    removeIfUnused: (id) => Effect.map(removeUnused([id]), ([blobKey]) => Option.fromNullable(blobKey)),
    enqueue: (entries) =>
      insertEntries(
        entries.map(({ id, rawId, envelope }) => [
          id,
          rawId,
          JSON.stringify(envelope),
          envelope.receivedAt,
          envelope.receivedAt,
        ]),
      ),
    claim: (limit, now, leaseUntil) => lease(claim(limit, now, leaseUntil)),
    finish: (ids, leaseUntil) =>
      Effect.map(
        inLists(ids, (list) =>
          allAsStored(
            sql<EntryRow>`DELETE FROM inbound_queue WHERE id IN ${sql.in(list)} AND locked_until = ${leaseUntil} RETURNING id`,
          ),
        ),
        (finished) => finished.map(({ id }) => id),
      ),
    release: (ids, at) =>
      forLists(ids, (list) =>
        run(sql`UPDATE inbound_queue SET due_at = ${at}, locked_until = 0, attempts = attempts - 1
          WHERE id IN ${sql.in(list)}`),
      ),
    backlog: (max) =>
      Effect.map(
        first(
          counted,
          sql`SELECT count(*) AS count FROM (SELECT 1 AS entry FROM inbound_queue LIMIT ${max}) AS waiting`,
        ),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
  }
}

export const RawMailStoreSql: Layer.Layer<RawMailStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(RawMailStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
