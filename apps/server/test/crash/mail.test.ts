/** After kill -9, mail that waited in the queue or that its sender repeats is stored exactly once. */
import { describe, expect, it } from "@effect/vitest"
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { verifiedAccount } from "../support/account.js"
import { endLeases, rows } from "../support/database.js"
import { names, offer } from "../support/offer.js"
import { type Server, startServer } from "../support/server.js"
import { settled, unlimited } from "../support/settled.js"

describe("after kill -9", () => {
  it.scopedLive(
    "mail that waits in the queue is delivered by the next process, once and with one event",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const first = yield* startServer(folder, unlimited)
        const account = yield* verifiedAccount(first, "queued")
        yield* first.stop("SIGKILL")
        // Without the role that delivers, what is accepted stays in the queue.
        const accepting = yield* startServer(folder, { ...unlimited, ROLES: "smtp" })
        const all = names(40)
        const acknowledged: Array<string> = []
        yield* offer(accepting, account.address, all, (name) => acknowledged.push(name))
        yield* accepting.stop("SIGKILL")
        expect(acknowledged).toEqual(all)
        const [queue] = yield* rows(folder, "SELECT count(*) AS queued FROM inbound_queue")
        expect(queue).toEqual({ queued: all.length })
        const next = yield* startServer(folder, unlimited)
        expect(yield* settled(next, account)).toEqual({ stored: all, events: all })
      }),
  )

  it.scopedLive("a mail that its sender repeats, because the answer never came, is stored once", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* startServer(folder, unlimited)
      const account = yield* verifiedAccount(first, "repeated")
      const all = names(30)
      const deliverAll = (server: Server, acknowledged: (name: string) => void) =>
        offer(server, account.address, all, acknowledged)
      let count = 0
      yield* Effect.all(
        [
          deliverAll(first, () => count++),
          eventually(
            "some are acknowledged",
            Effect.sync(() => count),
            (n) => n >= 10,
          ).pipe(Effect.zipRight(first.stop("SIGKILL"))),
        ],
        { concurrency: "unbounded" },
      )
      yield* endLeases(folder)
      const next = yield* startServer(folder, unlimited)
      yield* deliverAll(next, () => {})
      expect(yield* settled(next, account)).toEqual({ stored: all, events: all })
    }),
  )
})
