/** Waiting for a message. */
import { Api, CurrentPrincipal, type WaitQuery } from "@mailroom/api"
import { cursorsOf, instantOf, InvalidInput, type MailboxId } from "@mailroom/domain"
import { type WaitRequest, Waits, viewMessage } from "@mailroom/engine"
import { Effect, Either, Schema } from "effect"
import { Draining } from "../Draining.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { json } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"
import { waitFilter } from "../waitFilters.js"

/** `after`: the number of an event of the account. */
const positions = cursorsOf(Schema.Struct({ seq: Schema.NonNegativeInt }), "after")

/** Where a wait begins. */
const startOf = ({
  after,
  since,
}: Pick<typeof WaitQuery.Type, "after" | "since">): Either.Either<WaitRequest["from"], InvalidInput> => {
  if (after === undefined) return Either.right(since === undefined ? "now" : { since: instantOf(since) })
  if (since !== undefined)
    return Either.left(
      new InvalidInput({ issues: [{ path: "after", message: "cannot be combined with since" }] }),
    )
  return Either.map(positions.decode(after), (position) => ({ after: position?.seq ?? 0 }))
}

export const waitRoutes = group(Api, "waits", (handlers) =>
  Effect.gen(function* () {
    const waits = yield* Waits
    const draining = yield* Draining
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    const wait = (mailboxId: MailboxId | null, query: typeof WaitQuery.Type) =>
      Effect.gen(function* () {
        const from = yield* startOf(query)
        const principal = yield* CurrentPrincipal
        const { message, after } = yield* waits.wait(principal, {
          mailboxId,
          filter: waitFilter(query.direction, query),
          from,
          timeoutSeconds: query.timeout,
          stopped: draining.begun,
        })
        return yield* unreadAnswers.count(
          principal.account.id,
          json({
            message: message === null ? null : viewMessage(message),
            timedOut: message === null,
            after: positions.encode({ seq: after }),
          }),
        )
      }).pipe(answer)

    return handlers
      .handle("inMailbox", ({ path, urlParams }) => wait(path.id, urlParams))
      .handle("anywhere", ({ urlParams }) => wait(null, urlParams))
  }),
)
