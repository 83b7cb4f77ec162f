/**
 * Which processes live. Each sends a heartbeat every two seconds. Of a process that has sent none for six seconds,
 * another frees the leases (docs/decisions/0023). Time is the database's, so that clocks need not agree.
 */
import { Clock, Effect, Metric, Queue, type Scope } from "effect"
import { LEASED } from "../migrations/leases.js"
import type { ListenConnection } from "./listenConnection.js"

/** Milliseconds between two heartbeats, and for how long one counts. */
const BEAT_EVERY = 2_000
const ALIVE_FOR = 6_000

const missedBeats = Metric.counter("mailroom_missed_heartbeats_total", {
  description: "heartbeats of this process that did not reach Postgres",
  incremental: true,
})
const takenForDead = Metric.counter("mailroom_taken_for_dead_total", {
  description: "times another process freed the leases of this one while it lived",
  incremental: true,
})

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const REGISTER = `INSERT INTO processes (id, alive_until) VALUES ($1, ${NOW} + ${ALIVE_FOR})`

/** `alive` is false when another process took this one for dead; `silent` are the others that have not sent any. */
const BEAT = `
  WITH beat AS (UPDATE processes SET alive_until = ${NOW} + ${ALIVE_FOR} WHERE id = $1 RETURNING id)
  SELECT EXISTS (SELECT 1 FROM beat) AS alive,
    ARRAY(SELECT id FROM processes WHERE alive_until < ${NOW} AND id <> $1) AS silent`

/**
 * Frees what dead processes held, among the silent processes $1; $2 is this process, which frees its own when it stops. One
 * statement: either a process is removed with everything it held, or it is found again at the next look.
 */
export const FREE = `
  WITH gone AS (
    DELETE FROM processes WHERE id IN (SELECT id FROM processes WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)
      AND (id = $2 OR alive_until < ${NOW})
    RETURNING id),
  places AS (DELETE FROM stream_places WHERE locked_by = ANY(ARRAY(SELECT id FROM gone))),
  ${LEASED.map(
    (table) => `${table}_freed AS (
      UPDATE ${table} SET locked_until = 0 WHERE locked_until > 0 AND locked_by = ANY(ARRAY(SELECT id FROM gone)))`,
  ).join(",\n")}
  SELECT id FROM gone`

interface Handlers {
  /** Work that other processes had leased can be had. */
  readonly onFreed: Effect.Effect<void>
  /** Another process freed what this one held. */
  readonly onTakenForDead: Effect.Effect<void>
}

/**
 * Sends heartbeats as `holder` until the scope closes; one more whenever `reconnected` has a value. Every failure is
 * counted. The log says once when others may take this process for dead, and once when it is over.
 */
export const keepHeartbeat = (
  { query }: ListenConnection,
  holder: string,
  reconnected: Queue.Dequeue<void>,
  { onFreed, onTakenForDead }: Handlers,
): Effect.Effect<void, Error, Scope.Scope> =>
  Effect.gen(function* () {
    let lastBeat = yield* Clock.currentTimeMillis
    let isOverdue = false

    const beat = Effect.gen(function* () {
      const [{ alive, silent } = {}] = yield* query(BEAT, [holder])
      if (alive !== true) {
        yield* query(REGISTER, [holder])
        yield* Metric.increment(takenForDead)
        yield* Effect.logError(
          `Other processes took this one for dead, because no heartbeat of it came for ${ALIVE_FOR / 1000} s. They do ` +
            `its leased work again; what this process finishes of that is refused`,
        )
        yield* onTakenForDead
      } else if (isOverdue) yield* Effect.logInfo("Heartbeats reach Postgres again")
      lastBeat = yield* Clock.currentTimeMillis
      isOverdue = false
      if (!Array.isArray(silent) || silent.length === 0) return
      const gone = yield* query(FREE, [silent, holder])
      if (gone.length > 0) yield* onFreed
    })

    const missed = Effect.gen(function* () {
      yield* Metric.increment(missedBeats)
      if (isOverdue || (yield* Clock.currentTimeMillis) - lastBeat < ALIVE_FOR) return
      isOverdue = true
      yield* Effect.logError(
        `No heartbeat has reached Postgres for ${ALIVE_FOR / 1000} s: other processes may take over the leased work`,
      )
    })

    yield* Effect.acquireRelease(query(REGISTER, [holder]), () =>
      Effect.ignore(query(FREE, [[holder], holder])),
    )
    yield* beat
    yield* Queue.take(reconnected).pipe(
      Effect.timeoutOption(BEAT_EVERY),
      Effect.zipRight(Effect.catchAll(beat, () => missed)),
      Effect.forever,
      Effect.forkScoped,
    )
  })
