/** Which channels a process listens to (docs/decisions/0040). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { channelOf, make } from "../src/postgres/channels.js"

/** A connection that writes down what it is asked; it is lost while `isLost`. */
const connection = () => {
  const said: Array<string> = []
  const state = { isLost: false }
  const query = (text: string) =>
    state.isLost
      ? Effect.fail(new Error("lost"))
      : Effect.sync(() => {
          said.push(text)
          return []
        })
  return { query, said, state }
}

/** Lets what has been set off happen. */
const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow(), { discard: true })

describe("channels", () => {
  it("are 256 for accounts, one for work, and none for what stays in its process", () => {
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

  it.scoped("are listened to while somebody listens, each once, and before `listenTo` returns", () =>
    Effect.gen(function* () {
      const { query, said } = connection()
      const channels = yield* make
      yield* channels.renew({ query })
      yield* channels.follow({ query })
      expect(said.splice(0)).toEqual(["LISTEN mailroom"])
      const [one, two] = [yield* Scope.make(), yield* Scope.make()]
      yield* Scope.extend(channels.listenTo("mailroom_7"), one)
      expect(said.splice(0)).toEqual(["LISTEN mailroom_7"])
      yield* Scope.extend(channels.listenTo("mailroom_7"), two)
      yield* Scope.close(one, Exit.void)
      yield* turns
      expect(said.splice(0)).toEqual([])
      yield* Scope.close(two, Exit.void)
      yield* turns
      expect(said.splice(0)).toEqual(["UNLISTEN mailroom_7"])
    }),
  )

  it.scoped("that many ask for at once take one statement", () =>
    Effect.gen(function* () {
      const { query, said } = connection()
      const channels = yield* make
      yield* channels.follow({ query })
      yield* Effect.all(
        [1, 2, 3].map((n) => channels.listenTo(`mailroom_${n}`)),
        { concurrency: "unbounded" },
      )
      expect(said).toEqual(["LISTEN mailroom; LISTEN mailroom_1; LISTEN mailroom_2; LISTEN mailroom_3"])
    }),
  )

  it.scoped(
    "that are asked for while the connection is lost do not wait for it, and are listened to on the next",
    () =>
      Effect.gen(function* () {
        const { query, said, state } = connection()
        const channels = yield* make
        yield* channels.renew({ query })
        yield* channels.follow({ query })
        yield* channels.listenTo("mailroom_1")
        state.isLost = true
        yield* channels.listenTo("mailroom_2")
        state.isLost = false
        said.length = 0
        yield* channels.renew({ query })
        expect(said).toEqual(["LISTEN mailroom; LISTEN mailroom_1; LISTEN mailroom_2"])
      }),
  )
})
