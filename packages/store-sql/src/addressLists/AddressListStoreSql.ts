/** Allow and block lists in SQL. */
import * as SqlClient from "@effect/sql/SqlClient"
import { AccountId, ListEntryId, ListEntryRecord, MailboxId, ListKind } from "@mailroom/domain"
import { AddressListStore, type ListName } from "@mailroom/engine"
import { Effect, Layer, Schema } from "effect"
import { inLists, insertInto } from "../database/batches.js"
import { all, first, rowsOf, table } from "../database/Table.js"

const entries = table("address_list_entries", ListEntryRecord)

const ids = rowsOf(Schema.Struct({ id: ListEntryId }))
const found = rowsOf(
  Schema.Struct({ ownerId: Schema.Union(AccountId, MailboxId), entry: Schema.String, kind: ListKind }),
)

const make = (sql: SqlClient.SqlClient): AddressListStore["Type"] => {
  const selected = sql.literal(entries.selection)
  const insert = insertInto(sql, entries)
  const onList = ({ ownerId, direction, kind }: ListName) =>
    sql`owner_id = ${ownerId} AND direction = ${direction} AND kind = ${kind}`
  return {
    insert: (entry) => insert([entry]),
    byEntry: (list, entry) =>
      first(
        entries,
        sql`SELECT ${selected} FROM address_list_entries WHERE ${onList(list)} AND entry = ${entry}`,
      ),
    page: (list, before, limit) =>
      all(
        entries,
        sql`SELECT ${selected} FROM address_list_entries WHERE ${onList(list)}
          ${before === null ? sql.literal("") : sql`AND (created_at, id) < (${before.createdAt}, ${before.id})`}
          ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
      ),
    remove: (list, id) =>
      first(
        entries,
        sql`DELETE FROM address_list_entries WHERE id = ${id} AND ${onList(list)} RETURNING ${selected}`,
      ),
    removeOfMailbox: (mailboxId) =>
      Effect.map(
        all(ids, sql`DELETE FROM address_list_entries WHERE owner_id = ${mailboxId} RETURNING id`),
        (removed) => removed.length,
      ),
    among: (direction, probes) =>
      inLists(probes, (list) =>
        all(
          found,
          sql`SELECT owner_id AS "ownerId", entry, kind FROM address_list_entries
            WHERE (owner_id, direction, entry) IN (VALUES ${sql.csv(
              list.map(({ ownerId, entry }) => sql`(${ownerId}, ${direction}, ${entry})`),
            )})`,
        ),
      ),
  }
}

export const AddressListStoreSql: Layer.Layer<AddressListStore, never, SqlClient.SqlClient> = Layer.effect(
  AddressListStore,
  Effect.map(SqlClient.SqlClient, make),
)
