/** The statements of sending a message, in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import {
  type Correspondent,
  Instant,
  type MailboxId,
  MessageId,
  ThreadId,
  withoutTag,
} from "@mailroom/domain"
import { type NewSend, SendStore } from "@mailroom/engine"
import { Array, Effect, Layer, Option, Schema } from "effect"
import { accounts } from "../accounts/AccountStoreSql.js"
import { attachments } from "../attachments/AttachmentStoreSql.js"
import { inLists, replacing } from "../database/batches.js"
import { Flag, indexable, isFields } from "../database/columns.js"
import { all, first, rowsOf } from "../database/Table.js"
import { insertion, insertions, replacement, together, type Write } from "../database/together.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { mailboxes } from "../mailboxes/MailboxStoreSql.js"
import { RECIPIENT, recipientFacts, RecipientRow } from "../mailboxes/recipientFacts.js"
import { DETAIL_COLUMNS, MESSAGE_COLUMNS, valuesOf } from "../messages/messageRows.js"
import { INDEXED, Indexed, indexedOf, indexWrites, termIndexOf } from "../messages/terms.js"
import { subtractionOf } from "../messages/threadCounts.js"
import { RAW_COLUMNS, rawValues } from "../rawMail/RawMailStoreSql.js"
import { movesOf } from "../threads/moves.js"
import { ADD_LINK, links, storedLink, threads } from "../threads/ThreadStoreSql.js"

/** Prefix of a mailbox's fields in a row that also holds another table's. */
const MAILBOX = "mailbox."

const prefixedMailboxes = mailboxes.prefixed(MAILBOX)

/** Rows that hold an account and its mailbox. */
const senders = {
  decode: (rows: ReadonlyArray<unknown>) =>
    Effect.zipWith(accounts.decode(rows), prefixedMailboxes.decode(rows), (owners, boxes) =>
      Array.zipWith(owners, boxes, (account, mailbox) => ({ account, mailbox })),
    ),
}

const Addressee = Schema.Struct({
  recipient: Schema.String,
  suppressed: Flag,
  heardAt: Schema.NullOr(Instant),
  writtenAt: Schema.NullOr(Instant),
  approvedAt: Schema.NullOr(Instant),
})
const addressees = rowsOf(Addressee)
const recipients = rowsOf(RecipientRow)

/** Whether the recipient of a row has a mailbox on this service. */
const isInside = (row: unknown): boolean => isFields(row) && row["fullAddress"] !== null

/** Rows that hold the sending mailbox and one recipient each. */
const addressed = {
  decode: (rows: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const senders = yield* prefixedMailboxes.decode(rows.slice(0, 1))
      const found = yield* addressees.decode(rows)
      const inside = yield* recipients.decode(rows.filter(isInside))
      return senders.map((mailbox) => ({ mailbox, found, inside: inside.map(recipientFacts) }))
    }),
}

const correspondentOf =
  (mailboxId: MailboxId) =>
  ({ recipient, heardAt, writtenAt, approvedAt }: typeof Addressee.Type): ReadonlyArray<Correspondent> =>
    heardAt === null && writtenAt === null && approvedAt === null
      ? []
      : [{ mailboxId, address: recipient, heardAt, writtenAt, approvedAt }]

const turns = rowsOf(Schema.Struct({ at: Instant }))
const latest = rowsOf(Schema.Struct({ at: Schema.NullOr(Instant) }))
const ended = rowsOf(Schema.Struct({ id: MessageId, threadId: ThreadId }))
const withdrawnMessages = rowsOf(Schema.Struct({ ...Indexed.fields, threadId: ThreadId, visible: Flag }))
const placed = rowsOf(Schema.Struct({ threadId: ThreadId }))

const make = (sql: SqlClient.SqlClient): SendStore["Type"] => {
  const { join } = transactionOf(sql)
  const moves = movesOf(sql)
  const terms = termIndexOf(sql)
  const subtract = subtractionOf(sql)
  const withdrawnFields = sql.literal(`${INDEXED}, thread_id AS "threadId", visible`)
  const forUpdate = sql.literal(dialectOf(sql).forUpdate)
  const bytes = sql.literal(dialectOf(sql).bytewise)
  // A gated message stays hidden, whatever its status.
  const shown = sql.literal("visible = CASE WHEN gate IS NULL THEN 1 ELSE 0 END")

  const addressee = sql.literal(`${mailboxes.selectionOf("sender", MAILBOX)}, wanted.recipient`)
  const recipient = sql.literal(RECIPIENT)
  const sender = sql.literal(`${accounts.selectionOf("a")}, ${mailboxes.selectionOf("m", MAILBOX)}`)

  const writes = (send: NewSend): ReadonlyArray<Write> => {
    const { message, details } = valuesOf(send.message)
    const { id, mailboxId } = send.message.content
    const correspondent = send.correspondent === null ? null : indexable(send.correspondent)
    return [
      replacement(sql, accounts, send.account),
      replacement(sql, mailboxes, send.mailbox),
      insertion(sql, "raw_mails", RAW_COLUMNS, [rawValues(send.raw)]),
      insertion(sql, "messages", [...MESSAGE_COLUMNS, "correspondent"], [[...message, correspondent]]),
      insertion(sql, "message_details", DETAIL_COLUMNS, [details]),
      ...indexWrites(sql, indexedOf(send.message)),
      ...insertions(sql, threads, send.threads, replacing(threads)),
      ...insertions(sql, links, send.links.map(storedLink), ADD_LINK),
      ...insertions(sql, attachments, send.attachments),
      ...(send.uploaded.length === 0
        ? []
        : [
            sql`UPDATE attachments SET mailbox_id = ${mailboxId}, message_id = ${id}, draft_id = NULL
              WHERE id IN ${sql.in(send.uploaded)}`,
          ]),
      ...(send.blobKeys.length === 0
        ? []
        : [sql`DELETE FROM blob_drafts WHERE blob_key IN ${sql.in(send.blobKeys)}`]),
    ]
  }

  return {
    facts: (accountId, mailboxId, recipients) =>
      Effect.map(
        inLists(recipients, (list) =>
          all(
            addressed,
            sql`WITH wanted (recipient, full_address) AS (VALUES ${sql.csv(
              list.map((recipient) => sql`(${recipient}, ${withoutTag(recipient)})`),
            )})
              SELECT ${addressee},
                CASE WHEN EXISTS (SELECT 1 FROM suppressions AS s WHERE s.account_id = sender.account_id
                    AND s.email IN (wanted.recipient, wanted.full_address))
                  OR EXISTS (SELECT 1 FROM mailbox_suppressions AS o WHERE o.mailbox_id = sender.id
                    AND o.email IN (wanted.recipient, wanted.full_address))
                  THEN 1 ELSE 0 END AS suppressed, ${recipient},
                c.heard_at AS "heardAt", c.written_at AS "writtenAt", c.approved_at AS "approvedAt"
              FROM mailboxes AS sender CROSS JOIN wanted
              LEFT JOIN mailboxes AS m ON m.full_address = wanted.full_address
                AND EXISTS (SELECT 1 FROM accounts WHERE accounts.id = m.account_id AND accounts.deleted_at IS NULL)
              LEFT JOIN accounts AS a ON a.id = m.account_id
              LEFT JOIN correspondents AS c ON c.mailbox_id = sender.id AND c.address = wanted.recipient ${bytes}
              WHERE sender.id = ${mailboxId} AND sender.account_id = ${accountId}`,
          ),
        ),
        (lists) =>
          Option.map(Option.fromNullable(lists[0]), ({ mailbox }) => ({
            mailbox,
            suppressed: new Set(
              lists.flatMap(({ found }) => found.flatMap((one) => (one.suppressed ? [one.recipient] : []))),
            ),
            inside: lists.flatMap(({ inside }) => inside),
            correspondents: lists.flatMap(({ found }) => found.flatMap(correspondentOf(mailboxId))),
          })),
      ),
    // Locks the account before the mailbox, in the order of the FROM clause.
    lock: (accountId, mailboxId) =>
      first(
        senders,
        sql`SELECT ${sender}
          FROM accounts AS a JOIN mailboxes AS m ON m.account_id = a.id
          WHERE a.id = ${accountId} AND m.id = ${mailboxId} AND a.deleted_at IS NULL ${forUpdate}`,
      ),
    record: (send) => together(sql, writes(send)),
    // The subquery locks the account before the message is updated, as the lock order requires.
    markSent: (accountId, id, sentAt) =>
      Effect.map(
        first(
          placed,
          sql`UPDATE messages SET status = 'SENT', sent_at = ${sentAt}, ${shown}
            FROM (SELECT id AS owner_id FROM accounts WHERE id = ${accountId} AND deleted_at IS NULL ${forUpdate})
              AS owner
            WHERE messages.id = ${id} AND account_id = owner_id AND status = 'SENDING'
            RETURNING thread_id AS "threadId"`,
        ),
        Option.map(({ threadId }) => threadId),
      ),
    markFoundSent: (id, sentAt) =>
      Effect.map(
        first(
          placed,
          sql`UPDATE messages SET sent_at = ${sentAt}, status = CASE WHEN status = 'UNKNOWN' THEN 'SENT' ELSE status END
            WHERE id = ${id} AND direction = 'OUTBOUND' AND status <> 'SENDING' AND sent_at IS NULL
            RETURNING thread_id AS "threadId"`,
        ),
        Option.map(({ threadId }) => threadId),
      ),
    markUnknown: (wanted) =>
      inLists(wanted, (list) =>
        all(
          ended,
          sql`UPDATE messages SET status = 'UNKNOWN', ${shown}
            WHERE id IN ${sql.in(list)} AND status = 'SENDING' RETURNING id, thread_id AS "threadId"`,
        ),
      ),
    withdraw: (id) =>
      join(
        Effect.gen(function* () {
          const withdrawn = yield* all(
            withdrawnMessages,
            sql`DELETE FROM messages
              WHERE id = ${id} AND (status = 'SENDING' OR (status = 'UNKNOWN' AND sent_at IS NULL))
              RETURNING ${withdrawnFields}`,
          )
          yield* terms.remove(withdrawn)
          for (const { threadId, visible } of withdrawn)
            if (visible) yield* subtract(yield* moves.current(threadId))
          return withdrawn.length > 0
        }),
      ),
    automaticTurns: (of, since, limit) =>
      Effect.gen(function* () {
        const ranges =
          "threadId" in of
            ? (yield* moves.carried(of.threadId)).map((carried) => sql`thread_id = ${carried}`)
            : [sql`mailbox_id = ${of.mailboxId} AND correspondent = ${indexable(of.correspondent)}`]
        const found = yield* Effect.forEach(ranges, (range) =>
          all(
            turns,
            sql`SELECT created_at AS "at" FROM messages
              WHERE ${range} AND created_at >= ${since} AND automatic_turn = 1
              ORDER BY created_at LIMIT ${limit}`,
          ),
        )
        return found
          .flat()
          .map(({ at }) => at)
          .sort((a, b) => a - b)
          .slice(0, limit)
      }),
    lastAnswer: (mailboxId, correspondent, until) =>
      Effect.map(
        first(
          latest,
          sql`SELECT max(created_at) AS "at" FROM messages
            WHERE mailbox_id = ${mailboxId} AND correspondent = ${indexable(correspondent)}
              AND created_at <= ${until}`,
        ),
        Option.flatMap(({ at }) => Option.fromNullable(at)),
      ),
  }
}

export const SendStoreSql: Layer.Layer<SendStore, never, SqlClient.SqlClient> = Layer.effect(
  SendStore,
  Effect.map(SqlClient.SqlClient, make),
)
