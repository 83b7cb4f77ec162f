/**
 * The log lines about single mails: one for each mail that is accepted, delivered, refused, relayed or reported on. They
 * name ids, addresses and the reason, and hold nothing of a mail's content.
 *
 * The fields are the second argument of the log call, not annotations: annotations copy the logger's context, which costs
 * ten times as much as the line.
 */
import { Effect } from "effect"

/** What a line says beside its message. Only ids, addresses, numbers and reasons. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | ReadonlyArray<string> | undefined>
>

/** A line at the level `info`. */
export const logLine = (message: string, fields: LogFields): Effect.Effect<void> =>
  Effect.logInfo(message, fields)

/** One line for each item. */
export const logLines = <A>(
  message: string,
  items: ReadonlyArray<A>,
  fieldsOf: (item: A) => LogFields,
): Effect.Effect<void> =>
  items.length === 0
    ? Effect.void
    : Effect.forEach(items, (item) => Effect.logInfo(message, fieldsOf(item)), { discard: true })

/** Why something was decided, at the level `debug`. `fieldsOf` runs only where such lines are written. */
export const explain = (message: string, fieldsOf: () => LogFields): Effect.Effect<void> =>
  Effect.whenLogLevel(
    Effect.suspend(() => Effect.logDebug(message, fieldsOf())),
    "Debug",
  ).pipe(Effect.asVoid)
