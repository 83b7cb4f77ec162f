/** What an effect logs, for tests of log lines. */
import { Effect, Logger } from "effect"

export interface LoggedLine {
  readonly level: string
  /** the message, and the fields that go with it */
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
