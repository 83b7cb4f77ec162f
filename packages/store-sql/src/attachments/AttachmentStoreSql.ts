/** Attachments in SQL. A row without `message_id` is an upload that no message uses yet. */
import * as SqlClient from "@effect/sql/SqlClient"
import { type AttachmentId, AttachmentRecord, InboundGate, totalBytes } from "@mailroom/domain"
import { AttachmentStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { forLists, inLists, insertInto, isAmong } from "../database/batches.js"
import { Flag } from "../database/columns.js"
import { all, first, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { gateOf } from "../messages/gates.js"
import { unusedAmong } from "../blobs/unreferenced.js"

export const attachments = table("attachments", AttachmentRecord)

const gated = rowsOf(
  Schema.Struct({ ...AttachmentRecord.fields, gate: Schema.NullOr(InboundGate), isQuarantined: Flag }),
)
const removed = rowsOf(Schema.Struct({ blobKey: Schema.String }))
const removedFiles = rowsOf(Schema.Struct({ blobKey: Schema.String, sizeBytes: Schema.Int }))

const make = (sql: SqlClient.SqlClient): AttachmentStore["Type"] => {
  const { join } = transactionOf(sql)
  const unused = unusedAmong(sql)

  const detach: AttachmentStore["Type"]["detach"] = (messageId, uploaded, draft) =>
    Effect.gen(function* () {
      yield* forLists(uploaded, (list) =>
        run(
          sql`UPDATE attachments
            SET message_id = NULL, mailbox_id = ${draft?.mailboxId ?? null}, draft_id = ${draft?.id ?? null}
            WHERE id IN ${sql.in(list)} AND message_id = ${messageId}`,
        ),
      )
      const others = yield* all(
        removed,
        sql`DELETE FROM attachments WHERE message_id = ${messageId} RETURNING blob_key AS "blobKey"`,
      )
      return yield* unused(others.map(({ blobKey }) => blobKey))
    })

  const removeOfDraft: AttachmentStore["Type"]["removeOfDraft"] = (draftId, except) =>
    Effect.gen(function* () {
      const kept = except.length === 0 ? sql.literal("") : sql`AND NOT id ${isAmong(sql, except)}`
      const rows = yield* all(
        removedFiles,
        sql`DELETE FROM attachments WHERE draft_id = ${draftId} ${kept}
          RETURNING blob_key AS "blobKey", size_bytes AS "sizeBytes"`,
      )
      return {
        attachmentBytes: totalBytes(rows),
        blobKeys: yield* unused(rows.map(({ blobKey }) => blobKey)),
      }
    })

  const remove = (id: AttachmentId) =>
    Effect.gen(function* () {
      const rows = yield* all(
        removed,
        sql`DELETE FROM attachments WHERE id = ${id} AND message_id IS NULL AND draft_id IS NULL RETURNING blob_key AS "blobKey"`,
      )
      const [blobKey] = yield* unused(rows.map((row) => row.blobKey))
      return Option.fromNullable(blobKey)
    })

  /** Files of a removed mailbox stay until a job removes them. Uploads that are not sent belong to no mailbox. */
  const isThere = (alias: string) =>
    sql.literal(
      `(${alias}.mailbox_id IS NULL OR EXISTS (SELECT 1 FROM mailboxes AS b WHERE b.id = ${alias}.mailbox_id))`,
    )
  const selectedWithGate = sql.literal(`${attachments.selectionOf("a")}, ${gateOf("m")} AS gate`)
  return {
    insert: insertInto(sql, attachments),
    byIds: (accountId, ids) =>
      Effect.map(
        inLists(ids, (list) =>
          all(
            gated,
            sql`SELECT ${selectedWithGate},
                CASE WHEN m.quarantined_at IS NULL THEN 0 ELSE 1 END AS "isQuarantined"
              FROM attachments AS a LEFT JOIN messages AS m ON m.id = a.message_id
              WHERE a.id IN ${sql.in(list)} AND a.account_id = ${accountId} AND ${isThere("a")}`,
          ),
        ),
        (found) =>
          found.map(({ gate, isQuarantined, ...attachment }) => ({ attachment, gate, isQuarantined })),
      ),
    byLink: (id) =>
      first(
        attachments,
        sql`SELECT ${sql.literal(attachments.selection)} FROM attachments WHERE id = ${id} AND ${isThere("attachments")}
          AND NOT EXISTS (SELECT 1 FROM messages AS m
            WHERE m.id = attachments.message_id AND m.quarantined_at IS NOT NULL)`,
      ),
    attach: (ids, mailboxId, messageId) =>
      forLists(ids, (list) =>
        run(
          sql`UPDATE attachments SET mailbox_id = ${mailboxId}, message_id = ${messageId}, draft_id = NULL
            WHERE id IN ${sql.in(list)}`,
        ),
      ),
    detach: (messageId, uploaded, draft) => join(detach(messageId, uploaded, draft)),
    keep: (ids, { id, mailboxId }) =>
      forLists(ids, (list) =>
        run(
          sql`UPDATE attachments SET mailbox_id = ${mailboxId}, draft_id = ${id} WHERE id IN ${sql.in(list)}`,
        ),
      ),
    removeOfDraft: (draftId, except) => join(removeOfDraft(draftId, except)),
    unusedAmong: unused,
    remove: (id) => join(remove(id)),
  }
}

export const AttachmentStoreSql: Layer.Layer<AttachmentStore, never, SqlClient.SqlClient> = Layer.effect(
  AttachmentStore,
  Effect.map(SqlClient.SqlClient, make),
)
