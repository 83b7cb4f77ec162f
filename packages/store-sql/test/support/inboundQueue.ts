/** Fills the inbound queue and claims from it. */
import type { Instant, Lane } from "@mailroom/domain"
import { type ClaimTerms, type QueueEntry, RawMailStore } from "@mailroom/engine"
import { Effect } from "effect"
import { anEnvelope, aQueueEntry, aRawMail, NOON } from "./records.js"

/** When the leases of most tests end. */
export const LATER = NOON + 60_000

/** An accepted mail and its queue entry, whose turn is the time of reception. */
export const accept = (receivedAt: Instant = NOON, over: Partial<QueueEntry> = {}) =>
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const raw = aRawMail({ createdAt: receivedAt })
    const entry = aQueueEntry(raw.id, { turn: receivedAt, envelope: anEnvelope({ receivedAt }), ...over })
    yield* store.insert([raw])
    yield* store.enqueue([entry])
    return { raw, entry }
  })

/** Claims from the fast lane, up to any turn. */
export const claim = (mails: number, now: Instant, leaseUntil: Instant, over: Partial<ClaimTerms> = {}) =>
  Effect.flatMap(RawMailStore, (store) =>
    store.claim({
      lane: "fast",
      through: Number.MAX_SAFE_INTEGER,
      except: [],
      limits: { mails, bytes: Number.MAX_SAFE_INTEGER },
      now,
      leaseUntil,
      ...over,
    }),
  )

/** Removes the entries of other tests. */
export const emptyQueue = Effect.gen(function* () {
  const store = yield* RawMailStore
  const of = (lane: Lane) => claim(1000, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, { lane })
  const left = [...(yield* of("fast")), ...(yield* of("slow"))]
  yield* store.finish(
    left.map(({ id }) => id),
    Number.MAX_SAFE_INTEGER,
  )
  return left.length
}).pipe(Effect.repeat({ until: (count) => count === 0 }))

export const idsOf = (claimed: ReadonlyArray<{ readonly id: string }>) => claimed.map(({ id }) => id)

/** Accepts `count` mails of each tenant, with turns a millisecond apart from noon on unless `over` gives others. */
export const acceptMany = (
  tenants: ReadonlyArray<string>,
  count: number,
  over: (index: number) => Partial<QueueEntry> = () => ({}),
) =>
  Effect.gen(function* () {
    const store = yield* RawMailStore
    const raw = aRawMail()
    yield* store.insert([raw])
    yield* store.enqueue(
      tenants.flatMap((tenant) =>
        Array.from({ length: count }, (_, index) =>
          aQueueEntry(raw.id, { tenant, turn: NOON + index, ...over(index) }),
        ),
      ),
    )
  })

/** The tenants of claimed mails, in their order. */
export const tenantsOf = (claimed: ReadonlyArray<{ readonly tenant: string }>) =>
  claimed.map(({ tenant }) => tenant)
