/** Memory that mail is read into (`mailMemory`). */
import { describe, expect, it } from "@effect/vitest"
import { Array, Effect } from "effect"
import { makeMailMemory } from "../src/inbound/mailMemory.js"

const MB = 1024 * 1024

describe("the memory of a mail that was read", () => {
  it.effect("is used again after the scope has closed, for mail of a similar size", () =>
    Effect.gen(function* () {
      const { scoped } = makeMailMemory()
      const give = (bytes: number) => Effect.scoped(Effect.map(scoped, (giveMemory) => giveMemory(bytes)))
      const first = yield* give(MB)
      expect(first).toHaveLength(MB)
      first.fill(1)
      const second = yield* give(MB - 5)
      expect(second.buffer).toBe(first.buffer)
      expect(second).toHaveLength(MB - 5)
      expect((yield* give(MB + 1)).buffer).not.toBe(first.buffer)
      expect((yield* give(MB / 2)).buffer).not.toBe(first.buffer)
    }),
  )

  it.effect("is nobody else's before that", () =>
    Effect.gen(function* () {
      const { scoped } = makeMailMemory()
      const mine = yield* Effect.scoped(Effect.map(scoped, (giveMemory) => giveMemory(MB)))
      const both = Effect.map(scoped, (giveMemory) => [giveMemory(MB), giveMemory(MB)])
      const buffers = yield* Effect.scoped(Effect.zipWith(both, both, (one, other) => [...one, ...other]))
      expect(new Set(buffers.map(({ buffer }) => buffer)).size).toBe(4)
      expect(buffers.map(({ buffer }) => buffer)).toContain(mine.buffer)
    }),
  )

  it.effect("is not used again after a failure or an interruption, when others may still read it", () =>
    Effect.gen(function* () {
      const { scoped } = makeMailMemory()
      for (const end of [Effect.die(new Error("broken")), Effect.interrupt]) {
        const used: Array<ArrayBufferLike> = []
        const giveUp = Effect.flatMap(scoped, (giveMemory) => {
          used.push(giveMemory(MB).buffer)
          return end
        })
        yield* Effect.exit(Effect.scoped(giveUp))
        const next = yield* Effect.scoped(Effect.map(scoped, (giveMemory) => giveMemory(MB)))
        expect(used).toHaveLength(1)
        expect(used).not.toContain(next.buffer)
      }
    }),
  )

  it.effect("is kept up to a bound, that of the last mails first", () =>
    Effect.gen(function* () {
      const { scoped } = makeMailMemory(4 * MB)
      const give = (sizes: ReadonlyArray<number>) =>
        Effect.scoped(Effect.map(scoped, (giveMemory) => sizes.map((bytes) => giveMemory(bytes).buffer)))
      const before = yield* give([MB, 8 * MB, MB, 2 * MB, MB])
      const after = yield* give([MB, 8 * MB, MB, 2 * MB, MB])
      expect(Array.intersection(after, before)).toHaveLength(3)
      expect(after).not.toContain(before[0])
      expect(after).not.toContain(before[1])
    }),
  )
})
