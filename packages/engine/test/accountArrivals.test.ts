/** Requests of one account that wait share looks into the event log (docs/decisions/0062). */
import { AccountId, anyArrival, MailboxId, MessageId, ThreadId } from "@mailroom/domain"
import { eventLoopTurns } from "@mailroom/test-services"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { AccountArrivals, type LookAt, type Wanted } from "../src/waiting/AccountArrivals.js"
import type { Arrival } from "../src/ports/stores/ArrivalStore.js"

const account = AccountId.make("0199aaaa-0000-7000-8000-000000000001")
const wanted = (): Wanted => ({ mailboxes: null, filter: { ...anyArrival } })

const arrival: Arrival = {
  seq: 11,
  message: {
    id: MessageId.make("0199aaaa-0000-7000-8000-000000000002"),
    mailboxId: MailboxId.make("0199aaaa-0000-7000-8000-000000000003"),
    direction: "INBOUND",
    threadId: ThreadId.make("00000000-0000-7000-8000-000000000001"),
    labels: [],
    readAt: null,
    fromAddress: "ada@sender.org",
    toAddresses: [],
    ccAddresses: [],
    subject: "Your code",
    hasAttachments: false,
    createdAt: 0,
    hasCode: true,
    hasLink: false,
  },
}

describe("a request that begins to wait during a look", () => {
  it.effect("that does not know its filter gets its message from the next one", () =>
    Effect.gen(function* () {
      const isLooking = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const [first, second] = [wanted(), wanted()]
      /** Finds the message for the second request, whose filter it has to know. */
      const lookAt: LookAt = (_, __, filters) =>
        Effect.gen(function* () {
          yield* Deferred.succeed(isLooking, undefined)
          yield* Deferred.await(gate)
          return {
            through: 11,
            hasMore: false,
            firstWanted: ({ filter }, position) =>
              filter === second.filter && filters.includes(filter) && position < 11 ? arrival : undefined,
          }
        })
      const arrivals = new AccountArrivals(account, lookAt, () => {})
      yield* Effect.forkScoped(arrivals.run)
      yield* Effect.forkScoped(arrivals.await(first, { position: 10 }, arrivals.signals))
      yield* eventLoopTurns()
      arrivals.wake()
      yield* Deferred.await(isLooking)
      const waiting = yield* Effect.forkScoped(arrivals.await(second, { position: 10 }, arrivals.signals))
      yield* eventLoopTurns()
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(waiting)).toBe(arrival)
    }).pipe(Effect.scoped),
  )
})
