/**
 * Enqueues accepted mail for delivery, in an order that is fair among tenants (docs/decisions/0046). The queue itself is the
 * table `inbound_queue`: `RawMailStore` reads and changes it, and `DeliveryWorker` claims from it.
 */
import { type Instant, laneOf, nextTurn, type RawMailId, SECOND, tenantOf } from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import type { Envelope } from "../ports/MailSpool.js"
import type { MailTopic } from "../ports/Signals.js"
import { type QueueEntry, RawMailStore } from "../ports/stores/RawMailStore.js"
import { announce } from "../UnitOfWork.js"
import { RoleAddresses } from "./RoleAddresses.js"

/** A mail whose raw bytes are stored, to be enqueued in the same transaction. */
export interface AcceptedMail {
  readonly rawId: RawMailId
  readonly envelope: Envelope
  /** bytes of the raw mail */
  readonly sizeBytes: number
}

/** Tenants in memory above which those without a future turn are removed, at most once a second. */
const TENANTS_MAX = 10_000
const PRUNE_EVERY = 1 * SECOND

/** The topic of the track of `DeliveryWorker` that takes an entry. */
const topicOf = ({ lane, turn }: QueueEntry, now: Instant): MailTopic =>
  lane === "slow" ? "mail-slow" : turn > now ? "mail-backlog" : "mail"

export class InboundQueue extends Context.Tag("@mailroom/InboundQueue")<
  InboundQueue,
  {
    /**
     * Inside `UnitOfWork.commit`: adds mails to the queue, and counts those for role addresses. The delivery worker wakes
     * after the commit. Returns how many of the mails are within the shares of their tenants. A mail whose `receivedAt` is in
     * the future is delivered then.
     */
    readonly enqueue: (mails: ReadonlyArray<AcceptedMail>) => Effect.Effect<number>
  }
>() {
  static readonly layer: Layer.Layer<InboundQueue, never, Ids | RawMailStore | RoleAddresses> = Layer.effect(
    InboundQueue,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const ids = yield* Ids
      const roles = yield* RoleAddresses
      /** The earliest time of the next turn, by tenant. */
      const turns = new Map<string, Instant>()

      let prunedAt = 0
      const pruneTurns = (now: Instant): void => {
        if (turns.size <= TENANTS_MAX || now - prunedAt < PRUNE_EVERY) return
        prunedAt = now
        for (const [tenant, nextFrom] of turns) if (nextFrom <= now) turns.delete(tenant)
      }

      const takeTurn = (tenant: string, workBytes: number, now: Instant): Instant => {
        const turn = nextTurn(turns.get(tenant) ?? 0, now, workBytes)
        turns.set(tenant, turn.nextFrom)
        return turn.at
      }

      return {
        enqueue: Effect.fnUntraced(function* (mails) {
          const now = yield* Clock.currentTimeMillis
          pruneTurns(now)
          const entries = Array.zipWith(
            mails,
            yield* ids.uuids(mails.length),
            ({ rawId, envelope, sizeBytes }, id): QueueEntry => {
              const tenant = tenantOf(envelope.to)
              const workBytes = sizeBytes * Math.max(1, envelope.to.length)
              const turn = Math.max(takeTurn(tenant, workBytes, now), envelope.receivedAt)
              // Due at once unless it is to come later: the clock may go back before it is delivered.
              const dueAt = envelope.receivedAt > now ? envelope.receivedAt : 0
              return { id, rawId, envelope, tenant, workBytes, turn, dueAt, lane: laneOf(workBytes) }
            },
          )
          yield* rawMails.enqueue(entries)
          yield* roles.count(mails)
          yield* announce(...new Set(entries.map((entry) => topicOf(entry, now))))
          return entries.filter(({ turn }) => turn <= now).length
        }),
      }
    }),
  )
}
