/**
 * Nothing accepted is lost: after kill -9, every mail that was answered with 250 is stored exactly once. `npm run test:crashes`
 * has all tests that kill processes.
 */
import { describe, expect, it } from "@effect/vitest"
import { eventually, temporaryFolder } from "@mailroom/test-services"
import { Effect } from "effect"
import { verifiedAccount } from "./support/account.js"
import { endLeases } from "./support/database.js"
import { names, offer } from "./support/offer.js"
import { startServer } from "./support/server.js"
import { settled, unlimited } from "./support/settled.js"

/** Kills of a run; `npm run soak` has more. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 2)

describe("after kill -9", () => {
  it.scopedLive(
    "under load, again and again, every mail that was acknowledged is stored once and has one event",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        let server = yield* startServer(folder, unlimited)
        const account = yield* verifiedAccount(server, "loaded")
        const acknowledged = new Set<string>()
        for (let round = 0; round < ROUNDS; round++) {
          const killed = server
          const before = acknowledged.size
          // From the first mail of a fresh process to the middle of a stream of them.
          const enough = before + 1 + ((round * 7) % 23)
          const enoughArrived = eventually(
            `round ${round}: mails are acknowledged`,
            Effect.sync(() => acknowledged.size),
            (size) => size >= enough,
          )
          const lines = [0, 1, 2, 3].map((line) =>
            offer(killed, account.address, names(500, `mail-${round}-${line}`), (name) =>
              acknowledged.add(name),
            ),
          )
          yield* Effect.all([Effect.zipRight(enoughArrived, killed.stop("SIGKILL")), ...lines], {
            concurrency: "unbounded",
          })
          server = yield* startServer(folder, unlimited)
        }
        // What the killed processes were busy with is leased to them for minutes.
        yield* server.stop("SIGTERM")
        yield* endLeases(folder)
        const last = yield* startServer(folder, unlimited)
        const { stored, events } = yield* settled(last, account)
        expect(new Set(stored).size).toBe(stored.length)
        expect([...acknowledged].filter((name) => !stored.includes(name))).toEqual([])
        expect(events).toEqual(stored)
      }),
    300_000 + ROUNDS * 30_000,
  )
})
