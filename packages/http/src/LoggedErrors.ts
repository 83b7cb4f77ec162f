/** The newest warnings and errors of the log, which the process keeps in memory for its operator. */
import { type LoggedError, LOGGED_ERRORS_MAX, timestamp } from "@mailroom/domain"
import { Cause, Context, Effect, HashMap, Inspectable, Layer, Logger, LogLevel, Predicate } from "effect"

/** Characters of a message, and of its detail, that are kept. */
const TEXT_MAX = 4_000

const levelOf = (level: LogLevel.LogLevel): LoggedError["level"] | null => {
  if (LogLevel.greaterThanEqual(level, LogLevel.Fatal)) return "FATAL"
  if (LogLevel.greaterThanEqual(level, LogLevel.Error)) return "ERROR"
  return LogLevel.greaterThanEqual(level, LogLevel.Warning) ? "WARN" : null
}

const textOf = (value: unknown): string =>
  Predicate.isString(value) ? value : Inspectable.toStringUnknown(value, 0)

const shortened = (text: string): string => (text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)

/** A line of the log as the operator sees it; null for one that is neither a warning nor an error. */
const loggedError = ({
  logLevel,
  message,
  annotations,
  cause,
  date,
}: Logger.Logger.Options<unknown>): LoggedError | null => {
  const level = levelOf(logLevel)
  if (level === null) return null
  const fields = [...HashMap.entries(annotations)].map(([name, value]) => `${name}: ${textOf(value)}`)
  const reasons = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause, { renderErrorCause: true })]
  return {
    at: timestamp(date.getTime()),
    level,
    message: shortened((Array.isArray(message) ? message : [message]).map(textOf).join(" ")),
    detail: shortened([...fields, ...reasons].join("\n")),
  }
}

/** Empty by default: then nobody collects them, such as in a program that embeds the engine. */
export class LoggedErrors extends Context.Reference<LoggedErrors>()("@mailroom/LoggedErrors", {
  defaultValue: (): { readonly newest: Effect.Effect<ReadonlyArray<LoggedError>> } => ({
    newest: Effect.succeed([]),
  }),
}) {
  /** Collects what is logged by everything that this layer is provided to. */
  static readonly layer: Layer.Layer<LoggedErrors> = Layer.suspend(() => {
    const kept: Array<LoggedError> = []
    const logger = Logger.make((options) => {
      const line = loggedError(options)
      if (line === null) return
      kept.push(line)
      if (kept.length > LOGGED_ERRORS_MAX) kept.shift()
    })
    return Layer.merge(
      Layer.succeed(LoggedErrors, { newest: Effect.sync(() => kept.toReversed()) }),
      Logger.add(logger),
    )
  })
}
