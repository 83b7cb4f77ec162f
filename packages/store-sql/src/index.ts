export { storageFailure } from "./database/failures.js"
// `@mailroom/store-sql/postgres` is an entry of its own: a process on SQLite does not load the client of Postgres.
export type { PostgresOptions } from "./PostgresStore.js"
export * as SqliteStore from "./SqliteStore.js"
export * as SqlStore from "./SqlStore.js"
export * from "./StoreUnusable.js"
export type { Stores } from "./SqlStore.js"
