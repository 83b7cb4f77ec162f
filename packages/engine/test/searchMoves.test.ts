/** A search while the writer of the index takes messages back into the queue (docs/decisions/0061). */
import { describe, expect } from "@effect/vitest"
import { type MessageId, parseSearchQuery } from "@mailroom/domain"
import { Search, SearchStore } from "@mailroom/engine"
import { Context, Effect, Layer, Ref, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { as, type Owner, unverified } from "./support/owners.js"
import { itemsOf, newest } from "./support/reading.js"

/** Messages that go from the index into the queue just before the next `find`. */
class GoesBack extends Context.Tag("test/GoesBack")<GoesBack, Ref.Ref<ReadonlyArray<MessageId>>>() {}

const goingBack = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* SearchStore
    const next = yield* Ref.make<ReadonlyArray<MessageId>>([])
    const back = yield* Ref.make<ReadonlyArray<MessageId>>([])
    return Context.make(SearchStore, {
      ...store,
      find: (...parameters) =>
        Effect.gen(function* () {
          const moved = [...(yield* Ref.get(back)), ...(yield* Ref.getAndSet(next, []))]
          yield* Ref.set(back, moved)
          const page = yield* store.find(...parameters)
          return { ...page, found: page.found.filter(({ id }) => !moved.includes(id)) }
        }),
      queued: (accountId, limit) =>
        Effect.zipWith(Ref.get(back), store.queued(accountId, limit), (moved, queued) => [
          ...moved,
          ...queued,
        ]),
    }).pipe(Context.add(GoesBack, next))
  }),
)

const found = (owner: Owner, by: "byDate" | "byRelevance") =>
  Effect.gen(function* () {
    const search = yield* Search
    const request = {
      mailboxId: owner.mailboxId,
      query: yield* parseSearchQuery("soup"),
      after: null,
      limit: 10,
    }
    const { items } = yield* search[by](yield* as(owner), request)
    return itemsOf(items).map(({ subject }) => subject)
  })

describe("a search", () => {
  for (const by of ["byDate", "byRelevance"] as const)
    ruleWith(goingBack)(
      `${by} finds a message that goes from the index into the queue after it has read the queue`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        yield* received(owner.address, { subject: "Soup" })
        yield* TestClock.adjust(10)
        expect(yield* found(owner, by)).toEqual(["Soup"])
        yield* Ref.set(yield* GoesBack, [(yield* newest(owner)).id])
        expect(yield* found(owner, by)).toEqual(["Soup"])
      }),
    )
})
