/**
 * Runs requests with an `Idempotency-Key` once (`spec: decisions.idempotency.once`; docs/decisions/0021). The key is
 * leased before the work, each transaction of the work writes a marker, and the response is stored before the client gets
 * it. So repeated and concurrent requests, also after a crash, do the work once.
 */
import {
  canonicalJson,
  DraftId,
  IDEMPOTENCY_LEASE,
  IDEMPOTENCY_TTL,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  IdempotencyResultLost,
  LARGE_ANSWERS_MAX_BYTES,
  type Principal,
  SendOutcomeUnknown,
  SMALL_ANSWER_MAX_BYTES,
} from "@mailroom/domain"
import { Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { Vault } from "../ports/Crypto.js"
import { IdempotencyStore, type KeyLease, type KeyRecord } from "../ports/stores/IdempotencyStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import type { SendResult } from "../sending/Sending.js"
import { makeInDoubt } from "../retryWhileUnavailable.js"
import { writingMarkers } from "./marker.js"

/** Seconds after which a client should repeat a request that is running. */
const RETRY_AFTER = 1

const StoredAnswer = Schema.Struct({
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String,
})
/** A response that can be replayed. */
export type StoredAnswer = typeof StoredAnswer.Type

const AnswerText = Schema.parseJson(StoredAnswer)
const encodeAnswer = Schema.encodeSync(AnswerText)
const decodeAnswer = Schema.decode(AnswerText)

export interface KeyedRequest {
  readonly key: string
  /** method and path */
  readonly route: string
  /** the rest of the request: JSON values and bytes */
  readonly body: unknown
  /** whether a repetition with another credential of the account is the same request. Default false */
  readonly anyCredential?: boolean
}

export interface Attempt {
  readonly answer: StoredAnswer
  /** false: the request changed nothing, and may be repeated under its key */
  readonly final: boolean
}

/** The response of a send route for a sent message, or the draft that it became. */
export type AnswerOfSend = (result: SendResult) => Effect.Effect<StoredAnswer>

export type IdempotencyRefusal =
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | IdempotencyResultLost
  | SendOutcomeUnknown

/** The response of a request. */
export interface Answered {
  readonly answer: Effect.Effect<StoredAnswer, IdempotencyRefusal>
  readonly replayed: boolean
}

/** The lease expired during the request and another request took it: the transaction must not commit. */
class LeaseLost extends Error {}

/** All sessions of an account share a scope of keys, so that a repetition after a new sign-in is recognized. */
const credentialOf = ({ credential }: Principal): string =>
  credential.kind === "key" ? credential.id : credential.kind

export class Idempotency extends Context.Tag("@mailroom/Idempotency")<
  Idempotency,
  {
    /**
     * Runs the work of a request once: a repetition gets the stored response. After a crash, `sent` makes the response of a
     * send from its message. Work that dies, or whose response is not final, releases the key unless it has committed a
     * change. The response of a repetition may be large, and is loaded by `answer`.
     */
    readonly once: <R>(
      principal: Principal,
      request: KeyedRequest,
      work: Effect.Effect<Attempt, never, R>,
      sent: AnswerOfSend,
    ) => Effect.Effect<Answered, IdempotencyRefusal, R>
  }
>() {
  static readonly layer = Layer.scoped(
    Idempotency,
    Effect.gen(function* () {
      const inDoubt = yield* makeInDoubt(IDEMPOTENCY_LEASE)
      const store = yield* IdempotencyStore
      const messages = yield* MessageStore
      const drafts = yield* DraftStore
      const vault = yield* Vault

      const inUse = new IdempotencyKeyInUse({ retryAfter: RETRY_AFTER })

      /**
       * Stores the end of a request. The client gets its response even if that fails. While storage is unavailable, this
       * is retried in the background, and a repetition of the request fails with `IdempotencyKeyInUse`.
       */
      const storeEnd = (ending: Effect.Effect<void>) =>
        ending.pipe(
          inDoubt(ending),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(
              "Storing the end of a request with an Idempotency-Key failed; it is retried in the background",
              cause,
            ),
          ),
        )

      /** Whether the account may have another large response. Two at the same time may both get the last room. */
      const hasRoom = ({ accountId }: KeyLease, bytes: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(
            store.largeAnswerBytes(accountId, now),
            (stored) => stored + bytes <= LARGE_ANSWERS_MAX_BYTES,
          ),
        )

      /** Stores a response. A large one without room is not stored: a repetition of a send gets its message anyway. */
      const keep = (lease: KeyLease, answer: StoredAnswer) =>
        storeEnd(
          Effect.gen(function* () {
            const sealed = yield* vault.seal(encodeAnswer(answer))
            const isLarge = sealed.length > SMALL_ANSWER_MAX_BYTES
            yield* !isLarge || (yield* hasRoom(lease, sealed.length))
              ? store.answer(lease, sealed, isLarge)
              : store.release(lease)
          }),
        )

      const open = (sealed: string): Effect.Effect<StoredAnswer> =>
        Effect.orDie(Effect.flatMap(vault.open(sealed), decodeAnswer))

      const perform = <R>(lease: KeyLease, work: Effect.Effect<Attempt, never, R>) => {
        const withKey = writingMarkers((marker) =>
          Effect.flatMap(store.mark(lease, marker), (held) =>
            held ? Effect.void : Effect.die(new LeaseLost()),
          ),
        )
        return Effect.exit(withKey(work)).pipe(
          Effect.tap((exit) =>
            Exit.isSuccess(exit) && exit.value.final
              ? keep(lease, exit.value.answer)
              : storeEnd(store.release(lease)),
          ),
          Effect.flatten,
          Effect.map(({ answer }) => ({ answer: Effect.succeed(answer), replayed: false })),
          Effect.catchSomeDefect((defect) =>
            defect instanceof LeaseLost ? Option.some(Effect.fail(inUse)) : Option.none(),
          ),
        )
      }

      /** The response of a send whose first request stored none, from the message that it recorded. */
      const afterSend = Effect.fnUntraced(
        function* ({ accountId, id, lockedUntil, mailboxId, messageId }: KeyRecord, sent: AnswerOfSend) {
          if (mailboxId === null || messageId === null) return yield* new IdempotencyResultLost()
          const found = yield* messages.byId(mailboxId, messageId)
          const draft = yield* drafts.byId(accountId, DraftId.make(messageId))
          // Kept as a draft, which has the id that the message would have.
          if (Option.isNone(found) && Option.isSome(draft)) {
            const answer = yield* sent({ kind: "held", draft: draft.value })
            yield* keep({ accountId, id, leaseUntil: lockedUntil }, answer)
            return answer
          }
          const message = yield* found
          if (message.status === "SENDING" || message.status === "UNKNOWN")
            return yield* new SendOutcomeUnknown({ messageId })
          const answer = yield* sent({ kind: "sent", message })
          yield* keep({ accountId, id, leaseUntil: lockedUntil }, answer)
          return answer
        },
        Effect.catchTag("NoSuchElementException", () => new IdempotencyResultLost()),
      )

      /** The response of a request that has ended. */
      const stored = (
        key: KeyRecord,
        sent: AnswerOfSend,
      ): Effect.Effect<StoredAnswer, IdempotencyRefusal> => {
        if (key.answer !== null) return open(key.answer)
        if (!key.hasLargeAnswer) return afterSend(key, sent)
        return Effect.flatMap(
          store.largeAnswer(key),
          Option.match({ onNone: () => new IdempotencyResultLost(), onSome: open }),
        )
      }

      const repeat = Effect.fnUntraced(function* (
        before: KeyRecord,
        fingerprint: string,
        sent: AnswerOfSend,
      ) {
        if (before.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused()
        const running = before.lockedUntil > (yield* Clock.currentTimeMillis)
        if (before.state !== "answered" && (running || before.state === "started")) return yield* inUse
        return { answer: stored(before, sent), replayed: true }
      })

      const once = Effect.fn("Idempotency.once")(function* <R>(
        principal: Principal,
        { key, route, body, anyCredential = false }: KeyedRequest,
        work: Effect.Effect<Attempt, never, R>,
        sent: AnswerOfSend,
      ) {
        const now = yield* Clock.currentTimeMillis
        const slot = {
          accountId: principal.account.id,
          id: vault.digest(JSON.stringify([anyCredential ? null : credentialOf(principal), route, key])),
        }
        const fingerprint = vault.digest(canonicalJson(body, vault.digest))
        const lease = { ...slot, leaseUntil: now + IDEMPOTENCY_LEASE }
        const terms = { fingerprint, expiresAt: now + IDEMPOTENCY_TTL, now }
        // A claim that failed may have been committed. Released, or the key would be in use until the lease ends.
        const claimed = yield* store.claim(lease, terms).pipe(inDoubt(store.release(lease)))
        if (claimed) return yield* perform(lease, work)
        const before = yield* store.find(slot)
        // None: released since the claim, so a repetition finds it free.
        return Option.isNone(before) ? yield* inUse : yield* repeat(before.value, fingerprint, sent)
      })

      // Uninterruptible: a client that disconnects can repeat the request for its response.
      return Idempotency.of({
        once: (principal, request, work, sent) =>
          Effect.uninterruptible(once(principal, request, work, sent)),
      })
    }),
  )
}
