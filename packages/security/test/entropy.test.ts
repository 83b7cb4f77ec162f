import { describe, expect, it, layer } from "@effect/vitest"
import { Entropy } from "@mailroom/engine"
import { NodeEntropy, SeededEntropy } from "@mailroom/security"
import { Effect, type Layer } from "effect"

const draw = (length: number) =>
  Effect.flatMap(Entropy, ({ bytes }) =>
    Effect.map(bytes(length), (drawn) => Buffer.from(drawn).toString("hex")),
  )

/** Contract of the port `Entropy`. */
const entropyContract = (name: string, entropy: Layer.Layer<Entropy>) =>
  describe(`${name} as Entropy`, () => {
    layer(entropy)((it) => {
      it.effect("returns the requested number of bytes", () =>
        Effect.gen(function* () {
          const { bytes } = yield* Entropy
          for (const length of [0, 1, 16, 8191, 8192, 8193, 100_000])
            expect((yield* bytes(length)).length).toBe(length)
        }),
      )

      it.effect("returns different bytes each time", () =>
        Effect.gen(function* () {
          const drawn = new Set<string>()
          for (let count = 0; count < 5000; count++) drawn.add(yield* draw(16))
          expect(drawn.size).toBe(5000)
        }),
      )

      it.effect("does not change bytes that it returned", () =>
        Effect.gen(function* () {
          const { bytes } = yield* Entropy
          const kept = yield* bytes(32)
          const before = Buffer.from(kept).toString("hex")
          for (let count = 0; count < 2000; count++) yield* bytes(16)
          expect(Buffer.from(kept).toString("hex")).toBe(before)
        }),
      )

      it.effect("returns every value of a byte", () =>
        Effect.gen(function* () {
          const { bytes } = yield* Entropy
          expect(new Set(yield* bytes(100_000)).size).toBe(256)
        }),
      )
    })
  })

entropyContract("NodeEntropy", NodeEntropy.layer)
entropyContract("SeededEntropy", SeededEntropy.layer("seed"))

describe("SeededEntropy", () => {
  const under = (seed: string | number, ...lengths: ReadonlyArray<number>) =>
    Effect.provide(
      Effect.map(Effect.forEach(lengths, draw), (parts) => parts.join("")),
      SeededEntropy.layer(seed),
    )

  it.effect("returns the same bytes for the same seed", () =>
    Effect.gen(function* () {
      expect(yield* under(42, 16, 16)).toBe(yield* under(42, 16, 16))
    }),
  )

  it.effect("returns different bytes for another seed", () =>
    Effect.gen(function* () {
      expect(yield* under(42, 32)).not.toBe(yield* under(43, 32))
    }),
  )

  it.effect("returns one sequence, whatever the lengths of the calls", () =>
    Effect.gen(function* () {
      expect(yield* under(42, 1, 7, 24)).toBe(yield* under(42, 32))
    }),
  )
})
