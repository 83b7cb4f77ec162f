/** Messages in SQL. How they are stored: `messageRows.ts`. Lists: `messagePages.ts`. Hidden ones: `gates.ts`. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  AccountId,
  InboundGate,
  Instant,
  MailboxId,
  MessageId,
  MessageStatus,
  RawMailId,
  oldestFirst,
} from "@mailroom/domain"
import { type DedupProbe, MessageStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { inLists, insertValues, updateRows } from "../database/batches.js"
import { indexable, JsonText } from "../database/columns.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { movesOf } from "../threads/moves.js"
import { filteredOf } from "./filteredPages.js"
import { gateOf, stampGatesOf, unlockingOf } from "./gates.js"
import { inThreadOf, pageOf } from "./messagePages.js"
import { removalOf } from "./messageRemoval.js"
import { quarantineColumns, quarantineFields, quarantineIn, quarantineOf } from "./quarantine.js"
import { DETAIL_COLUMNS, MESSAGE_COLUMNS, messageRecords, RECORD_SELECTION, valuesOf } from "./messageRows.js"
import { INDEXED, indexedMessages, indexedOf, termIndexOf } from "./terms.js"

const probes = rowsOf(Schema.Struct({ mailboxId: MailboxId, rfcId: Schema.String, dedupKey: Schema.String }))
const owners = rowsOf(Schema.Struct({ accountId: AccountId }))
const flags = rowsOf(
  Schema.Struct({
    id: MessageId,
    accountId: AccountId,
    mailboxId: MailboxId,
    labels: JsonText(Schema.Array(Schema.String)),
    readAt: Schema.NullOr(Instant),
    createdAt: Instant,
  }),
)
const references = rowsOf(
  Schema.Struct({
    status: MessageStatus,
    gate: Schema.NullOr(InboundGate),
    rawId: Schema.NullOr(RawMailId),
    bodyBytes: Schema.Int,
    ...quarantineFields,
  }),
)

const copyKey = ({ mailboxId, rfcId, dedupKey }: DedupProbe): string => `${mailboxId} ${dedupKey} ${rfcId}`

const make = (sql: SqlClient.SqlClient): MessageStore["Type"] => {
  const { join } = transactionOf(sql)
  const { indexedBy } = dialectOf(sql)
  const insertMessages = insertValues(sql, "messages", MESSAGE_COLUMNS)
  const insertDetails = insertValues(sql, "message_details", DETAIL_COLUMNS)
  const stampGates = stampGatesOf(sql)
  const terms = termIndexOf(sql)
  const moves = movesOf(sql)
  const updateFlags = updateRows(sql, "messages", [
    { column: "labels", type: "text", change: "set" },
    { column: "read_at", type: "bigint", change: "set" },
  ])
  const selectRecords = sql`SELECT ${sql.literal(RECORD_SELECTION)}
    FROM messages AS m JOIN message_details AS d ON d.message_id = m.id`

  return {
    insert: (messages) => {
      const values = messages.map(valuesOf)
      return join(
        Effect.all(
          [
            insertMessages(values.map(({ message }) => message)),
            insertDetails(values.map(({ details }) => details)),
            terms.add(messages.filter(({ gate }) => gate === null).map(indexedOf)),
            stampGates(messages.flatMap(({ gate, content }) => (gate === null ? [] : [content.id]))),
          ],
          { discard: true },
        ),
      )
    },
    byId: (mailboxId, id) =>
      first(messageRecords, sql`${selectRecords} WHERE m.id = ${id} AND m.mailbox_id = ${mailboxId}`),
    referenceById: (mailboxId, id) =>
      Effect.map(
        first(
          references,
          sql`SELECT m.status, ${sql.literal(gateOf("m"))} AS gate, ${sql.literal(quarantineColumns("m"))},
            m.raw_id AS "rawId", coalesce(octet_length(d.body_text), 0)
            + coalesce(octet_length(d.body_html), 0) + coalesce(octet_length(d.extracted_text), 0) AS "bodyBytes"
          FROM messages AS m JOIN message_details AS d ON d.message_id = m.id
          WHERE m.id = ${id} AND m.mailbox_id = ${mailboxId}`,
        ),
        Option.map(({ quarantinedAt, quarantineReasons, ...reference }) => ({
          ...reference,
          quarantine: quarantineOf({ quarantinedAt, quarantineReasons }),
        })),
      ),
    byRfcId: (mailboxId, rfcId) =>
      first(
        messageRecords,
        // Ids sort by creation time, so this is the newest.
        sql`${selectRecords} WHERE m.id = (
          SELECT max(id) FROM messages WHERE mailbox_id = ${mailboxId} AND rfc_message_id = ${indexable(rfcId)})`,
      ),
    copyOf: ({ mailboxId, rfcId, dedupKey }) =>
      first(
        messageRecords,
        sql`${selectRecords} WHERE m.mailbox_id = ${mailboxId} AND m.rfc_message_id = ${indexable(rfcId)}
          AND m.dedup_key = ${dedupKey}`,
      ),
    sent: (wanted) =>
      inLists(wanted, (list) =>
        all(messageRecords, sql`${selectRecords} WHERE m.id IN ${sql.in(list)} AND m.direction = 'OUTBOUND'`),
      ),
    page: pageOf(sql),
    inThread: inThreadOf(sql),
    stored: (wanted) => {
      const probeOf = new Map(
        wanted.map((probe) => [copyKey({ ...probe, rfcId: indexable(probe.rfcId) }), probe]),
      )
      return Effect.map(
        inLists(wanted, (list) =>
          all(
            probes,
            sql`SELECT mailbox_id AS "mailboxId", rfc_message_id AS "rfcId", dedup_key AS "dedupKey" FROM messages
              WHERE (mailbox_id, rfc_message_id, dedup_key) IN (VALUES ${sql.csv(
                list.map(
                  ({ mailboxId, rfcId, dedupKey }) => sql`(${mailboxId}, ${indexable(rfcId)}, ${dedupKey})`,
                ),
              )})`,
          ),
        ),
        (found) => found.flatMap((copy) => probeOf.get(copyKey(copy)) ?? []),
      )
    },
    setFlags: (changes) =>
      join(
        Effect.zipRight(
          updateFlags(
            changes.map(({ before, after }) => [before.id, JSON.stringify(after.labels), after.readAt]),
          ),
          terms.relabel(
            changes.map(({ before, after }) => ({
              ...before,
              removed: before.labels.filter((label) => !after.labels.includes(label)),
              added: after.labels.filter((label) => !before.labels.includes(label)),
            })),
          ),
        ),
      ),
    flagsInThread: (threadId, after, limit) =>
      Effect.gen(function* () {
        const carried = [threadId, ...(yield* moves.movingTo(threadId))]
        const behind =
          after === null ? sql.literal("") : sql`AND (created_at, id) > (${after.createdAt}, ${after.id})`
        const flagged = yield* Effect.forEach(carried, (id) =>
          all(
            flags,
            sql`SELECT id, account_id AS "accountId", mailbox_id AS "mailboxId", labels, read_at AS "readAt",
                created_at AS "createdAt"
              FROM messages ${sql.literal(indexedBy("messages_thread"))}
              WHERE thread_id = ${id} AND visible = 1 ${behind} ORDER BY created_at, id LIMIT ${limit}`,
          ),
        )
        return flagged.flat().sort(oldestFirst).slice(0, limit)
      }),
    filtered: filteredOf(sql),
    unindexed: Effect.map(
      first(
        owners,
        sql`SELECT account_id AS "accountId" FROM messages ${sql.literal(indexedBy("messages_unindexed"))}
          WHERE indexed = 0 AND gate IS NULL AND account_id > '' ORDER BY account_id LIMIT 1`,
      ),
      Option.map(({ accountId }) => accountId),
    ),
    index: (accountId, limit) =>
      join(
        Effect.gen(function* () {
          const indexed = yield* all(
            indexedMessages,
            sql`UPDATE messages SET indexed = 1 WHERE id IN (
                SELECT id FROM messages ${sql.literal(indexedBy("messages_unindexed"))}
                WHERE account_id = ${accountId} AND indexed = 0 AND gate IS NULL ORDER BY id LIMIT ${limit})
              RETURNING ${sql.literal(INDEXED)}`,
          )
          yield* terms.add(indexed)
          return indexed.length < limit
        }),
      ),
    // A known time of sending stays: a bounced message was sent.
    setStatus: (id, status, sentAt) =>
      run(
        sql`UPDATE messages SET status = ${status}, sent_at = coalesce(${sentAt}, sent_at),
          visible = CASE WHEN gate IS NULL AND quarantined_at IS NULL THEN ${status === "SENDING" ? 0 : 1} ELSE 0 END WHERE id = ${id}`,
      ),
    stale: (before, limit) =>
      all(
        messageRecords,
        sql`${selectRecords} WHERE m.status = 'SENDING' AND m.created_at < ${before}
          ORDER BY m.created_at, m.id LIMIT ${limit}`,
      ),
    ...unlockingOf(sql),
    ...quarantineIn(sql),
    ...removalOf(sql),
  }
}

export const MessageStoreSql: Layer.Layer<MessageStore, never, SqlClient.SqlClient> = Layer.effect(
  MessageStore,
  Effect.map(SqlClient.SqlClient, make),
)
