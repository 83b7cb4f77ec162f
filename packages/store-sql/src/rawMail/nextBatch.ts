/**
 * The free entries of the inbound queue that a claim leases next, found at a cost that does not depend on the length of the
 * queue (docs/decisions/0046).
 */
import type { SqlClient } from "@effect/sql"
import { batchOf, type Lane, mergeTenants, type RawMailId } from "@mailroom/domain"
import type { ClaimTerms } from "@mailroom/engine"
import { Effect, Order } from "effect"
import { elementsOf, padded } from "../database/batches.js"
import { allAsStored } from "../database/Table.js"
import { dialectOf } from "../dialect.js"

/** Free entries that are claimed in the order of their turns. If more wait, claims rotate over their tenants. */
const IN_ORDER_MAX = 256
/** Tenants that one statement of a rotation examines. */
const TENANTS_AT_ONCE = 64

/** An entry without a lease. `attempts` does not count the claim that reads it (`Claimable`). */
interface FreeRow {
  readonly id: string
  readonly rawId: RawMailId
  /** an `Envelope` as JSON text */
  readonly envelope: string
  readonly attempts: number
  readonly workBytes: number
  readonly tenant: string
  readonly turn: number
}
const FREE_SELECTION = `entry.id, entry.raw_id AS "rawId", entry.envelope, entry.attempts, entry.work_bytes AS "workBytes",
  entry.tenant, entry.turn`

const byTurnAndId = Order.combine(
  Order.mapInput(Order.number, ({ turn }: FreeRow) => turn),
  Order.mapInput(Order.string, ({ id }: FreeRow) => id),
)

/** A tenant with free entries. */
interface WaitingRow {
  readonly tenant: string
  /** 1 if an entry may be claimed now, else 0 */
  readonly claimable: number
}

export const makeNextBatch = (sql: SqlClient.SqlClient, holder: string) => {
  const dialect = dialectOf(sql)
  const selection = sql.literal(FREE_SELECTION)
  const skipLocked = sql.literal(dialect.skipLocked)
  const none = sql.literal("")
  const [inRows, endOfRows] = dialect.inRows.map((part) => sql.literal(part))

  /** Condition on a free entry: its next attempt has come. */
  const isDue = ({ attemptsMax, now }: ClaimTerms) =>
    sql`due_at <= ${now} ${attemptsMax === undefined ? none : sql`AND attempts <= ${attemptsMax}`}`

  /**
   * Condition on the tenant of `table`: no other process has leased mail of it. The LIMIT keeps Postgres from joining all
   * entries before it orders them.
   */
  const notServedByOthers = (table: string) =>
    dialect.sharing === "alone"
      ? none
      : sql`AND (SELECT 1 FROM inbound_queue AS leased
          WHERE leased.tenant = ${sql.literal(table)}.tenant AND leased.locked_until > 0 AND leased.locked_by <> ${holder}
          LIMIT 1) IS NULL`

  /** Entries in the order of their turns; none if more than `IN_ORDER_MAX` are free. */
  const byTurn = (terms: ClaimTerms) => {
    const { lane, through, except, limits } = terms
    return allAsStored(
      sql<FreeRow>`SELECT ${selection} FROM inbound_queue AS entry
        WHERE lane = ${lane} AND locked_until = 0 AND ${isDue(terms)}
        AND turn <= CASE WHEN (SELECT 1 FROM inbound_queue WHERE lane = ${lane} AND locked_until = 0 AND turn <= ${through}
            ORDER BY turn, id LIMIT 1 OFFSET ${IN_ORDER_MAX}) IS NULL
          THEN CAST(${through} AS BIGINT) ELSE -1 END
        ${except.length === 0 ? none : sql`AND tenant NOT IN ${sql.in(padded(except))}`}
        ${notServedByOthers("entry")}
        ORDER BY turn, id LIMIT ${limits.mails} ${skipLocked}`,
    )
  }

  /** The next tenants with free entries by name, beginning with `from`. Reads one entry of each from the index. */
  const waitingFrom = (terms: ClaimTerms, from: string) => {
    const least = sql`SELECT min(tenant) FROM inbound_queue WHERE lane = ${terms.lane} AND locked_until <= 0`
    return allAsStored(
      sql<WaitingRow>`WITH RECURSIVE waiting (tenant, number) AS (
          SELECT (${least} AND tenant >= ${from}), 1
          UNION ALL
          SELECT (${least} AND tenant > waiting.tenant), number + 1 FROM waiting
          WHERE waiting.tenant IS NOT NULL AND number < ${TENANTS_AT_ONCE})
        SELECT tenant, CASE WHEN (SELECT 1 FROM inbound_queue AS own
            WHERE own.lane = ${terms.lane} AND own.tenant = waiting.tenant AND own.locked_until <= 0
              AND own.turn <= ${terms.through} AND ${isDue(terms)}
            ORDER BY own.turn, own.id LIMIT 1) IS NOT NULL
          ${notServedByOthers("waiting")} THEN 1 ELSE 0 END AS claimable
        FROM waiting WHERE tenant IS NOT NULL ORDER BY number`,
    )
  }

  /** The first `share` entries of each tenant. */
  const firstOf = (terms: ClaimTerms, tenants: ReadonlyArray<string>, share: number) =>
    allAsStored(
      sql<FreeRow>`SELECT ${selection} FROM ${elementsOf(sql, tenants)} AS given CROSS JOIN inbound_queue AS entry
        WHERE entry.id ${inRows}SELECT own.id FROM inbound_queue AS own
          WHERE own.lane = ${terms.lane} AND own.tenant = given.value AND own.locked_until <= 0
            AND own.turn <= ${terms.through} AND ${isDue(terms)}
          ORDER BY own.turn, own.id LIMIT ${share}${endOfRows}
        AND entry.locked_until <= 0 ${skipLocked}`,
    )

  /**
   * Entries for a full batch: an equal number of each tenant, and more of the others if a tenant has fewer. In the order of
   * the tenants, then of turns.
   */
  const entriesOf = (terms: ClaimTerms, tenants: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { mails } = terms.limits
      const share = Math.ceil(mails / tenants.length)
      const equal = yield* firstOf(terms, tenants, share)
      const missing = mails - equal.length
      const all =
        missing > 0 && equal.length >= share ? yield* firstOf(terms, tenants, share + missing) : equal
      const places = new Map(tenants.map((tenant, place) => [tenant, place]))
      const byTenant = Order.mapInput(Order.number, ({ tenant }: FreeRow) => places.get(tenant) ?? 0)
      return [...all].sort(Order.combine(byTenant, byTurnAndId))
    })

  /** The tenant that the last rotation over a lane has reached. The next one begins after it. */
  const reached = new Map<Lane, string>()

  /** One rotation: each run returns the next claimable tenants, at most as many as a batch has mails, and none at the end. */
  const rotation = (terms: ClaimTerms) => {
    const start = reached.get(terms.lane) ?? ""
    const except = new Set(terms.except)
    const seen = new Set<string>()
    const claimable: Array<string> = []
    let from = start
    let phase: "after start" | "up to start" | "ended" = "after start"
    return Effect.gen(function* () {
      while (phase !== "ended" && claimable.length < terms.limits.mails) {
        const waiting = yield* waitingFrom(terms, from)
        const next = waiting.filter(
          ({ tenant }) => !seen.has(tenant) && (phase === "up to start" || tenant !== start),
        )
        for (const { tenant } of next) seen.add(tenant)
        claimable.push(
          ...next.filter((row) => row.claimable === 1 && !except.has(row.tenant)).map(({ tenant }) => tenant),
        )
        const last = waiting.at(-1)
        if (last !== undefined && next.length > 0 && waiting.length === TENANTS_AT_ONCE) from = last.tenant
        else {
          from = ""
          phase = phase === "after start" ? "up to start" : "ended"
        }
      }
      return claimable.splice(0, terms.limits.mails)
    })
  }

  /** A batch of the tenants whose turn has come in the rotation, each with the same share of the work. */
  const byRotation = (terms: ClaimTerms) =>
    Effect.gen(function* () {
      const nextTenants = rotation(terms)
      for (;;) {
        const tenants = yield* nextTenants
        if (tenants.length === 0) return []
        const batch = batchOf(mergeTenants(yield* entriesOf(terms, tenants)), terms.limits)
        // The first mails of the tenants come first, so the batch has mail of every tenant up to this one.
        const last = [...new Set(batch.map(({ tenant }) => tenant))].at(-1)
        if (last !== undefined) {
          reached.set(terms.lane, last)
          return batch
        }
        // A claim at the same time has locked all entries of these tenants.
      }
    })

  return (terms: ClaimTerms) =>
    Effect.gen(function* () {
      const found = yield* byTurn(terms)
      return found.length > 0 ? batchOf(found, terms.limits) : yield* byRotation(terms)
    })
}
