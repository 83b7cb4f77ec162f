/** Options that choose messages, for `inbox` and `wait`. */
import * as Options from "@effect/cli/Options"
import { Clock, Effect, Option } from "effect"
import { usageError } from "./CliError.js"
import { pastInstant } from "./format.js"
import { flag, optionalText, texts } from "./options.js"

export const filterOptions = {
  from: optionalText("from", "only of this sender; @example.org for all addresses of a domain"),
  to: optionalText("to", "only to this address; @example.org for all addresses of a domain"),
  subject: optionalText("subject", "only with this text in the subject"),
  thread: optionalText("thread", "only of this thread"),
  label: texts("label", "only with this label; can be repeated"),
  since: optionalText("since", "only since this time: ISO 8601, or so long ago as 90s, 5m, 2h, 1d"),
  unread: flag("unread", "only messages that are not marked as read"),
  attachments: Options.choice("attachments", ["yes", "no"]).pipe(
    Options.withDescription("only with files, or only without"),
    Options.optional,
  ),
}

export interface FilterInput {
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly subject: Option.Option<string>
  readonly thread: Option.Option<string>
  readonly label: ReadonlyArray<string>
  readonly since: Option.Option<string>
  readonly unread: boolean
  readonly attachments: Option.Option<"yes" | "no">
}

/** The fields of a query that the options make. */
export const filterQuery = Effect.fnUntraced(function* (input: FilterInput) {
  const now = yield* Clock.currentTimeMillis
  const since = Option.map(input.since, (text) => pastInstant(text, now))
  if (Option.isSome(since) && Option.isNone(since.value))
    return yield* usageError(
      "--since is no time.",
      "Write it as 2030-01-31T12:00:00Z, or as so long ago: 90s, 5m, 2h, 1d.",
    )
  return {
    from: Option.getOrUndefined(input.from),
    to: Option.getOrUndefined(input.to),
    subject: Option.getOrUndefined(input.subject),
    threadId: Option.getOrUndefined(input.thread),
    labels: input.label.length === 0 ? undefined : input.label,
    since: Option.getOrUndefined(Option.map(Option.flatten(since), (instant) => new Date(instant))),
    unread: input.unread ? true : undefined,
    hasAttachment: Option.getOrUndefined(Option.map(input.attachments, (value) => value === "yes")),
  }
})
