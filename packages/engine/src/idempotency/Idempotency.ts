/**
 * Requests with an `Idempotency-Key` (decisions §4; docs/decisions/0021). The key is taken before the work, each
 * transaction of the work writes down that it was done, and the answer is kept before the client sees it: so the work
 * is done once, however often, how many at a time, and after whatever crash it is asked for.
 */
import {
  canonicalJson,
  IDEMPOTENCY_TTL,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  IdempotencyResultLost,
  MINUTE,
  type Principal,
  SendOutcomeUnknown,
} from "@mailroom/domain"
import { Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { Vault } from "../ports/Crypto.js"
import { IdempotencyStore, type KeyLease, type KeyRecord } from "../ports/stores/IdempotencyStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { makeInDoubt } from "../retryWhileUnavailable.js"
import { recordingProgress } from "./progress.js"

/** Longer than any request; a process that is gone holds a key so long. */
const LEASE = 5 * MINUTE
/** seconds until a client should ask again for what is being done */
const RETRY_AFTER = 1

const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String,
})
/** A response as it can be given again. */
export type StoredAnswer = typeof StoredAnswer.Type

const AnswerText = Schema.parseJson(StoredAnswer)
const encodeAnswer = Schema.encodeSync(AnswerText)
const decodeAnswer = Schema.decode(AnswerText)

export interface KeyedRequest {
  readonly key: string
  /** method and path */
  readonly route: string
  /** everything else that was asked: JSON values, and bytes */
  readonly body: unknown
}

export interface Attempt {
  readonly answer: StoredAnswer
  /** false: nothing came of it, and the same key may try again */
  readonly final: boolean
}

/** What a route answers for a message that was sent. */
export type AnswerOfMessage = (message: MessageRecord) => Effect.Effect<StoredAnswer>

export type IdempotencyRefusal =
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | IdempotencyResultLost
  | SendOutcomeUnknown

/** The lease ran out while its holder was at work, and somebody else took it: the transaction must not commit. */
class LeaseLost extends Error {}

/** All sessions of an account are its owner: signing in again does not do things twice. */
const credentialOf = ({ credential }: Principal): string =>
  credential.kind === "key" ? credential.id : credential.kind

export class Idempotency extends Context.Tag("@mailroom/Idempotency")<
  Idempotency,
  {
    /**
     * Does the work of a request once: a repetition gets the answer of the first time. After a crash the answer of a
     * send is made anew, by `sent`. Work that dies, or whose answer is not final, frees the key, unless it has
     * committed something.
     */
    readonly once: <R>(
      principal: Principal,
      request: KeyedRequest,
      work: Effect.Effect<Attempt, never, R>,
      sent: AnswerOfMessage,
    ) => Effect.Effect<{ readonly answer: StoredAnswer; readonly replayed: boolean }, IdempotencyRefusal, R>
  }
>() {
  static readonly layer = Layer.scoped(
    Idempotency,
    Effect.gen(function* () {
      const inDoubt = yield* makeInDoubt(LEASE)
      const store = yield* IdempotencyStore
      const messages = yield* MessageStore
      const vault = yield* Vault

      const inUse = new IdempotencyKeyInUse({ retryAfter: RETRY_AFTER })

      /**
       * Writes down how a request ended. The client gets its answer even if that fails. While the store is away, this goes
       * on in the background: until it succeeds, a repetition of the request is refused as in use.
       */
      const ended = (ending: Effect.Effect<void>) =>
        ending.pipe(
          inDoubt(ending),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(
              "The end of a request with an Idempotency-Key was not written down at once",
              cause,
            ),
          ),
        )

      const keep = (lease: KeyLease, answer: StoredAnswer) =>
        ended(Effect.flatMap(vault.seal(encodeAnswer(answer)), (sealed) => store.answer(lease, sealed)))

      const perform = <R>(lease: KeyLease, work: Effect.Effect<Attempt, never, R>) => {
        const record = recordingProgress((progress) =>
          Effect.flatMap(store.mark(lease, progress), (held) =>
            held ? Effect.void : Effect.die(new LeaseLost()),
          ),
        )
        return Effect.exit(record(work)).pipe(
          Effect.tap((exit) =>
            Exit.isSuccess(exit) && exit.value.final
              ? keep(lease, exit.value.answer)
              : ended(store.release(lease)),
          ),
          Effect.flatten,
          Effect.map(({ answer }) => ({ answer, replayed: false })),
          Effect.catchSomeDefect((defect) =>
            defect instanceof LeaseLost ? Option.some(Effect.fail(inUse)) : Option.none(),
          ),
        )
      }

      /** What a send that was broken off came to. */
      const afterSend = Effect.fnUntraced(
        function* ({ accountId, id, lockedUntil, mailboxId, messageId }: KeyRecord, sent: AnswerOfMessage) {
          if (mailboxId === null || messageId === null) return yield* new IdempotencyResultLost()
          const message = yield* Effect.flatten(messages.byId(mailboxId, messageId))
          if (message.status === "SENDING" || message.status === "UNKNOWN")
            return yield* new SendOutcomeUnknown({ messageId })
          const answer = yield* sent(message)
          yield* keep({ accountId, id, leaseUntil: lockedUntil }, answer)
          return { answer, replayed: true }
        },
        Effect.catchTag("NoSuchElementException", () => new IdempotencyResultLost()),
      )

      const repeat = Effect.fnUntraced(function* (
        before: KeyRecord,
        fingerprint: string,
        sent: AnswerOfMessage,
      ) {
        if (before.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused()
        if (before.answer !== null) {
          const answer = yield* Effect.orDie(Effect.flatMap(vault.open(before.answer), decodeAnswer))
          return { answer, replayed: true }
        }
        const running = before.lockedUntil > (yield* Clock.currentTimeMillis)
        return running || before.state === "started" ? yield* inUse : yield* afterSend(before, sent)
      })

      const once = Effect.fn("Idempotency.once")(function* <R>(
        principal: Principal,
        { key, route, body }: KeyedRequest,
        work: Effect.Effect<Attempt, never, R>,
        sent: AnswerOfMessage,
      ) {
        const now = yield* Clock.currentTimeMillis
        const slot = {
          accountId: principal.account.id,
          id: vault.digest(JSON.stringify([credentialOf(principal), route, key])),
        }
        const fingerprint = vault.digest(canonicalJson(body, vault.digest))
        const lease = { ...slot, leaseUntil: now + LEASE }
        const terms = { fingerprint, expiresAt: now + IDEMPOTENCY_TTL, now }
        // A claim that fails may have been committed: without its release the key would be in use for five minutes.
        const claimed = yield* store.claim(lease, terms).pipe(inDoubt(store.release(lease)))
        if (claimed) return yield* perform(lease, work)
        const before = yield* store.find(slot)
        // Freed since the claim: whoever asks again finds it free.
        return Option.isNone(before) ? yield* inUse : yield* repeat(before.value, fingerprint, sent)
      })

      // A client that hangs up comes back for the answer.
      return Idempotency.of({
        once: (principal, request, work, sent) =>
          Effect.uninterruptible(once(principal, request, work, sent)),
      })
    }),
  )
}
