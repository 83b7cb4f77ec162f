/** The development outbox in SQL: mails that were captured instead of sent. */
import * as SqlClient from "@effect/sql/SqlClient"
import { Instant } from "@mailroom/domain"
import { type CapturedMail, DevelopmentOutbox } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { JsonText } from "../database/columns.js"
import { all, rowsOf, run, table } from "../database/Table.js"
import { transactionOf } from "../database/transaction.js"

/** Mails that stay, as the port says. */
const KEPT_MAX = 1000
/** Mails removed by one statement. Mails are added one at a time, so this is never reached. */
const REMOVED_AT_ONCE = 100

const captured = table(
  "captured_mails",
  Schema.Struct({
    id: Schema.String,
    sender: Schema.String,
    recipients: JsonText(Schema.Array(Schema.String)),
    capturedAt: Instant,
    raw: Schema.Uint8ArrayFromSelf,
  }),
)

const addressed = rowsOf(
  Schema.Struct({ id: Schema.String, recipients: JsonText(Schema.Array(Schema.String)) }),
)

const make = (sql: SqlClient.SqlClient): DevelopmentOutbox["Type"] => {
  const { join } = transactionOf(sql)
  const insert = insertInto(sql, captured)

  const removeOldest = run(
    sql`DELETE FROM captured_mails WHERE id IN (
      SELECT id FROM captured_mails ORDER BY captured_at DESC, id DESC LIMIT ${REMOVED_AT_ONCE} OFFSET ${KEPT_MAX})`,
  )

  /** The ids of the newest mails to an address. Reads the recipients only, because mails are large. */
  const idsTo = (to: string | null, limit: number) =>
    Effect.map(
      all(
        addressed,
        sql`SELECT id, recipients FROM captured_mails ORDER BY captured_at DESC, id DESC
          LIMIT ${to === null ? limit : KEPT_MAX}`,
      ),
      (newestFirst) =>
        newestFirst
          .filter(
            ({ recipients }) =>
              to === null || recipients.some((recipient) => recipient.toLowerCase() === to.toLowerCase()),
          )
          .slice(0, limit)
          .map(({ id }) => id),
    )

  const byId = (id: string) =>
    all(captured, sql`SELECT ${sql.literal(captured.selection)} FROM captured_mails WHERE id = ${id}`)

  return {
    add: ({ id, from, to, raw, at }) =>
      join(
        Effect.zipRight(insert([{ id, sender: from, recipients: to, capturedAt: at, raw }]), removeOldest),
      ),
    list: ({ to, limit }) =>
      Effect.map(join(Effect.flatMap(idsTo(to, limit), (ids) => Effect.forEach(ids, byId))), (found) =>
        found.flat().map(({ id, sender, recipients, capturedAt, raw }): CapturedMail => ({
          id,
          from: sender,
          to: recipients,
          raw,
          at: capturedAt,
        })),
      ),
  }
}

export const DevelopmentOutboxSql: Layer.Layer<DevelopmentOutbox, never, SqlClient.SqlClient> = Layer.effect(
  DevelopmentOutbox,
  Effect.map(SqlClient.SqlClient, make),
)
