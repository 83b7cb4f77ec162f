/** Invitations in SQL. */
import { SqlClient } from "@effect/sql"
import { InvitationRecord } from "@mailroom/domain"
import { InvitationStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { removeExpired } from "../database/removeSome.js"
import { all, rowsOf, table } from "../database/Table.js"

const invitations = table("invitations", InvitationRecord)

/** Above every id: with a bound the list reads an index and no more of it than it shows. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const changed = rowsOf(Schema.Struct({ id: Schema.String }))

const make = (sql: SqlClient.SqlClient): InvitationStore["Type"] => {
  const insert = insertInto(sql, invitations)
  const selection = sql.literal(invitations.selection)
  const someOf = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
  return {
    insert: (invitation) => insert([invitation]),
    newest: (limit) =>
      all(
        invitations,
        sql`SELECT ${selection} FROM invitations WHERE id < ${LAST_ID} ORDER BY id DESC LIMIT ${limit}`,
      ),
    isGood: (hash, now) =>
      Effect.map(
        all(
          changed,
          sql`SELECT id FROM invitations WHERE hash = ${hash} AND used_at IS NULL AND expires_at > ${now}`,
        ),
        someOf,
      ),
    redeem: (hash, now) =>
      Effect.map(
        all(
          changed,
          sql`UPDATE invitations SET used_at = ${now}
            WHERE hash = ${hash} AND used_at IS NULL AND expires_at > ${now} RETURNING id`,
        ),
        someOf,
      ),
    remove: (id) =>
      Effect.map(all(changed, sql`DELETE FROM invitations WHERE id = ${id} RETURNING id`), someOf),
    removeExpired: removeExpired(sql, "invitations", "id"),
  }
}

export const InvitationStoreSql: Layer.Layer<InvitationStore, never, SqlClient.SqlClient> = Layer.effect(
  InvitationStore,
  Effect.map(SqlClient.SqlClient, make),
)
