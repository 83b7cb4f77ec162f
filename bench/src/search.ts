/**
 * Search in a mailbox of 1,000,000 messages against one of 10,000, and in one of 10,000 mailboxes of an account, on both
 * databases, through the use case. With `--short` the large mailbox has 100,000 and the account 1,000 mailboxes. With `--sqlite` or
 * `--postgres` on that database alone.
 */
import { SqlClient } from "@effect/sql"
import { AccountId, allPermissions, MailboxId, parseSearchQuery, type Principal } from "@mailroom/domain"
import {
  AccountStore,
  Engine,
  InProcessSignals,
  MailboxStore,
  MessageStore,
  Search,
  SearchIndexer,
} from "@mailroom/engine"
import { SqliteStore, SqlStore } from "@mailroom/store-sql"
import * as PostgresStore from "@mailroom/store-sql/postgres"
import { freshDatabase, temporaryFolder } from "@mailroom/test-services"
import { inMemoryPorts } from "@mailroom/testing"
import { Array as Arr, Console, Effect, Layer, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { type Benchmark, program } from "./harness/alone.js"
import { atMost, type Check, figure, table } from "./harness/checks.js"
import { isChosen, vacuumed } from "./harness/databases.js"
import { durablePostgres } from "./harness/postgres.js"
import { BenchFailure } from "./harness/processes.js"
import { aMailbox, anAccount } from "./harness/records.js"
import { median, percentile } from "./harness/stats.js"
import { aMessageAt, kinds } from "./searchCorpus.js"

const isShort = process.argv.includes("--short")
const SMALL = 10_000
const LARGE = isShort ? 100_000 : 1_000_000
/** Mailboxes of the account that has many, each with ten messages. */
const MAILBOXES = isShort ? 1_000 : 10_000
const MESSAGES_OF_EACH = 10
/** Searches of each kind, after as many that are not counted. */
const SEARCHES = 50
const BATCH = 200
/** Milliseconds between two messages. */
const SPACING = 60_000

/** The bounds: three words at p95, milliseconds, and the same in the large mailbox against the small one. */
const THREE_WORDS = 50
const GROWTH = 1.3

interface Place {
  readonly principal: Principal
  readonly mailboxId: MailboxId
}

/** An account whose mailboxes have some messages each, indexed. The place is its last mailbox. */
const fill = (mailboxes: number, messages: number) =>
  Effect.gen(function* () {
    const store = yield* MessageStore
    const { drain } = yield* SearchIndexer
    const id = AccountId.make(randomUUID())
    const now = Date.now()
    const account = anAccount(id, now)
    yield* Effect.flatMap(AccountStore, (accounts) => accounts.insert(account))
    const made = Arr.makeBy(mailboxes, () => aMailbox(MailboxId.make(randomUUID()), id, now))
    yield* Effect.flatMap(MailboxStore, (boxes) => Effect.forEach(made, boxes.insert, { discard: true }))
    const total = mailboxes * messages
    for (let from = 0; from < total; from += BATCH) {
      const serials = Array.from({ length: Math.min(BATCH, total - from) }, (_, n) => from + n)
      yield* store.insert(
        serials.map((serial) =>
          aMessageAt(id, (made[serial % mailboxes] ?? made[0]).id, now - (total - serial) * SPACING),
        ),
      )
      // Now and then, as a service does, so that the index is written in the order of arrival.
      if (from % (50 * BATCH) === 0) yield* drain
    }
    yield* drain
    const principal: Principal = {
      account,
      state: "active",
      scope: null,
      permissions: allPermissions,
      credential: { kind: "embedded" },
    }
    return { principal, mailboxId: Arr.lastNonEmpty(made).id } satisfies Place
  }).pipe(Effect.mapError((error) => new BenchFailure({ message: String(error) })))

/** Milliseconds of searches of a kind in a mailbox. */
const searches = ({ principal, mailboxId }: Place, kind: () => string, sort: "date" | "relevance") =>
  Effect.gen(function* () {
    const search = yield* Search
    const once = Effect.gen(function* () {
      const query = yield* parseSearchQuery(kind())
      const request = { mailboxId, query, after: null, limit: 50 }
      const before = performance.now()
      yield* sort === "date" ? search.byDate(principal, request) : search.byRelevance(principal, request)
      return performance.now() - before
    })
    yield* Effect.replicateEffect(once, SEARCHES, { discard: true })
    return yield* Effect.replicateEffect(once, SEARCHES)
  }).pipe(Effect.mapError((error) => new BenchFailure({ message: String(error) })))

const Bytes = Schema.Struct({ what: Schema.String, bytes: Schema.Number })

/** Bytes of the index beside those of all messages, with their own indexes. */
const shareOfIndex = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const what = (name: string) => `CASE WHEN ${name} LIKE 'search%' THEN 'index' ELSE 'mail' END`
  const rows = yield* sql.onDialectOrElse({
    pg: () =>
      sql`SELECT ${sql.literal(what("relname"))} AS what, sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
        WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY 1`,
    orElse: () =>
      sql`SELECT ${sql.literal(what("m.tbl_name"))} AS what, sum(d.pgsize) AS bytes
        FROM dbstat AS d JOIN sqlite_master AS m ON m.name = d.name GROUP BY 1`,
  })
  const sizes = yield* Schema.decodeUnknown(Schema.Array(Bytes))(rows)
  const bytes = (of: string) => sizes.find((one) => one.what === of)?.bytes ?? Number.NaN
  return bytes("index") / bytes("mail")
}).pipe(Effect.mapError((error) => new BenchFailure({ message: String(error) })))

const measured = (database: string, settled: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const small = yield* fill(1, SMALL)
    const large = yield* fill(1, LARGE)
    const many = yield* fill(MAILBOXES, MESSAGES_OF_EACH)
    yield* settled
    const rows: Array<ReadonlyArray<string>> = []
    const checks: Array<Check> = []
    for (const [name, kind] of Object.entries(kinds))
      for (const sort of ["date", "relevance"] as const) {
        const [one, other, last] = [
          yield* searches(small, kind, sort),
          yield* searches(large, kind, sort),
          yield* searches(many, kind, sort),
        ]
        const p95 = percentile(other, 0.95)
        const growth = median(other) / median(one)
        rows.push([
          `${name}, by ${sort}`,
          ...[one, other, last].flatMap((times) => [figure(median(times)), figure(percentile(times, 0.95))]),
          figure(growth),
        ])
        if (name === "three words") {
          checks.push(atMost(`${database}: ${name} by ${sort}, p95`, p95, THREE_WORDS, "ms"))
          checks.push(atMost(`${database}: ${name} by ${sort}, growth`, growth, GROWTH, "times"))
        }
      }
    const head = ["ms", "small p50", "p95", "large p50", "p95", "one of many p50", "p95", "growth"]
    yield* Console.log(`\n${database}\n${table([head, ...rows])}`)
    const share = yield* shareOfIndex
    yield* Console.log(`The index has ${figure(share)} times the bytes of the mail with its indexes.`)
    return checks
  })

const onEngine = (stores: Parameters<typeof inMemoryPorts>[2]) =>
  Layer.provideMerge(Engine.layer, inMemoryPorts({}, "bench", stores))

const onSqlite = Effect.flatMap(temporaryFolder, (folder) => {
  const sqlite = SqlStore.layer.pipe(
    Layer.provideMerge(SqliteStore.client({ filename: join(folder, "mailroom.db") })),
    Layer.merge(InProcessSignals.layer),
  )
  return Effect.provide(measured("SQLite", Effect.void), [onEngine(sqlite), sqlite])
})

const onPostgres = Effect.gen(function* () {
  const url = yield* freshDatabase(yield* durablePostgres)
  const postgres = Layer.provideMerge(
    SqlStore.layer,
    PostgresStore.client({ url: Redacted.make(url), maxConnections: 4 }),
  )
  return yield* Effect.provide(measured("Postgres", vacuumed(url)), [onEngine(postgres), postgres])
})

export const search: Benchmark = Effect.map(
  Effect.all([...(isChosen("sqlite") ? [onSqlite] : []), ...(isChosen("postgres") ? [onPostgres] : [])]),
  (checks) => checks.flat(),
).pipe(Effect.catchTag("StoreUnusable", (error) => new BenchFailure({ message: String(error) })))

program(import.meta.url, search, 120)
