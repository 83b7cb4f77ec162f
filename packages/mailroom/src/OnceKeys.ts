/** Sends that are asked for again under the same key, as `Idempotency-Key` over HTTP (docs/decisions/0021). */
import { IDEMPOTENCY_KEY, InvalidInput, type MailroomError } from "@mailroom/domain"
import { type Attempt, Idempotency, type SendResult, type StoredAnswer } from "@mailroom/engine"
import { Context, Effect, Either, Layer, Schema } from "effect"
import { EmbeddedAccount } from "./EmbeddedAccount.js"
import { SentMail, sentMailOf } from "./SentMail.js"

const SentMailText = Schema.parseJson(SentMail)
const encode = Schema.encodeSync(SentMailText)
const decode = Schema.decode(SentMailText)

const answerOf = (sent: SentMail): StoredAnswer => ({ status: 201, headers: {}, body: encode(sent) })
/** A refusal is not kept: the same call may succeed later. */
const notSent: Attempt = { answer: { status: 500, headers: {}, body: "" }, final: false }

export class OnceKeys extends Context.Tag("mailroom/OnceKeys")<
  OnceKeys,
  {
    /**
     * Sends once for each key, also after a crash; a repetition gets the result of the first, whatever it would send. Without a
     * key, sends each time. A relay that did not answer is no error but the result `uncertain`.
     */
    readonly once: (
      key: string | undefined,
      send: Effect.Effect<SendResult, MailroomError>,
    ) => Effect.Effect<SentMail, MailroomError>
  }
>() {
  static readonly layer: Layer.Layer<OnceKeys, never, Idempotency | EmbeddedAccount> = Layer.effect(
    OnceKeys,
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const { principal } = yield* EmbeddedAccount

      const outcome = (send: Effect.Effect<SendResult, MailroomError>) =>
        Effect.map(send, sentMailOf).pipe(
          Effect.catchTag("RelayUncertain", ({ messageId }) =>
            Effect.succeed<SentMail>({ kind: "uncertain", id: messageId ?? null }),
          ),
        )

      const onceFor = Effect.fnUntraced(function* (
        key: string,
        send: Effect.Effect<SendResult, MailroomError>,
      ) {
        if (!IDEMPOTENCY_KEY.test(key))
          return yield* new InvalidInput({
            issues: [{ path: "idempotencyKey", message: "must be 1 to 256 of A-Z a-z 0-9 - . _ ~" }],
          })
        let refusal: MailroomError | null = null
        const work = Effect.map(
          Effect.either(outcome(send)),
          Either.match({
            onLeft: (error): Attempt => {
              refusal = error
              return notSent
            },
            onRight: (sent): Attempt => ({ answer: answerOf(sent), final: true }),
          }),
        )
        const { answer } = yield* idempotency.once(
          principal,
          { key, route: "send", body: null },
          work,
          (result) => Effect.succeed(answerOf(sentMailOf(result))),
        )
        if (refusal !== null) return yield* Effect.fail<MailroomError>(refusal)
        return yield* Effect.orDie(decode((yield* answer).body))
      })

      return {
        once: (key, send) =>
          key === undefined
            ? outcome(send)
            : Effect.catchTag(onceFor(key, send), "SendOutcomeUnknown", ({ messageId }) =>
                Effect.succeed<SentMail>({ kind: "uncertain", id: messageId }),
              ),
      }
    }),
  )
}
