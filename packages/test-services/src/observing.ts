/** Observing what code does: waiting for a condition, reading log lines, turns of the event loop. */
import { Cause, Duration, Effect, Logger } from "effect"

/** Time between two checks. */
const INTERVAL = Duration.millis(20)

/**
 * Runs `look` every 20 ms of real time until its result `fits`. Dies with the last result when `within` is over. Only for
 * live tests, which wait for another process, a timer or a socket.
 */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  fits: (seen: A) => boolean,
  within: Duration.DurationInput = "20 seconds",
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: A | undefined
    const again: Effect.Effect<A, E, R> = Effect.flatMap(look, (seen) => {
      last = seen
      return fits(seen) ? Effect.succeed(seen) : Effect.zipRight(Effect.sleep(INTERVAL), again)
    })
    return Effect.timeoutFailCause(again, {
      duration: within,
      onTimeout: () =>
        Cause.die(new Error(`${what}: not in time; last seen: ${JSON.stringify(last)?.slice(0, 500)}`)),
    })
  })

export interface LoggedLine {
  readonly level: string
  /** the message and its fields */
  readonly said: ReadonlyArray<unknown>
}

/** Runs the effect and returns the lines it logged, oldest first. */
export const logLinesOf = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<ReadonlyArray<LoggedLine>, E, R> =>
  Effect.suspend(() => {
    const lines: Array<LoggedLine> = []
    const logger = Logger.make<unknown, void>(({ message, logLevel }) => {
      lines.push({ level: logLevel.label, said: Array.isArray(message) ? message : [message] })
    })
    return Effect.as(Effect.provide(effect, Logger.add(logger)), lines)
  })

/** Lets the event loop turn so often: what was started in the process goes on, and bytes arrive at its sockets. */
export const eventLoopTurns = (turns = 25): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** Calls `onTurn` in every turn of the event loop until the scope closes. */
export const eachTurn = (onTurn: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const handle = { next: setImmediate(() => again()) }
      const again = () => {
        onTurn()
        handle.next = setImmediate(again)
      }
      return handle
    }),
    (handle) => Effect.sync(() => clearImmediate(handle.next)),
  )

/** How often the event loop turned while the effect ran. */
export const turnsDuring = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      let turns = 0
      yield* eachTurn(() => (turns += 1))
      yield* effect
      return turns
    }),
  )
