/**
 * How a send is answered once the relay has been asked, whatever the store does meanwhile (docs/decisions/0042). The
 * relay's answer is known to this process alone, so it keeps trying to write it down while the store is away.
 */
import {
  type NotFound,
  type RelayFailure,
  RelayUncertain,
  SECOND,
  SEND_END_AWAITED_FOR,
  SEND_END_TRIED_FOR,
} from "@mailroom/domain"
import { Cause, Clock, Context, Effect, Fiber, Layer, Option } from "effect"
import { afterRequest } from "../idempotency/progress.js"
import { isTemporary } from "../ports/StorageFailure.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import type { RecordedSend } from "./SendBookkeeping.js"
import { type Relayed, SendOutcomes } from "./SendOutcomes.js"

/**
 * Pauses between tries, in milliseconds: doubled from the first to the longest. A send that an outage left open ends so
 * long after the outage, at most.
 */
const FIRST_PAUSE = SECOND / 2
const LONGEST_PAUSE = 2 * SECOND

export class SendEnding extends Context.Tag("@mailroom/SendEnding")<
  SendEnding,
  {
    /**
     * The relay took the mail: the message, SENT. While the store is away this goes on in the background for
     * `SEND_END_TRIED_FOR`; the client waits for `SEND_END_AWAITED_FOR` and then hears `RelayUncertain`: "try again" would
     * send the mail twice.
     */
    readonly sent: (
      send: RecordedSend,
      relayed: Relayed,
    ) => Effect.Effect<MessageRecord, NotFound | RelayUncertain>
    /**
     * The relay did not take the mail, or nobody knows: fails with that. What the send took is given back, in the
     * background while the store is away; an uncertain send becomes UNKNOWN.
     */
    readonly failed: (send: RecordedSend, failure: RelayFailure) => Effect.Effect<never, RelayFailure>
  }
>() {
  static readonly layer = Layer.scoped(
    SendEnding,
    Effect.gen(function* () {
      const outcomes = yield* SendOutcomes
      const scope = yield* Effect.scope

      /** Waits `pause` milliseconds and runs `end`, again and again while the store is away. */
      const persistently = <A, E>(end: Effect.Effect<A, E>, pause: number): Effect.Effect<A, E> =>
        Effect.zipRight(
          Effect.sleep(pause),
          Effect.catchAllCause(end, (cause) =>
            isTemporary(cause)
              ? persistently(end, Math.min(2 * pause, LONGEST_PAUSE))
              : Effect.failCause(cause),
          ),
        )

      /** Beside the request and after it. */
      const inBackground = <A, E>(end: Effect.Effect<A, E>) =>
        persistently(end, FIRST_PAUSE).pipe(
          Effect.timeoutOption(SEND_END_TRIED_FOR),
          Effect.interruptible,
          afterRequest,
          Effect.forkIn(scope),
        )

      return {
        sent: Effect.fnUntraced(function* (send, relayed) {
          const sentAt = yield* Clock.currentTimeMillis
          // The key of the request has named the message since that was recorded: this transaction has nothing to add.
          const end = afterRequest(outcomes.markSent(send, relayed, sentAt))
          const uncertain = new RelayUncertain({
            reason: "the relay took it, and that could not be written down",
            messageId: send.message.content.id,
          })
          return yield* Effect.catchAllCause(end, (cause) => {
            if (Cause.isFailure(cause)) return Effect.failCause(cause)
            if (!isTemporary(cause))
              return Effect.zipRight(
                Effect.logError("A mail was sent, and that could not be written down", cause),
                uncertain,
              )
            return Effect.gen(function* () {
              const ending = yield* inBackground(end)
              const ended = yield* Effect.timeoutOption(
                Effect.interruptible(Fiber.join(ending)),
                SEND_END_AWAITED_FOR,
              )
              return yield* Effect.mapError(Option.flatten(ended), () => uncertain)
            })
          })
        }),

        failed: Effect.fnUntraced(function* (send, failure) {
          if (failure._tag === "RelayUncertain") {
            yield* Effect.catchAllCause(outcomes.markUnknown([send.message]), (cause) =>
              Effect.logWarning("An uncertain send will be marked UNKNOWN later", cause),
            )
            return yield* new RelayUncertain({
              reason: failure.reason,
              messageId: send.message.content.id,
            })
          }
          const rollback = outcomes.rollback(send)
          yield* Effect.catchAllCause(rollback, (cause) =>
            isTemporary(cause) ? inBackground(rollback) : Effect.failCause(cause),
          )
          return yield* failure
        }),
      }
    }),
  )
}
