/** The windows of sends in SQL. Only sends with a report have a row, so a window costs nothing while all is well. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, MailboxId, MessageContent, MessageId, SENDING_WINDOW, windowSize } from "@mailroom/domain"
import { SendingHealthStore } from "@mailroom/engine"
import { Effect, Layer, Option, Schema } from "effect"
import { forLists, inLists } from "../database/batches.js"
import { Flag, JsonText } from "../database/columns.js"
import { removeSome } from "../database/removeSome.js"
import { all, first, rowsOf, run } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"
import { dialectOf } from "../dialect.js"
import { countWrite } from "./MailCountStoreSql.js"

const numbered = rowsOf(Schema.Struct({ sends: Schema.Int, inWindow: Schema.Int }))
const windowRows = rowsOf(
  Schema.Struct({
    mailboxId: MailboxId,
    sends: Schema.Int,
    warned: Flag,
    hardBounces: Schema.Int,
    complaints: Schema.Int,
  }),
)
const added = rowsOf(
  Schema.Struct({ mailboxId: MailboxId, outcome: Schema.Literal("bounced", "complained") }),
)

const { toAddresses, ccAddresses, bccAddresses } = MessageContent.fields
const removedSends = rowsOf(
  Schema.Struct({
    id: MessageId,
    mailboxId: MailboxId,
    accountId: AccountId,
    recipients: JsonText(Schema.Struct({ toAddresses, ccAddresses, bccAddresses })),
  }),
)

const make = (sql: SqlClient.SqlClient): SendingHealthStore["Type"] => {
  const { join } = transactionOf(sql)
  /** Condition on the number of a send: it is in the window `w`. */
  const inWindow = (number: string) =>
    sql.literal(`${number} > w.began_after AND ${number} > w.sends - ${SENDING_WINDOW}`)
  const { writesInWith } = dialectOf(sql)
  /** The reports about sends in the window `w`: reads at most 1,000 sends. */
  const reportsOf = (outcome: "bounced" | "complained") =>
    sql`(SELECT count(*) FROM sending_reports r
      WHERE r.mailbox_id = w.mailbox_id AND ${inWindow("r.number")} AND r.outcome = ${outcome})`

  /** Removes the reports about sends before the window. A mailbox has at most two for each send of its last windows. */
  const removeOld = (mailboxIds: ReadonlyArray<MailboxId>) =>
    forLists(mailboxIds, (list) =>
      run(
        sql`DELETE FROM sending_reports WHERE mailbox_id IN ${sql.in(list)} AND NOT EXISTS (
            SELECT 1 FROM sending_windows w
            WHERE w.mailbox_id = sending_reports.mailbox_id AND ${inWindow("sending_reports.number")})`,
      ),
    )

  return {
    countSend: ({ accountId, mailboxId, messageId, sends, at }) => {
      const count = countWrite(sql, { accountId, mailboxId, sent: 1 }, at)
      const number = sql`INSERT INTO sending_windows (mailbox_id, sends, began_after, warned)
        SELECT id, CAST(${sends} AS BIGINT), 0, 0 FROM mailboxes WHERE id = ${mailboxId}
        ON CONFLICT (mailbox_id) DO UPDATE SET sends = sending_windows.sends + excluded.sends
        RETURNING sends, sends - began_after AS "inWindow"`
      const inOne = first(
        numbered,
        sql`WITH counted AS (${count}), numbered AS (${number})
          UPDATE messages SET send_number = numbered.sends FROM numbered WHERE id = ${messageId}
          RETURNING numbered.sends, numbered."inWindow"`,
      )
      const oneAfterAnother = Effect.gen(function* () {
        yield* run(count)
        const counted = yield* first(numbered, number)
        if (Option.isSome(counted))
          yield* run(sql`UPDATE messages SET send_number = ${counted.value.sends} WHERE id = ${messageId}`)
        return counted
      })
      return Effect.map(
        writesInWith ? inOne : oneAfterAnother,
        Option.map((counted) => counted.inWindow),
      )
    },
    windows: (mailboxIds) =>
      Effect.map(
        inLists(mailboxIds, (list) =>
          all(
            windowRows,
            sql`SELECT w.mailbox_id AS "mailboxId", w.sends - w.began_after AS sends, w.warned,
                ${reportsOf("bounced")} AS "hardBounces", ${reportsOf("complained")} AS complaints
              FROM sending_windows w WHERE w.mailbox_id IN ${sql.in(list)}`,
          ),
        ),
        (rows) => rows.map((row) => ({ ...row, sends: windowSize(row.sends) })),
      ),
    addReports: (reports) =>
      join(
        Effect.gen(function* () {
          const found = yield* inLists(reports, (list) =>
            all(
              added,
              sql`INSERT INTO sending_reports (mailbox_id, number, outcome)
                SELECT w.mailbox_id, coalesce(m.send_number, r.send_number) - given.column2, given.column3
                FROM (VALUES ${sql.csv(
                  list.map(
                    ({ messageId, distance, outcome }) =>
                      sql`(${messageId}, CAST(${distance} AS BIGINT), ${outcome})`,
                  ),
                )}) AS given
                LEFT JOIN messages m ON m.id = given.column1
                LEFT JOIN removed_sends r ON r.message_id = given.column1
                JOIN sending_windows w ON w.mailbox_id = coalesce(m.mailbox_id, r.mailbox_id)
                WHERE ${inWindow("coalesce(m.send_number, r.send_number) - given.column2")}
                ON CONFLICT DO NOTHING RETURNING mailbox_id AS "mailboxId", outcome`,
            ),
          )
          if (found.length > 0) yield* removeOld(found.map(({ mailboxId }) => mailboxId))
          return found
        }),
      ),
    keepRemoved: ({ id, toAddresses, ccAddresses, bccAddresses }, at) =>
      run(
        sql`INSERT INTO removed_sends (message_id, mailbox_id, send_number, recipients, removed_at)
          SELECT id, mailbox_id, send_number, ${JSON.stringify({ toAddresses, ccAddresses, bccAddresses })},
            CAST(${at} AS BIGINT)
          FROM messages WHERE id = ${id} AND send_number IS NOT NULL`,
      ),
    removed: (messageIds) =>
      Effect.map(
        inLists(messageIds, (list) =>
          all(
            removedSends,
            sql`SELECT r.message_id AS id, r.mailbox_id AS "mailboxId", b.account_id AS "accountId", r.recipients
              FROM removed_sends r JOIN mailboxes b ON b.id = r.mailbox_id WHERE r.message_id IN ${sql.in(list)}`,
          ),
        ),
        (rows) =>
          rows.map(({ accountId, id, mailboxId, recipients }) => ({
            accountId,
            content: { ...recipients, id, mailboxId },
          })),
      ),
    forgetRemoved: (before, limit) =>
      removeSome(sql, "removed_sends", "message_id", sql`removed_at < ${before}`, limit),
    setWarned: (mailboxId, warned) =>
      run(sql`UPDATE sending_windows SET warned = ${warned ? 1 : 0} WHERE mailbox_id = ${mailboxId}`),
    restart: (mailboxId) =>
      run(sql`UPDATE sending_windows SET began_after = sends, warned = 0 WHERE mailbox_id = ${mailboxId}`),
  }
}

export const SendingHealthStoreSql: Layer.Layer<SendingHealthStore, never, SqlClient.SqlClient> =
  Layer.effect(SendingHealthStore, Effect.map(SqlClient.SqlClient, make))
