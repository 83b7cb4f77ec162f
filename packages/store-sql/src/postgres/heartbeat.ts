/**
 * Heartbeats. Each process updates its row in `processes` every 2 s. When a row is 6 s old, another process deletes it
 * and frees the leases of the dead process (docs/decisions/0023). All times are the database's, so the clocks of the
 * processes need not agree.
 */
import { shownFromStart } from "@mailroom/engine"
import { Clock, Effect, Metric, Queue, type Scope } from "effect"
import { LEASED, SLOTS } from "../migrations/leases.js"
import { isLocked, type ListenConnection } from "./listenConnection.js"

/** Milliseconds between two heartbeats, and milliseconds that one is valid. */
const HEARTBEAT_INTERVAL = 2_000
const ALIVE_FOR = 6_000

const missedHeartbeats = shownFromStart(
  Metric.counter("mailroom_missed_heartbeats_total", {
    description: "heartbeats of this process that did not reach Postgres",
    incremental: true,
  }),
)
const takenForDead = shownFromStart(
  Metric.counter("mailroom_taken_for_dead_total", {
    description: "times another process freed the leases of this one while it lived",
    incremental: true,
  }),
)

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const REGISTER = `INSERT INTO processes (id, alive_until) VALUES ($1, ${NOW} + ${ALIVE_FOR})`

/**
 * Sends a heartbeat of process $1. `alive` is false when another process has already deleted its row; `expired` are the
 * other processes whose heartbeat is too old.
 */
const HEARTBEAT = `
  WITH beat AS (UPDATE processes SET alive_until = ${NOW} + ${ALIVE_FOR} WHERE id = $1 RETURNING id)
  SELECT EXISTS (SELECT 1 FROM beat) AS alive,
    ARRAY(SELECT id FROM processes WHERE alive_until < ${NOW} AND id <> $1) AS expired`

/**
 * Removes those of the processes $1 whose heartbeat is too old, and frees their leases and slots. Process $2, the
 * caller, is removed in any case: it frees its own leases when it stops. One statement, so that no process is removed
 * while its leases stay. If it fails, the next heartbeat tries again. Returns the accounts of the consumers whose events are free.
 */
export const FREE = `
  WITH gone AS (
    DELETE FROM processes WHERE id IN (SELECT id FROM processes WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)
      AND (id = $2 OR alive_until < ${NOW})
    RETURNING id),
  ${SLOTS.map(
    (table) => `${table}_freed AS (DELETE FROM ${table} WHERE locked_by = ANY(ARRAY(SELECT id FROM gone)))`,
  ).join(",\n")},
  ${LEASED.map(
    (table) => `${table}_freed AS (
      UPDATE ${table} SET locked_until = 0 WHERE locked_until > 0 AND locked_by = ANY(ARRAY(SELECT id FROM gone))
      RETURNING ${table === "consumer_events" ? "account_id" : "NULL"})`,
  ).join(",\n")}
  SELECT ARRAY(SELECT DISTINCT account_id FROM consumer_events_freed) AS accounts
  WHERE EXISTS (SELECT 1 FROM gone)`

interface Handlers {
  /** Leases of a dead process were freed: their work can be claimed, and consumers of these accounts have events. */
  readonly onFreed: (accountIds: ReadonlyArray<string>) => Effect.Effect<void>
  /** Another process took this one for dead and freed its leases. */
  readonly onTakenForDead: Effect.Effect<void>
}

/**
 * Sends heartbeats for `holder` until the scope closes, and an extra one whenever `reconnected` has a value. Counts every
 * missed heartbeat. Logs once when other processes may take this one for dead, and once when heartbeats work again.
 */
export const keepHeartbeat = (
  { query }: ListenConnection,
  holder: string,
  reconnected: Queue.Dequeue<void>,
  { onFreed, onTakenForDead }: Handlers,
): Effect.Effect<void, Error, Scope.Scope> =>
  Effect.gen(function* () {
    let lastHeartbeat = yield* Clock.currentTimeMillis
    let isOverdue = false

    const sendHeartbeat = Effect.gen(function* () {
      const [{ alive, expired } = {}] = yield* query(HEARTBEAT, [holder])
      if (alive !== true) {
        yield* query(REGISTER, [holder])
        yield* Metric.increment(takenForDead)
        yield* Effect.logError(
          `Other processes took this one for dead, because no heartbeat of it came for ${ALIVE_FOR / 1000} s. They do ` +
            `its leased work again; what this process finishes of that is refused`,
        )
        yield* onTakenForDead
      } else if (isOverdue) yield* Effect.logInfo("Heartbeats reach Postgres again")
      lastHeartbeat = yield* Clock.currentTimeMillis
      isOverdue = false
      if (!Array.isArray(expired) || expired.length === 0) return
      // A host that died within a transaction keeps its locks until Postgres ends the transaction. Later heartbeats try again.
      const [freed] = yield* Effect.catchIf(query(FREE, [expired, holder]), isLocked, () =>
        Effect.succeed([]),
      )
      if (freed !== undefined && Array.isArray(freed["accounts"]))
        yield* onFreed(freed["accounts"].map(String))
    })

    const countMissed = Effect.gen(function* () {
      yield* Metric.increment(missedHeartbeats)
      if (isOverdue || (yield* Clock.currentTimeMillis) - lastHeartbeat < ALIVE_FOR) return
      isOverdue = true
      yield* Effect.logError(
        `No heartbeat has reached Postgres for ${ALIVE_FOR / 1000} s: other processes may take over the leased work`,
      )
    })

    yield* Effect.acquireRelease(query(REGISTER, [holder]), () =>
      Effect.ignore(query(FREE, [[holder], holder])),
    )
    yield* sendHeartbeat
    yield* Queue.take(reconnected).pipe(
      Effect.timeoutOption(HEARTBEAT_INTERVAL),
      Effect.zipRight(Effect.catchAll(sendHeartbeat, () => countMissed)),
      Effect.forever,
      Effect.forkScoped,
    )
  })
