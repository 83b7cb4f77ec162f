/** Raw mail and the inbound queue in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { Instant, RawMailId } from "@mailroom/domain"
import {
  type ClaimTerms,
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
import { abandonClaim, LeaseHolder } from "../database/leases.js"
import { removeUnusedRawMails } from "../blobs/unreferenced.js"
import { makeNextBatch } from "./nextBatch.js"

export const RAW_COLUMNS = ["id", "size_bytes", "bytes", "blob_key", "created_at"] as const
const QUEUE_COLUMNS = [
  "id",
  "raw_id",
  "envelope",
  "due_at",
  "created_at",
  "lane",
  "turn",
  "tenant",
  "work_bytes",
] as const

/** Milliseconds between two searches for expired leases while claims find free entries. A claim that finds none searches at once. */
const EXPIRY_CHECK = 1_000

type RawRow = {
  readonly id: RawMailId
  readonly sizeBytes: number
  readonly createdAt: Instant
} & (
  | { readonly bytes: Uint8Array; readonly blobKey: null }
  | { readonly bytes: null; readonly blobKey: string }
)
const RAW_SELECTION = `id, size_bytes AS "sizeBytes", bytes, blob_key AS "blobKey", created_at AS "createdAt"`

interface AcceptedRow {
  readonly acceptedAt: Instant
}

interface EntryRow {
  readonly id: string
}

const counted = rowsOf(Schema.Struct({ count: Schema.Int }))

/** The values of `RAW_COLUMNS`. */
export const rawValues = ({ id, content, createdAt }: RawMail): ReadonlyArray<unknown> => [
  id,
  ...contentValues(content),
  createdAt,
]

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
  const { joinUnsynced } = transactionOf(sql)
  const insertRaw = insertValues(sql, "raw_mails", RAW_COLUMNS)
  const insertEntries = insertValues(sql, "inbound_queue", QUEUE_COLUMNS)
  const selected = sql.literal(RAW_SELECTION)
  const removeUnused = removeUnusedRawMails(sql)
  const nextBatch = makeNextBatch(sql, holder)

  const leasedUntil = (leaseUntil: Instant) => sql`locked_until = ${leaseUntil} AND locked_by = ${holder}`

  let expiryCheckedAt = 0

  /** Frees entries whose lease has expired, and returns their ids. */
  const freeExpired = (now: Instant) =>
    Effect.suspend(() => {
      expiryCheckedAt = now
      return allAsStored(
        sql<EntryRow>`UPDATE inbound_queue SET locked_until = 0
          WHERE locked_until > 0 AND locked_until <= ${now} RETURNING id`,
      )
    })

  const findBatch = (terms: ClaimTerms) =>
    Effect.gen(function* () {
      if (terms.now - expiryCheckedAt >= EXPIRY_CHECK) yield* freeExpired(terms.now)
      const batch = yield* nextBatch(terms)
      if (batch.length > 0) return batch
      return (yield* freeExpired(terms.now)).length > 0 ? yield* nextBatch(terms) : []
    })

  const claim = (terms: ClaimTerms) =>
    Effect.gen(function* () {
      const batch = yield* findBatch(terms)
      if (batch.length === 0) return []
      yield* forLists(
        batch.map(({ id }) => id),
        (list) =>
          run(
            sql`UPDATE inbound_queue SET attempts = attempts + 1, locked_until = ${terms.leaseUntil}, locked_by = ${holder}
              WHERE id IN ${sql.in(list)}`,
          ),
      )
      const found = yield* inLists(
        batch.map(({ rawId }) => rawId),
        (list) => allAsStored(sql<RawRow>`SELECT ${selected} FROM raw_mails WHERE id IN ${sql.in(list)}`),
      )
      const rawOf = new Map(found.map((row) => [row.id, rawMailOf(row)]))
      const missing = batch.find(({ rawId }) => !rawOf.has(rawId))
      if (missing !== undefined)
        return yield* Effect.die(
          new StorageFailure({ reason: "unexpected", cause: new Error(`no raw mail ${missing.rawId}`) }),
        )
      return batch.flatMap(({ id, rawId, envelope: text, attempts, ...row }): ReadonlyArray<QueuedMail> => {
        const raw = rawOf.get(rawId)
        const envelope: Envelope = JSON.parse(text)
        return raw === undefined
          ? []
          : [{ id, raw, envelope, attempts: attempts + 1, tenant: row.tenant, workBytes: row.workBytes }]
      })
    })

  return {
    insert: (raws) => insertRaw(raws.map(rawValues)),
    byId: (id) =>
      Effect.map(allAsStored(sql<RawRow>`SELECT ${selected} FROM raw_mails WHERE id = ${id}`), ([row]) =>
        Option.map(Option.fromNullable(row), rawMailOf),
      ),
    removeUnused,
    enqueue: (entries) =>
      insertEntries(
        entries.map(({ id, rawId, envelope, dueAt, lane, turn, tenant, workBytes }) => [
          id,
          rawId,
          JSON.stringify(envelope),
          dueAt,
          envelope.receivedAt,
          lane,
          turn,
          tenant,
          workBytes,
        ]),
      ),
    claim: (terms) => joinUnsynced(claim(terms)),
    abandonClaim: abandonClaim(sql, "inbound_queue", holder, "counted"),
    finish: (ids, leaseUntil) =>
      Effect.map(
        inLists(ids, (list) =>
          allAsStored(
            sql<EntryRow>`DELETE FROM inbound_queue WHERE id IN ${sql.in(list)} AND ${leasedUntil(leaseUntil)} RETURNING id`,
          ),
        ),
        (finished) => finished.map(({ id }) => id),
      ),
    keepRecipients: (id, envelope, later, leaseUntil) =>
      Effect.map(
        allAsStored(
          sql<EntryRow>`UPDATE inbound_queue SET envelope = ${JSON.stringify({ ...envelope, to: later })}
            WHERE id = ${id} AND envelope = ${JSON.stringify(envelope)} AND ${leasedUntil(leaseUntil)} RETURNING id`,
        ),
        (kept) => kept.length > 0,
      ),
    release: (ids, leaseUntil, at) =>
      joinUnsynced(
        forLists(ids, (list) =>
          run(sql`UPDATE inbound_queue SET due_at = ${at}, locked_until = 0, attempts = attempts - 1
            WHERE id IN ${sql.in(list)} AND ${leasedUntil(leaseUntil)}`),
        ),
      ),
    retry: (id, leaseUntil, at) =>
      joinUnsynced(
        run(
          sql`UPDATE inbound_queue SET due_at = ${at}, locked_until = 0
            WHERE id = ${id} AND ${leasedUntil(leaseUntil)}`,
        ),
      ),
    slowDown: (ids, leaseUntil, turn) =>
      joinUnsynced(
        forLists(ids, (list) =>
          run(sql`UPDATE inbound_queue SET lane = 'slow', turn = ${turn}, locked_until = 0, attempts = attempts - 1
            WHERE id IN ${sql.in(list)} AND ${leasedUntil(leaseUntil)}`),
        ),
      ),
    backlog: (max) =>
      Effect.map(
        first(
          counted,
          sql`SELECT count(*) AS count FROM (SELECT 1 AS entry FROM inbound_queue LIMIT ${max}) AS waiting`,
        ),
        Option.match({ onNone: () => 0, onSome: ({ count }) => count }),
      ),
    // Ids sort by the time of acceptance.
    oldest: Effect.map(
      allAsStored(
        sql<AcceptedRow>`SELECT created_at AS "acceptedAt" FROM inbound_queue
          WHERE id = (SELECT min(id) FROM inbound_queue)`,
      ),
      ([row]) => Option.map(Option.fromNullable(row), ({ acceptedAt }) => acceptedAt),
    ),
  }
}

export const RawMailStoreSql: Layer.Layer<RawMailStore, never, SqlClient.SqlClient | LeaseHolder> =
  Layer.effect(RawMailStore, Effect.zipWith(SqlClient.SqlClient, LeaseHolder, make))
