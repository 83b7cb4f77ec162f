/** Waits and claims that read more than one page of messages, and how many do so at a time. */
import { describe, expect } from "@effect/vitest"
import { anyArrival, type MailroomError, MessageId } from "@mailroom/domain"
import { ArrivalStore, type Authentication, type Claims, ClaimStore, type Waits } from "@mailroom/engine"
import { eventLoopTurns } from "@mailroom/test-services"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { NOON, ruleWith } from "./support/mailroom.js"
import { type Owner, paying } from "./support/owners.js"
import { refused } from "./support/refused.js"
import { claim, wait } from "./support/sharing.js"

/** The pages that are being read, and whether sockets were served before each. */
class Pages extends Context.Tag("test/Pages")<
  Pages,
  { reading: number; readonly served: Array<boolean>; readonly mayEnd: Deferred.Deferred<void> }
>() {}

const LATER = 3

/** Two stores without messages, with three pages for each request. A page after the first ends when the test lets it. */
const pagesOfNothing = Layer.effectContext(
  Effect.gen(function* () {
    const [claims, arrivals] = [yield* ClaimStore, yield* ArrivalStore]
    const pages: Pages["Type"] = { reading: 0, served: [], mayEnd: yield* Deferred.make<void>() }
    let isServed = true
    const page = Effect.suspend(() => {
      pages.served.push(isServed)
      isServed = false
      setImmediate(() => {
        isServed = true
      })
      pages.reading += 1
      return Effect.ensuring(
        Deferred.await(pages.mayEnd),
        Effect.sync(() => {
          pages.reading -= 1
        }),
      )
    })
    const position = (at: number) => ({
      createdAt: at,
      id: MessageId.make("00000000-0000-7000-8000-000000000000"),
    })
    const free: typeof claims.free = (_, after) =>
      after === null
        ? Effect.succeed({ messages: [], next: position(NOON) })
        : Effect.as(page, {
            messages: [],
            next: after.createdAt + 1 < NOON + LATER ? position(after.createdAt + 1) : null,
          })
    const read: typeof arrivals.page = (_, after) =>
      after === 0
        ? Effect.succeed({ arrivals: [], through: 1, hasMore: true })
        : Effect.as(page, { arrivals: [], through: after + 1, hasMore: after < LATER })
    return Context.make(ClaimStore, { ...claims, free }).pipe(
      Context.add(ArrivalStore, { ...arrivals, page: read }),
      Context.add(Pages, pages),
    )
  }),
)

const filter = { ...anyArrival, subject: "invoice" }

type Request = (owner: Owner) => Effect.Effect<void, MailroomError, Authentication | Claims | Waits>
const claiming: Request = (owner) => Effect.asVoid(claim(owner, { filter }))
const awaiting: Request = (owner) =>
  Effect.asVoid(wait(owner, { filter, from: { after: 0 }, timeoutSeconds: 0 }))

const rule = ruleWith(pagesOfNothing)

describe("requests that read a second page", () => {
  rule(
    "are two of an account at a time, waits and claims together, and do not hold up other accounts",
    Effect.gen(function* () {
      const [owner, other] = [yield* paying("one"), yield* paying("other")]
      const pages = yield* Pages
      const claims = yield* Effect.replicateEffect(Effect.fork(claiming(owner)), 2)
      const waits = yield* Effect.replicateEffect(Effect.fork(awaiting(owner)), 2)
      yield* eventLoopTurns()
      expect(pages.reading).toBe(2)
      const another = yield* Effect.fork(claiming(other))
      yield* eventLoopTurns()
      expect(pages.reading).toBe(3)
      yield* Deferred.succeed(pages.mayEnd, undefined)
      yield* Effect.all([...claims, ...waits, another].map((fiber) => Effect.asVoid(Fiber.await(fiber))))
      expect(pages.served).toHaveLength(5 * LATER)
    }),
  )

  for (const [name, request] of Object.entries({ claiming, awaiting }))
    rule(
      `are refused when too many of the account do: ${name}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* Effect.replicateEffect(Effect.forkScoped(request(owner)), 2 + 32)
        yield* eventLoopTurns(200)
        expect(yield* refused(request(owner))).toMatchObject({ _tag: "Overloaded" })
      }),
    )

  for (const [name, request] of Object.entries({ claiming, awaiting }))
    rule(
      `let sockets be served before each page: ${name}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        const pages = yield* Pages
        yield* Deferred.succeed(pages.mayEnd, undefined)
        yield* request(owner)
        expect(pages.served).toEqual([true, true, true])
      }),
    )
})
