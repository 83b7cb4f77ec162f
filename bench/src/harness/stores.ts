/** The stores of a service that runs, for a process that fills its database. */
import { SqliteStore } from "@mailroom/store-sql"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { Redacted } from "effect"

/** `database`: the file of the service, or `postgres://…` */
export const storesBeside = (database: string) =>
  database.startsWith("postgres:")
    ? PostgresStore.layer({ url: Redacted.make(database), maxConnections: 2 })
    : SqliteStore.besideService({ filename: database })
