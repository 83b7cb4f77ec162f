/** `inbox --watch`: messages as they arrive. */
import type { Mailbox, Message, MessagesWaitQuery, WaitAnswer } from "@mailroom/client"
import { type Duration, Effect, Option, Schedule, Stream } from "effect"
import type { CliError } from "./CliError.js"
import { exitCodes } from "./exitCodes.js"
import { Api } from "./session/Api.js"
import { Output } from "./terminal/Output.js"

/** Seconds that one wait takes at most. */
const LONGEST_WAIT = 55

const FIRST_DELAY: Duration.DurationInput = "1 second"
const LONGEST_DELAY: Duration.DurationInput = "30 seconds"

/** Tries again for as long as the service cannot be reached. */
const outlasting = <A>(call: Effect.Effect<A, CliError, Api>) =>
  Effect.flatMap(Output, (output) =>
    call.pipe(
      Effect.tapError(({ message, exitCode }) =>
        exitCode === exitCodes.unreachable ? output.note(`${message} Trying again.`) : Effect.void,
      ),
      Effect.retry({
        while: ({ exitCode }) => exitCode === exitCodes.unreachable,
        schedule: Schedule.exponential(FIRST_DELAY).pipe(Schedule.union(Schedule.spaced(LONGEST_DELAY))),
      }),
    ),
  )

/** A wait in the chosen mailbox, or in all. */
export const waitFor = (
  mailbox: Option.Option<Mailbox>,
  query: MessagesWaitQuery,
): Effect.Effect<WaitAnswer, CliError, Api> =>
  Api.request((mailroom, options) =>
    Option.match(mailbox, {
      onNone: () => mailroom.messages.waitAny(query, options),
      onSome: ({ id }) => mailroom.messages.wait(id, query, options),
    }),
  )

/** Where "now" is, for `arrivals`. */
export const positionNow = (mailbox: Option.Option<Mailbox>): Effect.Effect<string, CliError, Api> =>
  Effect.map(waitFor(mailbox, { timeout: 0 }), ({ after }) => after)

/** The messages that arrive after a position, each once, without an end. */
export const arrivals = (
  mailbox: Option.Option<Mailbox>,
  query: MessagesWaitQuery,
  position: string,
): Stream.Stream<Message, CliError, Api | Output> =>
  Stream.paginateEffect(position, (after) =>
    Effect.map(outlasting(waitFor(mailbox, { ...query, after, timeout: LONGEST_WAIT })), (answer) => [
      Option.fromNullable(answer.message),
      Option.some(answer.after),
    ]),
  ).pipe(Stream.filterMap((message) => message))
