/** After kill -9, every mail that was answered with 250 is stored exactly once. */
import { describe, expect, it } from "@effect/vitest"
import { eventually } from "@mailroom/test-services"
import { Effect } from "effect"
import { type Account, at, verifiedAccount } from "./support/account.js"
import { endLeases, rows } from "./support/database.js"
import { temporaryFolder } from "./support/folder.js"
import { messages } from "./support/messages.js"
import { names, offer } from "./support/offer.js"
import { type Server, startServer } from "./support/server.js"

/** Kills of a run; `npm run soak` has more. */
const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 3)

const unlimited = { BILLING: "none", DEFAULT_PLAN: "Scale" }

const received = (folder: string) =>
  Effect.map(rows(folder, "SELECT envelope FROM events WHERE kind = 'message.received'"), (events) =>
    events.map(({ envelope }) => /"subject":"([^"]*)"/.exec(String(envelope))?.[1] ?? ""),
  )

/** Waits until nothing is queued, and returns the subjects of the messages and of the events. */
const settled = Effect.fn(function* (server: Server, account: Account) {
  yield* eventually(
    "the queue is empty",
    rows(server.folder, "SELECT count(*) AS queued FROM inbound_queue"),
    ([row]) => row?.["queued"] === 0,
  )
  const stored = yield* messages(at(server, account))
  return {
    stored: stored.map(({ subject }) => subject).sort(),
    events: (yield* received(server.folder)).sort(),
  }
})

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
    60_000,
  )

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
    60_000 + ROUNDS * 10_000,
  )

  it.scopedLive(
    "a mail that its sender repeats, because the answer never came, is stored once",
    () =>
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
    60_000,
  )
})
