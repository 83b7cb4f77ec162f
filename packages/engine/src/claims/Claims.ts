/**
 * Claims: several workers share the messages of a mailbox, and each message is worked on by one of them
 * (docs/specification/sharing.md, docs/decisions/0062).
 */
import {
  type Actor,
  admitClaim,
  byCaller,
  type ClaimLost,
  type ClaimRecord,
  endClaim,
  type Instant,
  InvalidInput,
  type MailboxId,
  type MessageClaim,
  type MessageClaimed,
  type MessageId,
  namedActorOf,
  newClaim,
  NotFound,
  Overloaded,
  type OverInboundLimit,
  type Principal,
  renewClaim,
  SECOND,
  takeBackClaim,
  type TooManyWaits,
  viewClaim,
  type WaitFilter,
} from "@mailroom/domain"
import { Clock, Context, Duration, Effect, type Either, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { CredentialWatch } from "../auth/CredentialWatch.js"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { Messages } from "../messages/Messages.js"
import { Vault } from "../ports/Crypto.js"
import { type ClaimedMessage, ClaimStore } from "../ports/stores/ClaimStore.js"
import { type MessageRecord, MessageStore } from "../ports/stores/MessageStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { READ_AT_LEAST_FOR } from "../waiting/Waits.js"
import { WaitLimit } from "../waiting/WaitLimit.js"
import { Kind, makeClaimRounds } from "./ClaimRounds.js"
import { FreeMessages } from "./FreeMessages.js"

/** `Retry-After`, in seconds, of a claim that could not read all free messages in time. */
const UNREAD_RETRY_AFTER = 5

/** Random bytes of a token. */
const TOKEN_BYTES = 24

/** A message, and the claim that the caller holds. */
export interface Claimed {
  readonly message: MessageRecord
  readonly token: string
  /** when the lease ends */
  readonly expiresAt: Instant
}

export interface ClaimRequest {
  readonly leaseSeconds: number
  /** null: any message */
  readonly filter: WaitFilter | null
  /** seconds to wait for a message, 0 to `WAIT_MAX` */
  readonly timeoutSeconds: number
  /** ends the wait early, as if its time were over */
  readonly stopped: Effect.Effect<void>
}

/** The message of a claim. */
export interface ClaimTarget {
  readonly mailboxId: MailboxId
  readonly id: MessageId
}

type Refusal = NotFound | OverInboundLimit

export class Claims extends Context.Tag("@mailroom/Claims")<
  Claims,
  {
    /**
     * Claims the oldest visible inbound message of a mailbox that is free and matches the filter. Waits for one when there is
     * none; null when the time is over first. `Overloaded` when it was over before all free messages were read, or when too many
     * requests of the account read them.
     */
    readonly oldest: (
      principal: Principal,
      mailboxId: MailboxId,
      request: ClaimRequest,
    ) => Effect.Effect<Claimed | null, NotFound | Overloaded | TooManyWaits>
    /** Claims a message. `InvalidInput` for a sent one. */
    readonly one: (
      principal: Principal,
      target: ClaimTarget,
      leaseSeconds: number,
    ) => Effect.Effect<Claimed, Refusal | InvalidInput | MessageClaimed>
    /** Begins the lease again; `leaseSeconds` null: as long as the last time. */
    readonly renew: (
      principal: Principal,
      target: ClaimTarget,
      token: string,
      leaseSeconds: number | null,
    ) => Effect.Effect<MessageClaim | null, Refusal | ClaimLost>
    /** Ends the claim: the message is free again, or its work is done. May be repeated with the same token. */
    readonly end: (
      principal: Principal,
      target: ClaimTarget,
      token: string,
      state: "RELEASED" | "COMPLETED",
    ) => Effect.Effect<MessageClaim | null, Refusal | ClaimLost>
    /**
     * Frees a message without the token of its claim, whose holder gets `ClaimLost` from then on; the audit trail has it.
     * Changes nothing in a message that is free. `MessageClaimed` when its work is done.
     */
    readonly takeBack: (
      principal: Principal,
      target: ClaimTarget,
    ) => Effect.Effect<void, Refusal | MessageClaimed>
  }
>() {
  static readonly layer = Layer.scoped(
    Claims,
    Effect.gen(function* () {
      const store = yield* ClaimStore
      const audit = yield* AuditLog
      const credentials = yield* CredentialWatch
      const free = yield* FreeMessages
      const ids = yield* Ids
      const limit = yield* WaitLimit
      const mailboxes = yield* Mailboxes
      const messages = yield* Messages
      const messageStore = yield* MessageStore
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork
      const rounds = yield* makeClaimRounds(store.nextEnd)

      const noMessage = new NotFound({ resource: "message" })
      const textOf = (id: MessageId, token: string) => `${id} ${token}`
      const isTokenOf = (id: MessageId, claim: ClaimRecord | null, token: string): boolean =>
        claim !== null && vault.verify("message claim", textOf(id, token), claim.tokenHash)

      /** Stores a new claim of a message that the transaction has locked. The result says what its holder gets. */
      const take = Effect.fnUntraced(function* (
        locked: ClaimedMessage,
        leaseSeconds: number,
        claimedBy: Actor,
      ) {
        const now = yield* Clock.currentTimeMillis
        const token = yield* ids.secret(TOKEN_BYTES)
        const tokenHash = vault.sign("message claim", textOf(locked.id, token))
        const claim = newClaim(tokenHash, leaseSeconds, claimedBy, now)
        yield* store.save(locked, claim)
        const message = yield* messageStore.byId(locked.mailboxId, locked.id)
        return Option.map(message, (one): Claimed => ({
          message: { ...one, claim: viewClaim(claim, now) },
          token,
          expiresAt: claim.expiresAt,
        }))
      })

      const takeOldest = (
        principal: Principal,
        kind: Kind,
        leaseSeconds: number,
        onTaken: (taken: Claimed) => void,
      ) => free.lockOldest(kind, (locked) => take(locked, leaseSeconds, namedActorOf(principal)), onTaken)

      /** Changes a claim that a token holds. */
      const change = Effect.fnUntraced(function* (
        principal: Principal,
        { mailboxId, id }: ClaimTarget,
        token: string,
        decide: (
          holder: { readonly claim: ClaimRecord | null; readonly isToken: boolean },
          now: number,
        ) => Either.Either<ClaimRecord, ClaimLost>,
      ) {
        yield* messages.reference(principal, mailboxId, id)
        const now = yield* Clock.currentTimeMillis
        const claim = yield* commit(
          Effect.gen(function* () {
            const locked = yield* Effect.flatten(store.lock(mailboxId, id))
            const changed = yield* decide(
              { claim: locked.claim, isToken: isTokenOf(id, locked.claim, token) },
              now,
            )
            if (changed !== locked.claim) yield* store.save(locked, changed)
            if (changed.state === "RELEASED") yield* announce(`claims:${principal.account.id}`)
            return changed
          }),
        ).pipe(Effect.catchTag("NoSuchElementException", () => noMessage))
        return viewClaim(claim, now)
      })

      /** Frees the message of a client that is gone. */
      const releaseUnseen = (principal: Principal, { message, token }: Claimed) =>
        Effect.ignoreLogged(
          change(principal, message.content, token, (holder, now) => endClaim(holder, "RELEASED", now)),
        )

      return Claims.of({
        oldest: Effect.fn("Claims.oldest")(function* (principal, mailboxId, request) {
          yield* mailboxes.require(principal, mailboxId)
          // A message that was claimed when the time was over, or the client gone, is used or released.
          const taken: { current: Claimed | null } = { current: null }
          const accountId = principal.account.id
          const kind = new Kind(accountId, mailboxId, request.filter)
          const look = takeOldest(principal, kind, request.leaseSeconds, (found) => {
            taken.current = found
          })
          const ended = Effect.raceFirst(request.stopped, credentials.lapse(principal))
          yield* Effect.gen(function* () {
            const atLeast = Math.max(request.timeoutSeconds, READ_AT_LEAST_FOR) * SECOND
            const [spent, there] = yield* Effect.timed(Effect.timeoutOption(look, atLeast))
            if (Option.isNone(there) && taken.current === null)
              return yield* new Overloaded({ retryAfter: UNREAD_RETRY_AFTER })
            if (request.timeoutSeconds === 0 || Option.isNone(there) || Option.isSome(there.value)) return
            yield* limit.enter(accountId).pipe(
              Effect.zipRight(rounds.find(kind, look)),
              Effect.raceFirst(ended),
              Effect.scoped,
              // A request with an `Idempotency-Key` is uninterruptible. Its wait must end in time all the same.
              Effect.interruptible,
              Effect.timeoutOption(Duration.subtract(Duration.seconds(request.timeoutSeconds), spent)),
            )
          }).pipe(
            Effect.onInterrupt(() =>
              taken.current === null ? Effect.void : releaseUnseen(principal, taken.current),
            ),
          )
          return taken.current
        }),

        one: Effect.fn("Claims.one")(function* (principal, { mailboxId, id }, leaseSeconds) {
          yield* messages.reference(principal, mailboxId, id)
          return yield* commit(
            Effect.gen(function* () {
              const locked = yield* Effect.flatten(store.lock(mailboxId, id))
              if (locked.direction === "OUTBOUND")
                return yield* new InvalidInput({
                  issues: [
                    { path: "msgId", message: "is a sent message; only received ones can be claimed" },
                  ],
                })
              yield* admitClaim(locked.claim, yield* Clock.currentTimeMillis)
              return yield* Effect.flatten(take(locked, leaseSeconds, namedActorOf(principal)))
            }),
          ).pipe(Effect.catchTag("NoSuchElementException", () => noMessage))
        }),

        renew: Effect.fn("Claims.renew")((principal, target, token, leaseSeconds) =>
          change(principal, target, token, (holder, now) => renewClaim(holder, leaseSeconds, now)),
        ),

        end: Effect.fn("Claims.end")((principal, target, token, state) =>
          change(principal, target, token, (holder, now) => endClaim(holder, state, now)),
        ),

        takeBack: Effect.fn("Claims.takeBack")(function* (principal, { mailboxId, id }) {
          yield* messages.reference(principal, mailboxId, id)
          yield* commit(
            Effect.gen(function* () {
              const locked = yield* Effect.flatten(store.lock(mailboxId, id))
              const freed = yield* takeBackClaim(locked.claim, yield* Clock.currentTimeMillis)
              if (freed === null) return
              yield* store.save(locked, freed)
              yield* announce(`claims:${principal.account.id}`)
              yield* audit.record({
                ...byCaller(principal),
                action: "claim.taken_back",
                target: id,
                detail: { mailboxId, keyId: freed.claimedBy?.id ?? null },
              })
            }),
          ).pipe(Effect.catchTag("NoSuchElementException", () => noMessage))
        }),
      })
    }),
  )
}
