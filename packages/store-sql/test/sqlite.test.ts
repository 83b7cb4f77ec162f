/** Every contract, on every database; and the plans of every statement that they ran. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { accountsContract } from "./accounts.contract.js"
import { domainsContract } from "./domains.contract.js"
import { deliveriesContract } from "./deliveries.contract.js"
import { adminContract } from "./admin.contract.js"
import { eventsContract } from "./events.contract.js"
import { idempotencyContract } from "./idempotency.contract.js"
import { mailboxesContract } from "./mailboxes.contract.js"
import { messagePagesContract } from "./messagePages.contract.js"
import { messagesContract } from "./messages.contract.js"
import { purgeContract } from "./purge.contract.js"
import { rawMailContract } from "./rawMail.contract.js"
import { removalContract } from "./removal.contract.js"
import { servicesContract } from "./services.contract.js"
import { type Database, type Recorded, recording, sqliteFile, sqliteMemory } from "./support/databases.js"
import { threadsContract } from "./threads.contract.js"
import { transactionsContract } from "./transactions.contract.js"
import { webhooksContract } from "./webhooks.contract.js"

const contracts: ReadonlyArray<(name: string, database: Database) => void> = [
  accountsContract,
  domainsContract,
  deliveriesContract,
  adminContract,
  eventsContract,
  idempotencyContract,
  mailboxesContract,
  messagePagesContract,
  messagesContract,
  purgeContract,
  rawMailContract,
  removalContract,
  servicesContract,
  threadsContract,
  transactionsContract,
  webhooksContract,
]

const ran: Recorded = new Map()

for (const contract of contracts) contract("a SQLite file", recording(sqliteFile, ran))
for (const contract of contracts) contract("SQLite in memory", sqliteMemory)

describe("query plans on SQLite", () => {
  const decodePlan = Schema.decodeUnknown(Schema.Array(Schema.Struct({ detail: Schema.String })))

  // Values, subqueries with a limit, the count of at most so many entries, the outbox of at most 1,000 mails.
  const harmless =
    /^SCAN (?:\d+-ROW VALUES CLAUSE|CONSTANT ROW|newest|waiting|inbound_queue USING COVERING INDEX \w+|captured_mails\b.*)$/

  // A count of at most so many entries of an index.
  const countsSoFar = /^SELECT count\(\*\) AS count FROM \(SELECT 1 AS entry FROM .* LIMIT \?\) AS counted$/

  // Not the client's own (transactions, pragmas, migrations), nor a look at the tables by a test.
  const isFromStore = (text: string) =>
    /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/.test(text) && !/schema_migrations|sqlite_master/.test(text)

  it.scoped("no statement of a store reads a growing table whole, or sorts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const statements = [...ran].filter(([text]) => isFromStore(text))
      expect(statements.length).toBeGreaterThan(100)
      const bad: Array<string> = []
      for (const [text, parameters] of statements)
        for (const { detail } of yield* Effect.flatMap(
          sql.unsafe(`EXPLAIN QUERY PLAN ${text}`, parameters),
          decodePlan,
        ))
          if (
            (detail.startsWith("SCAN ") && !harmless.test(detail) && !countsSoFar.test(text)) ||
            detail.includes("TEMP B-TREE")
          )
            bad.push(`${detail}: ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`)
      expect(bad).toEqual([])
    }).pipe(Effect.provide(sqliteMemory)),
  )
})
