/**
 * Completes a send after its relay transaction, also while storage is unavailable (docs/decisions/0042). Only this process
 * knows the relay's reply, so it retries to store it.
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
import { withoutMarkers } from "../idempotency/marker.js"
import { isTemporary } from "../ports/StorageFailure.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import type { MessageRecord } from "../ports/stores/MessageStore.js"
import { type InsideMail, type Relayed, SendOutcomes } from "./SendOutcomes.js"
import type { RecordedSend } from "./SendRecorder.js"

/** Milliseconds until the second attempt. The caller waits for that one, too. */
const FIRST_PAUSE = SECOND / 2

export class SendCompletion extends Context.Tag("@mailroom/SendCompletion")<
  SendCompletion,
  {
    /**
     * The relay accepted the mail: marks the message SENT and returns it. While storage is unavailable, retries in the
     * background for `SEND_END_TRIED_FOR`. The caller waits `SEND_END_AWAITED_FOR` and then gets `RelayUncertain`, because
     * an error that invites a retry would send the mail twice.
     */
    readonly sent: (
      send: RecordedSend,
      relayed: Relayed,
    ) => Effect.Effect<MessageRecord, NotFound | RelayUncertain>
    /**
     * The relay refused the mail, or its reply was lost: fails with `failure`. A refused send is rolled back. An uncertain one
     * becomes UNKNOWN, and is delivered to the recipients inside. Both happen in the background while storage is unavailable.
     */
    readonly failed: (
      send: RecordedSend,
      failure: RelayFailure,
      inside: ReadonlyArray<InsideMail>,
    ) => Effect.Effect<never, RelayFailure>
  }
>() {
  static readonly layer = Layer.scoped(
    SendCompletion,
    Effect.gen(function* () {
      const outcomes = yield* SendOutcomes
      const scope = yield* Effect.scope

      /** Retries in a fiber that outlives the request. */
      const inBackground = <A, E>(end: Effect.Effect<A, E>) =>
        Effect.zipRight(Effect.sleep(FIRST_PAUSE), retryWhileUnavailable(end)).pipe(
          Effect.timeoutOption(SEND_END_TRIED_FOR),
          Effect.interruptible,
          Effect.forkIn(scope),
        )

      return {
        sent: Effect.fnUntraced(function* (send, relayed) {
          const sentAt = yield* Clock.currentTimeMillis
          // The idempotency marker names the message since it was recorded; this transaction leaves it as it is.
          const end = withoutMarkers(outcomes.markSent(send, relayed, sentAt))
          const uncertain = new RelayUncertain({
            reason: "the relay accepted it, but that could not be stored",
            messageId: send.message.content.id,
          })
          return yield* Effect.catchAllCause(end, (cause) => {
            if (Cause.isFailure(cause)) return Effect.failCause(cause)
            if (!isTemporary(cause))
              return Effect.zipRight(
                Effect.logError("A mail was sent, but marking it SENT failed", cause),
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

        failed: Effect.fnUntraced(function* (send, failure, inside) {
          if (failure._tag === "RelayUncertain") {
            // As in `sent`. A marker would also fail in the background, once the request has given its key back.
            const unknown = withoutMarkers(outcomes.markUnknown(send, inside, yield* Clock.currentTimeMillis))
            yield* Effect.catchAllCause(unknown, (cause) =>
              isTemporary(cause)
                ? inBackground(unknown)
                : Effect.logWarning("Marking an uncertain send UNKNOWN failed; a job does it later", cause),
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
