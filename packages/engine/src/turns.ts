/** Turns at something shared: so many works run at a time, and the others wait in the order of their coming. */
import type { Instant } from "@mailroom/domain"
import { Cause, Clock, Deferred, Effect, Exit, FiberId } from "effect"

/** Runs work when it is its turn. */
export type InTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Whether the store did its part: a refusal is an answer too, and only a defect is none. */
const isAnswered = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isSuccess(exit) || Cause.isFailure(exit.cause)

/**
 * Runs `atOnce` works at a time. Work that has waited for `patience` milliseconds runs beside those if none ended well for so
 * long: then the store holds them up, and it waits for the store by itself. While works end, the line is only long, and
 * running all of it at once would take every connection to the store. The wait can be interrupted even where the work cannot.
 */
export const makeTurns = (atOnce: number, patience: number): InTurn => {
  let free = atOnce
  let answeredAt: Instant = 0
  const line = new Set<Deferred.Deferred<void>>()

  const leave = Effect.sync(() => {
    const [next] = line
    if (next === undefined) {
      free += 1
      return
    }
    line.delete(next)
    Deferred.unsafeDone(next, Effect.void)
  })

  /** True when the turn came; false when the work is to run without one. */
  const awaitTurn = (turn: Deferred.Deferred<void>, wait: number): Effect.Effect<boolean> =>
    Effect.timeoutOption(Effect.interruptible(Deferred.await(turn)), wait).pipe(
      Effect.zipRight(Clock.currentTimeMillis),
      Effect.flatMap((now) => {
        const left = answeredAt + patience - now
        return left > 0 && line.has(turn) ? awaitTurn(turn, left) : Effect.succeed(!line.delete(turn))
      }),
    )

  const enter = Effect.suspend(() => {
    if (free > 0) {
      free -= 1
      return Effect.succeed(true)
    }
    const turn = Deferred.unsafeMake<void>(FiberId.none)
    line.add(turn)
    return Effect.onInterrupt(awaitTurn(turn, patience), () => (line.delete(turn) ? Effect.void : leave))
  })

  const noteAnswer = (exit: Exit.Exit<unknown, unknown>) =>
    isAnswered(exit)
      ? Effect.map(Clock.currentTimeMillis, (now) => {
          answeredAt = now
        })
      : Effect.void

  return (work) =>
    Effect.acquireUseRelease(
      enter,
      () => Effect.onExit(work, noteAnswer),
      (hasTurn) => Effect.when(leave, () => hasTurn),
    )
}
