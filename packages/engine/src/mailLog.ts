/**
 * Log lines about single mails: one for each mail that is accepted, delivered, refused, relayed or reported on. They hold
 * ids, addresses and the reason, and nothing of a mail's content.
 *
 * Fields are the second argument of the log call, not annotations: annotations copy the context of the logger, which costs
 * ten times as much as the line.
 */
import { Effect } from "effect"

/** The fields of a line beside its message: ids, addresses, numbers and reasons only. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | ReadonlyArray<string> | undefined>
>

/** Logs one line at the level `info`. */
export const logLine = (message: string, fields: LogFields): Effect.Effect<void> =>
  Effect.logInfo(message, fields)

/** Logs one line for each item, at the level `info`. */
export const logLines = <A>(
  message: string,
  items: ReadonlyArray<A>,
  fieldsOf: (item: A) => LogFields,
): Effect.Effect<void> =>
  items.length === 0
    ? Effect.void
    : Effect.forEach(items, (item) => Effect.logInfo(message, fieldsOf(item)), { discard: true })

/** Logs the reason for a decision at the level `debug`. `fieldsOf` runs only if that level is logged. */
export const explain = (message: string, fieldsOf: () => LogFields): Effect.Effect<void> =>
  explainEach(message, [fieldsOf], (fields) => fields())

/** As `explain`, with one line for each item. Checks the log level once. */
export const explainEach = <A>(
  message: string,
  items: ReadonlyArray<A>,
  fieldsOf: (item: A) => LogFields,
): Effect.Effect<void> =>
  Effect.whenLogLevel(
    Effect.forEach(items, (item) => Effect.logDebug(message, fieldsOf(item)), { discard: true }),
    "Debug",
  ).pipe(Effect.asVoid)
