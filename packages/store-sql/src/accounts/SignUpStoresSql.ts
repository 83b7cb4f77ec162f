/** What decides whether an account may be opened: names that stay reserved, and invitations. */
import * as SqlClient from "@effect/sql/SqlClient"
import { Instant, InvitationRecord } from "@mailroom/domain"
import { InvitationStore, ReservedNameStore } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { insertInto } from "../database/batches.js"
import { orStorageFailure } from "../database/failures.js"
import { removeExpired } from "../database/removeSome.js"
import { all, rowsOf, table } from "../database/Table.js"

const reserved = table("reserved_names", Schema.Struct({ name: Schema.String, expiresAt: Instant }))

const makeReservedNames = (sql: SqlClient.SqlClient): ReservedNameStore["Type"] => {
  const insert = insertInto(
    sql,
    reserved,
    "ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at",
  )
  return {
    reserve: (names, until) => insert(names.map((name) => ({ name, expiresAt: until }))),
    isReserved: (name, now) =>
      Effect.map(
        orStorageFailure(
          sql`SELECT 1 AS taken FROM reserved_names WHERE name = ${name} AND expires_at > ${now}`,
        ),
        (rows) => rows.length > 0,
      ),
    removeExpired: removeExpired(sql, "reserved_names", "name"),
  }
}

export const ReservedNameStoreSql: Layer.Layer<ReservedNameStore, never, SqlClient.SqlClient> = Layer.effect(
  ReservedNameStore,
  Effect.map(SqlClient.SqlClient, makeReservedNames),
)

const invitations = table("invitations", InvitationRecord)

/** Greater than every id. With this bound the list reads only as much of the index as it shows. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const changed = rowsOf(Schema.Struct({ id: Schema.String }))

const makeInvitations = (sql: SqlClient.SqlClient): InvitationStore["Type"] => {
  const insert = insertInto(sql, invitations)
  const selection = sql.literal(invitations.selection)
  const isNonEmpty = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
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
        isNonEmpty,
      ),
    redeem: (hash, now) =>
      Effect.map(
        all(
          changed,
          sql`UPDATE invitations SET used_at = ${now}
            WHERE hash = ${hash} AND used_at IS NULL AND expires_at > ${now} RETURNING id`,
        ),
        isNonEmpty,
      ),
    remove: (id) =>
      Effect.map(all(changed, sql`DELETE FROM invitations WHERE id = ${id} RETURNING id`), isNonEmpty),
    removeExpired: removeExpired(sql, "invitations", "id"),
  }
}

export const InvitationStoreSql: Layer.Layer<InvitationStore, never, SqlClient.SqlClient> = Layer.effect(
  InvitationStore,
  Effect.map(SqlClient.SqlClient, makeInvitations),
)
