/** A queue for a shared resource: some tasks run at a time, and the others wait in the order of their arrival. */
import type { Instant } from "@mailroom/domain"
import { Cause, Clock, Deferred, Effect, Exit, FiberId } from "effect"

/** Runs a task when its turn comes. */
export type InTurn = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Whether the store answered: a typed failure is an answer, a defect is not. */
const isAnswered = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isSuccess(exit) || Cause.isFailure(exit.cause)

/**
 * Runs `atOnce` tasks at a time. The others wait in a queue.
 *
 * A task runs without a turn when the store has answered no task for `patience` milliseconds: the store delays all of them,
 * and this one can wait there. While the store answers, a task keeps its place, however long the queue is: all tasks at once
 * would take every connection to the store.
 *
 * A waiting task can be interrupted, also in an uninterruptible region.
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

  /** True when the turn came; false when the task runs without one. */
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
