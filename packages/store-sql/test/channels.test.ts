/** The channels that a process listens to (docs/decisions/0040). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope, TestClock } from "effect"
import { channelOf, make } from "../src/postgres/channels.js"

/** A connection that records its statements; it is lost while `isLost`. */
const connection = () => {
  const statements: Array<string> = []
  const state = { isLost: false }
  const query = (text: string) =>
    state.isLost
      ? Effect.fail(new Error("lost"))
      : Effect.sync(() => {
          statements.push(text)
          return []
        })
  return { query, statements, state }
}

/** Yields until all started fibers are idle. */
const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

describe("channels", () => {
  it("are 256 for accounts, one for work, and none for topics that stay in their process", () => {
    const ids = Array.from(
      { length: 10_000 },
      (_, n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`,
    )
    expect(new Set(ids.map((id) => channelOf(`events:${id}`))).size).toBe(256)
    for (const id of ids.slice(0, 100)) expect(channelOf(`account:${id}`)).toBe(channelOf(`events:${id}`))
    expect([channelOf("mail"), channelOf("jobs"), channelOf("webhooks")]).toEqual([
      "mailroom",
      "mailroom",
      "mailroom",
    ])
    expect(channelOf("stream-slots")).toBeNull()
  })

  it.scoped("are listened to once, before `listenTo` returns, until the last listener leaves", () =>
    Effect.gen(function* () {
      const { query, statements } = connection()
      const channels = yield* make
      yield* channels.renew({ query })
      yield* channels.follow({ query })
      expect(statements.splice(0)).toEqual(["LISTEN mailroom"])
      const [one, two] = [yield* Scope.make(), yield* Scope.make()]
      yield* Scope.extend(channels.listenTo("mailroom_7"), one)
      expect(statements.splice(0)).toEqual(["LISTEN mailroom_7"])
      yield* Scope.extend(channels.listenTo("mailroom_7"), two)
      yield* Scope.close(one, Exit.void)
      yield* turns
      expect(statements.splice(0)).toEqual([])
      yield* Scope.close(two, Exit.void)
      yield* turns
      expect(statements.splice(0)).toEqual(["UNLISTEN mailroom_7"])
    }),
  )

  it.scoped("are listened to again by a listener that comes while UNLISTEN is under way", () =>
    Effect.gen(function* () {
      const { query, statements } = connection()
      const slow = (text: string) => Effect.delay(query(text), "20 millis")
      const channels = yield* make
      yield* channels.renew({ query })
      yield* channels.follow({ query: slow })
      const [one, two] = [yield* Scope.make(), yield* Scope.make()]
      yield* Effect.fork(Scope.extend(channels.listenTo("mailroom_7"), one))
      yield* TestClock.adjust("20 millis")
      yield* Scope.close(one, Exit.void)
      yield* TestClock.adjust("10 millis")
      yield* Effect.fork(Scope.extend(channels.listenTo("mailroom_7"), two))
      yield* TestClock.adjust("40 millis")
      expect(statements).toEqual([
        "LISTEN mailroom",
        "LISTEN mailroom_7",
        "UNLISTEN mailroom_7",
        "LISTEN mailroom_7",
      ])
    }),
  )

  it.scoped("of concurrent requests are listened to with one statement", () =>
    Effect.gen(function* () {
      const { query, statements } = connection()
      const channels = yield* make
      yield* channels.follow({ query })
      yield* Effect.all(
        [1, 2, 3].map((n) => channels.listenTo(`mailroom_${n}`)),
        { concurrency: "unbounded" },
      )
      expect(statements).toEqual(["LISTEN mailroom; LISTEN mailroom_1; LISTEN mailroom_2; LISTEN mailroom_3"])
    }),
  )

  it.scoped(
    "requested while the connection is lost do not wait, and are listened to on the next connection",
    () =>
      Effect.gen(function* () {
        const { query, statements, state } = connection()
        const channels = yield* make
        yield* channels.renew({ query })
        yield* channels.follow({ query })
        yield* channels.listenTo("mailroom_1")
        state.isLost = true
        yield* channels.listenTo("mailroom_2")
        state.isLost = false
        statements.length = 0
        yield* channels.renew({ query })
        expect(statements).toEqual(["LISTEN mailroom; LISTEN mailroom_1; LISTEN mailroom_2"])
      }),
  )
})
