/**
 * Which processes live. Each says so every two seconds; what one held that has said nothing for six, the first to
 * notice sets free. Time is the database's, so that the clocks of the processes need not agree.
 */
import { Effect, Schedule, type Scope } from "effect"
import { LEASED } from "../migrations/leases.js"
import type { Lifeline } from "./lifeline.js"

const BEAT_EVERY = 2_000
const ALIVE_FOR = 6_000

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

const BEAT = `
  WITH beat AS (
    INSERT INTO processes (id, alive_until) VALUES ($1, ${NOW} + ${ALIVE_FOR})
    ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until)
  SELECT id FROM processes WHERE alive_until < ${NOW} AND id <> $1`

/** All in one statement: either a process is gone with everything it held, or it is found again at the next beat. */
const FREE = `
  WITH gone AS (
    DELETE FROM processes WHERE id IN (SELECT id FROM processes WHERE id = ANY($1) FOR UPDATE SKIP LOCKED)
      AND (id = $2 OR alive_until < ${NOW})
    RETURNING id),
  places AS (DELETE FROM stream_places WHERE locked_by IN (SELECT id FROM gone)),
  ${LEASED.map(
    (table) => `${table}_freed AS (
      UPDATE ${table} SET locked_until = 0 WHERE locked_until > 0 AND locked_by IN (SELECT id FROM gone))`,
  ).join(",\n")}
  SELECT id FROM gone`

/** Lives as `holder` until the scope closes. `onFreed` runs when what others held is to be had. */
export const keepPresence = (
  { query }: Lifeline,
  holder: string,
  onFreed: Effect.Effect<void>,
): Effect.Effect<void, Error, Scope.Scope> => {
  const beat = Effect.gen(function* () {
    const silent = (yield* query(BEAT, [holder])).map(({ id }) => id)
    if (silent.length === 0) return
    const gone = yield* query(FREE, [silent, holder])
    if (gone.length > 0) yield* onFreed
  })
  return Effect.gen(function* () {
    yield* Effect.acquireRelease(beat, () => Effect.ignore(query(FREE, [[holder], holder])))
    yield* Effect.ignore(beat).pipe(Effect.schedule(Schedule.spaced(BEAT_EVERY)), Effect.forkScoped)
  })
}
