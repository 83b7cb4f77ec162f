/** Waiting for a message (docs/specification/sharing.md). A position is the number of an event, so no message is skipped. */
import {
  type AccountId,
  type Instant,
  InvalidInput,
  type MailboxId,
  type NotFound,
  type Overloaded,
  type Principal,
  SECOND,
  type TooManyWaits,
  type WaitFilter,
} from "@mailroom/domain"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { CredentialWatch } from "../auth/CredentialWatch.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { type Arrival, ArrivalStore } from "../ports/stores/ArrivalStore.js"
import { EventStore } from "../ports/stores/EventStore.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import { LOOK_MAX_EVENTS, type Progress, type Wanted } from "./AccountArrivals.js"
import { Arrivals } from "./Arrivals.js"
import { LaterPages } from "./LaterPages.js"
import { WaitLimit } from "./WaitLimit.js"

/** Events that a wait reads first, because one of the next events often ends it; then four times as many, and so on. */
const FIRST_LOOK_EVENTS = 8
/** Seconds that a wait may read the log, and a claim the mailbox, even if its timeout is shorter. */
export const READ_AT_LEAST_FOR = 5

export interface WaitRequest {
  /** null: all mailboxes in the scope of the caller */
  readonly mailboxId: MailboxId | null
  readonly filter: WaitFilter
  /** where the wait begins: at messages from now on, created at a time or later, or after an earlier wait's `after` */
  readonly from: { readonly since: Instant } | { readonly after: number } | "now"
  /** 0 to `WAIT_MAX` */
  readonly timeoutSeconds: number
  /** ends the wait early, as if its time were over */
  readonly stopped: Effect.Effect<void>
}

export interface WaitResult {
  /** null when the time was over first */
  readonly message: MessageRecord | null
  /** where the next wait begins */
  readonly after: number
}

export class Waits extends Context.Tag("@mailroom/Waits")<
  Waits,
  {
    /**
     * The oldest message that matches, in the order in which messages became visible; also one that was there before. Ends
     * without a message when the time is over or the credential of the caller is no longer valid. `InvalidInput` for a
     * position that this account has not reached. `Overloaded` when too many requests of the account read the log.
     */
    readonly wait: (
      principal: Principal,
      request: WaitRequest,
    ) => Effect.Effect<WaitResult, NotFound | InvalidInput | Overloaded | TooManyWaits>
  }
>() {
  static readonly layer = Layer.scoped(
    Waits,
    Effect.gen(function* () {
      const store = yield* ArrivalStore
      const events = yield* EventStore
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const credentials = yield* CredentialWatch
      const laterPages = yield* LaterPages
      const limit = yield* WaitLimit
      const { lookAt, ofAccount } = yield* Arrivals

      const startOf = (accountId: AccountId, from: WaitRequest["from"]) => {
        if (from === "now") return events.lastSeq(accountId)
        return "since" in from ? store.before(accountId, from.since) : Effect.succeed(from.after)
      }

      /** The message of an arrival. None when it, or its mailbox, was removed since it was read. */
      const messageOf = (principal: Principal, { message: { id, mailboxId } }: Arrival) =>
        Effect.option(messages.get(principal, mailboxId, id))

      /** The next message in the log that is wanted; none when there is none yet. */
      const next = (
        principal: Principal,
        wanted: Wanted,
        progress: Progress,
        size = FIRST_LOOK_EVENTS,
      ): Effect.Effect<Option.Option<WaitResult>, Overloaded> =>
        Effect.gen(function* () {
          const accountId = principal.account.id
          const looking = lookAt(accountId, progress.position, [wanted.filter], size)
          const look = yield* size === FIRST_LOOK_EVENTS ? looking : laterPages.read(accountId, looking)
          const arrival = look.firstWanted(wanted, progress.position)
          const message = arrival === undefined ? Option.none() : yield* messageOf(principal, arrival)
          // Afterwards: a wait that ends meanwhile must not say that it has read the message.
          progress.position = arrival === undefined ? look.through : arrival.seq
          if (Option.isSome(message)) return Option.some({ message: message.value, after: progress.position })
          return arrival !== undefined || look.hasMore
            ? yield* next(principal, wanted, progress, Math.min(4 * size, LOOK_MAX_EVENTS))
            : Option.none()
        })

      /** Waits until there is a message. */
      const untilFound = Effect.fnUntraced(function* (
        principal: Principal,
        wanted: Wanted,
        progress: Progress,
      ) {
        yield* limit.enter(principal.account.id)
        const arrivals = yield* ofAccount(principal.account.id)
        for (;;) {
          const { signals } = arrivals
          const found = yield* next(principal, wanted, progress)
          if (Option.isSome(found)) return found.value
          const arrival = yield* arrivals.await(wanted, progress, signals)
          const message = yield* messageOf(principal, arrival)
          if (Option.isSome(message)) return { message: message.value, after: arrival.seq }
          progress.position = arrival.seq
        }
      })

      return Waits.of({
        wait: Effect.fn("Waits.wait")(function* (principal, { mailboxId, filter, from, ...request }) {
          if (mailboxId !== null) yield* mailboxes.require(principal, mailboxId)
          const { account, scope } = principal
          const wanted: Wanted = {
            mailboxes: mailboxId !== null ? new Set([mailboxId]) : scope === null ? null : new Set(scope),
            filter: typeof from === "object" && "since" in from ? { ...filter, since: from.since } : filter,
          }
          const start = yield* startOf(account.id, from)
          const progress: Progress = { position: start }
          const none = (): WaitResult => ({ message: null, after: progress.position })
          const [spent, there] = yield* Effect.timeoutTo(next(principal, wanted, progress), {
            duration: Math.max(request.timeoutSeconds, READ_AT_LEAST_FOR) * SECOND,
            onSuccess: (found) => found,
            onTimeout: () => Option.some(none()),
          }).pipe(Effect.timed)
          if (Option.isSome(there)) return there.value
          if (progress.position === start && start > (yield* events.lastSeq(account.id)))
            return yield* new InvalidInput({
              issues: [{ path: "after", message: "is not what a wait of this account returned" }],
            })
          if (request.timeoutSeconds === 0) return none()
          const ended = Effect.raceFirst(request.stopped, credentials.lapse(principal))
          const waited = yield* untilFound(principal, wanted, progress).pipe(
            Effect.raceFirst(Effect.map(ended, none)),
            Effect.scoped,
            Effect.timeoutOption(Duration.subtract(Duration.seconds(request.timeoutSeconds), spent)),
          )
          return Option.getOrElse(waited, none)
        }),
      })
    }),
  )
}
