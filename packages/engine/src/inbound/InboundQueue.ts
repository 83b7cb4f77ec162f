/** Puts accepted mail into the delivery queue, in turns that are fair among tenants. */
import { type Instant, laneOf, nextTurn, type RawMailId, SECOND, tenantOf } from "@mailroom/domain"
import { Array, Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import type { Envelope } from "../ports/MailSpool.js"
import type { MailTopic } from "../ports/Signals.js"
import { type QueueEntry, RawMailStore } from "../ports/stores/RawMailStore.js"
import { announce } from "../UnitOfWork.js"

/** Mail to enqueue. */
export interface InboundMail {
  readonly rawId: RawMailId
  readonly envelope: Envelope
  /** of the raw mail */
  readonly sizeBytes: number
}

/** Above this number of remembered tenants, those whose turns are over are forgotten, at most once a second. */
const TENANTS_MAX = 10_000
const FORGET_EVERY = 1 * SECOND

/** Who has to wake for an entry. */
const topicOf = ({ lane, turn }: QueueEntry, now: Instant): MailTopic =>
  lane === "slow" ? "mail-slow" : turn > now ? "mail-backlog" : "mail"

export class InboundQueue extends Context.Tag("@mailroom/InboundQueue")<
  InboundQueue,
  {
    /**
     * Inside `UnitOfWork.commit`: the delivery workers wake once that has committed. Returns how many of the mails are
     * within the shares of their tenants.
     */
    readonly enqueue: (mails: ReadonlyArray<InboundMail>) => Effect.Effect<number>
  }
>() {
  static readonly layer: Layer.Layer<InboundQueue, never, Ids | RawMailStore> = Layer.effect(
    InboundQueue,
    Effect.gen(function* () {
      const rawMails = yield* RawMailStore
      const ids = yield* Ids
      /** by tenant: from when on its next turn may be */
      const turns = new Map<string, Instant>()

      let forgotAt = 0
      const forgetPast = (now: Instant): void => {
        if (turns.size <= TENANTS_MAX || now - forgotAt < FORGET_EVERY) return
        forgotAt = now
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
          forgetPast(now)
          const entries = Array.zipWith(
            mails,
            yield* ids.uuids(mails.length),
            ({ rawId, envelope, sizeBytes }, id): QueueEntry => {
              const tenant = tenantOf(envelope.to)
              const workBytes = sizeBytes * Math.max(1, envelope.to.length)
              const turn = takeTurn(tenant, workBytes, now)
              return { id, rawId, envelope, tenant, workBytes, turn, lane: laneOf(workBytes) }
            },
          )
          yield* rawMails.enqueue(entries)
          yield* announce(...new Set(entries.map((entry) => topicOf(entry, now))))
          return entries.filter(({ turn }) => turn <= now).length
        }),
      }
    }),
  )
}
