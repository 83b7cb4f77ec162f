/** How long a search may take, and how many stored texts it reads (docs/specification/search.md). */
import { describe, expect } from "@effect/vitest"
import { parseSearchQuery } from "@mailroom/domain"
import { Search, SearchStore } from "@mailroom/engine"
import { Context, Duration, Effect, Layer, Ref, TestClock } from "effect"
import { received } from "./support/arrivals.js"
import { ruleWith } from "./support/mailroom.js"
import { as, unverified } from "./support/owners.js"

/** How many texts each read of stored texts asked for. */
class TextsRead extends Context.Tag("test/TextsRead")<TextsRead, Ref.Ref<ReadonlyArray<number>>>() {}

/** Milliseconds that a read of texts takes here. */
const READ_TIME = 500

/** An index without an end, in which every match has to be evaluated, and no text matches. */
const undecided = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* SearchStore
    const read = yield* Ref.make<ReadonlyArray<number>>([])
    return Context.make(SearchStore, {
      ...store,
      find: (scope, query, before, limit, deadline, reach) =>
        Effect.map(store.find(scope, query, null, limit, deadline, reach), ({ found }) => ({
          found: found.flatMap((one) => Array.from({ length: limit }, () => ({ ...one, isCertain: false }))),
          next: found.at(-1) ?? before,
        })),
      texts: (_, ids) =>
        Ref.update(read, (sizes) => [...sizes, ids.length]).pipe(
          Effect.zipRight(TestClock.adjust(Duration.millis(READ_TIME))),
          Effect.as([]),
        ),
    }).pipe(Context.add(TextsRead, read))
  }),
)

describe("a search that evaluates stored texts", () => {
  for (const by of ["byDate", "byRelevance"] as const)
    ruleWith(undecided)(
      `${by} reads eight at a time, and ends after 4 s`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        yield* received(owner.address, { subject: "Soup" })
        const search = yield* Search
        const query = yield* parseSearchQuery("soup")
        yield* TestClock.adjust(10)
        const principal = yield* as(owner)
        const request = { mailboxId: owner.mailboxId, query, after: null, limit: 50 }
        const failure = yield* Effect.flip(search[by](principal, request))
        expect(failure._tag).toBe("Overloaded")
        const read = yield* Ref.get(yield* TextsRead)
        expect(Math.max(...read)).toBe(8)
        expect(read.length).toBeLessThanOrEqual(4_000 / READ_TIME + 1)
      }),
    )
})
