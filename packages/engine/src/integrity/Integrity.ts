/**
 * Compares stored counts with the rows they count, every night and on request. Reports and corrects each wrong count
 * (docs/decisions/0044).
 */
import { CHECK_AFTER_MIDNIGHT, CHECK_JITTER, nextTimeOfDay, SECOND } from "@mailroom/domain"
import { Array, type Cause, Clock, Context, Effect, Layer, Option, Random, Stream } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Metrics } from "../metrics.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { type Compared, IntegrityCheck, IntegrityStore } from "../ports/stores/IntegrityStore.js"
import { storageFailureIn } from "../ports/StorageFailure.js"
import type { JobSpec } from "../ports/stores/JobStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** Values that one statement compares. */
const STEP = 100
/** Steps of the nightly job before it pauses, so that it takes a small part of the time of the database. */
const STEPS_A_TURN = 10
const PAUSE = 1 * SECOND

/** A count that was wrong. */
export interface Drift extends Compared {
  readonly check: IntegrityCheck
}

/** The result of one statement that compared up to 100 values. */
export interface ComparedStep {
  readonly check: IntegrityCheck
  /** how many values were compared */
  readonly compared: number
  /** the counts that were wrong; the rows have been written since */
  readonly drifts: ReadonlyArray<Drift>
  /** whether no values of this check are left */
  readonly isLast: boolean
}

/** The position of a run: the check, and the last id that was compared; "" before the first. */
type Position = Pick<Extract<JobSpec, { kind: "check-integrity" }>, "check" | "after">

const start: Position = { check: IntegrityCheck.literals[0], after: "" }

/** The position after a step that compared these values, of `limit` at most; none at the end of the run. */
const positionAfter = (
  { check }: Position,
  compared: ReadonlyArray<Compared>,
  limit: number,
): Option.Option<Position> => {
  const last = compared.at(-1)
  if (last !== undefined && compared.length === limit) return Option.some({ check, after: last.id })
  const next = IntegrityCheck.literals[IntegrityCheck.literals.indexOf(check) + 1]
  return next === undefined ? Option.none() : Option.some({ check: next, after: "" })
}

export class Integrity extends Context.Tag("@mailroom/Integrity")<
  Integrity,
  {
    /**
     * Compares all counts now and corrects each wrong one. Emits one element for each statement, in the order of
     * `IntegrityCheck`, and at least one for each check. Holds 100 values in memory.
     */
    readonly check: Stream.Stream<ComparedStep>
    /** Runs 10 steps of the nightly job from a position, and adds a job that continues a second later. */
    readonly turn: (position: Position) => Effect.Effect<void>
    /** Adds the job of the next nightly check, unless another process added it. */
    readonly schedule: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Integrity,
    Effect.gen(function* () {
      const store = yield* IntegrityStore
      const accounts = yield* AccountStore
      const jobs = yield* JobQueue
      const { commit } = yield* UnitOfWork

      /** Compares again with the account locked: without the lock, a concurrent change looks like a wrong count. */
      const correct = (check: IntegrityCheck, { accountId, id }: Compared) =>
        commit(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock([accountId])
            if (account === undefined) return Option.none<Drift>()
            const { blobKeys, found } = yield* store.mend(check, id)
            if (blobKeys.length > 0)
              yield* jobs.add({ kind: "remove-blobs", keys: blobKeys }, yield* Clock.currentTimeMillis)
            return found === null ? Option.none<Drift>() : Option.some<Drift>({ check, ...found })
          }),
        )

      const report = (drift: Drift) =>
        Effect.zipRight(
          Metrics.driftFound,
          Effect.logWarning("Corrected a count that did not equal its rows").pipe(
            Effect.annotateLogs({ ...drift }),
          ),
        )

      /** How many values of a check one statement compares, where `STEP` took the database too long. */
      const limits = new Map<IntegrityCheck, number>()

      /** Compares the next values, fewer at a time when they take too long. One that does alone ends its check. */
      const compareNext = (
        position: Position,
      ): Effect.Effect<readonly [compared: ReadonlyArray<Compared>, limit: number]> =>
        Effect.suspend(() => {
          const { check, after } = position
          const limit = limits.get(check) ?? STEP
          const withFewer = (cause: Cause.Cause<never>) => {
            if (limit > 1) {
              limits.set(check, Math.ceil(limit / 4))
              return compareNext(position)
            }
            return Effect.logWarning(
              "A count takes too long: it and those after it are not compared",
              cause,
            ).pipe(Effect.annotateLogs({ check, after }), Effect.as([[], limit] as const))
          }
          return Effect.map(
            store.compare(check, after, limit),
            (compared) => [compared, limit] as const,
          ).pipe(
            Effect.catchSomeCause((cause) =>
              Option.exists(storageFailureIn(cause), ({ reason }) => reason === "exceeded")
                ? Option.some(withFewer(cause))
                : Option.none(),
            ),
          )
        })

      const step = Effect.fnUntraced(function* (position: Position) {
        const [compared, limit] = yield* compareNext(position)
        const differing = compared.filter(({ stored, counted }) => stored !== counted)
        const drifts = Array.getSomes(yield* Effect.forEach(differing, (one) => correct(position.check, one)))
        yield* Effect.forEach(drifts, report, { discard: true })
        const next = positionAfter(position, compared, limit)
        const isLast = !Option.exists(next, ({ check }) => check === position.check)
        const done: ComparedStep = { check: position.check, compared: compared.length, drifts, isLast }
        return [done, next] as const
      })

      const check = Stream.paginateEffect(start, step)

      const turn = Effect.fnUntraced(function* (from: Position) {
        let position = Option.some(from)
        for (let steps = 0; steps < STEPS_A_TURN && Option.isSome(position); steps++)
          position = (yield* step(position.value))[1]
        if (Option.isNone(position)) return
        const dueAt = (yield* Clock.currentTimeMillis) + PAUSE
        yield* commit(jobs.add({ kind: "check-integrity", ...position.value }, dueAt))
      })

      const schedule = Effect.gen(function* () {
        const night = nextTimeOfDay(yield* Clock.currentTimeMillis, CHECK_AFTER_MIDNIGHT)
        const dueAt = night + Math.floor((yield* Random.next) * CHECK_JITTER)
        yield* jobs.addOnce({
          id: `check-integrity-${night}`,
          spec: { kind: "check-integrity", ...start },
          dueAt,
        })
      })

      return { check, turn, schedule }
    }),
  )
}
