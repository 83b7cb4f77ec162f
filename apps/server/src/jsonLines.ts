/**
 * The log as JSON, one object a line. The lines of one turn of the event loop are written together, because a batch has a
 * line for each mail, and a write costs more than ten lines.
 */
import { Cause, Effect, HashMap, Inspectable, Layer, Logger, Predicate } from "effect"

/** Characters of waiting lines that are written at once. */
const WAITING_MAX = 64 * 1024

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype

/** The JSON of a line. `stringifyCircular` looks at each value for a cycle, which hardly a line has. */
const written = (line: Readonly<Record<string, unknown>>): string => {
  try {
    return JSON.stringify(line)
  } catch {
    return Inspectable.stringifyCircular(line)
  }
}

/**
 * One line. The objects among the arguments of the log call become annotations, beside those of the context; the other
 * arguments are the message.
 */
export const jsonLine = ({
  message,
  logLevel,
  date,
  annotations,
  cause,
}: Pick<
  Logger.Logger.Options<unknown>,
  "message" | "logLevel" | "date" | "annotations" | "cause"
>): string => {
  const texts: Array<string> = []
  const fields: Record<string, unknown> = {}
  for (const [name, value] of HashMap.entries(annotations)) fields[name] = value
  for (const part of Array.isArray(message) ? message : [message])
    if (isFields(part)) Object.assign(fields, part)
    else texts.push(Inspectable.toStringUnknown(part))
  return written({
    timestamp: date.toISOString(),
    logLevel: logLevel.label,
    message: texts.join(" "),
    annotations: fields,
    ...(!Cause.isEmpty(cause) && { cause: Cause.pretty(cause, { renderErrorCause: true }) }),
  })
}

/** Writes lines to the standard output, at the end of this turn of the event loop and when the process ends. */
const makeWriter = (): ((line: string) => void) => {
  let waiting = ""
  const flush = (): void => {
    const lines = waiting
    waiting = ""
    if (lines !== "") process.stdout.write(lines)
  }
  // The service goes on when nobody reads the log any more.
  process.stdout.on("error", () => {})
  process.on("exit", flush)
  return (line) => {
    if (waiting === "") setImmediate(flush)
    waiting += `${line}\n`
    if (waiting.length >= WAITING_MAX) flush()
  }
}

const makeLogger = (): Logger.Logger<unknown, void> => {
  const write = makeWriter()
  return Logger.make((options) => write(jsonLine(options)))
}

export const jsonLines: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.sync(() => Logger.replace(Logger.defaultLogger, makeLogger())),
)
