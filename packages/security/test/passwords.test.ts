import { describe, expect, it, layer } from "@effect/vitest"
import { Passwords } from "@mailroom/engine"
import { Argon2Passwords, DigestPasswords, SeededEntropy } from "@mailroom/security"
import { hash as argon2 } from "@node-rs/argon2"
import { Effect, Layer } from "effect"

/** Contract of the port `Passwords`. */
const passwordsContract = (name: string, passwords: Layer.Layer<Passwords>) =>
  describe(`${name} as Passwords`, () => {
    layer(passwords)((it) => {
      it.effect("verifies the hashed password, and no other", () =>
        Effect.gen(function* () {
          const { hash, verify } = yield* Passwords
          const hashed = yield* hash("correct horse ✓")
          expect(yield* verify(hashed, "correct horse ✓")).toBe(true)
          for (const wrong of ["", "correct horse", "Correct horse ✓", "correct horse ✓ "])
            expect(yield* verify(hashed, wrong)).toBe(false)
        }),
      )

      it.effect("salts: the same password has a different hash each time", () =>
        Effect.gen(function* () {
          const { hash } = yield* Passwords
          expect(yield* hash("password")).not.toBe(yield* hash("password"))
        }),
      )

      it.effect("does not contain the password in the hash", () =>
        Effect.gen(function* () {
          const { hash } = yield* Passwords
          expect(yield* hash("password")).not.toContain("password")
        }),
      )

      it.effect("verifies no password against a malformed hash", () =>
        Effect.gen(function* () {
          const { hash, verify } = yield* Passwords
          const hashed = yield* hash("password")
          for (const malformed of [
            "",
            "password",
            "$argon2id$",
            "$2b$10$abc",
            hashed.slice(0, -1),
            `${hashed}$x`,
            "a$b$c",
          ])
            expect(yield* verify(malformed, "password"), malformed).toBe(false)
        }),
      )

      it.effect("hashes many concurrently", () =>
        Effect.gen(function* () {
          const { hash, verify } = yield* Passwords
          const words = Array.from({ length: 12 }, (_, number) => `password ${number}`)
          const fits = yield* Effect.forEach(
            words,
            (word) => Effect.flatMap(hash(word), (hashed) => verify(hashed, word)),
            { concurrency: "unbounded" },
          )
          expect(fits).toEqual(words.map(() => true))
        }),
      )
    })
  })

passwordsContract("Argon2Passwords", Argon2Passwords.layer)
passwordsContract("DigestPasswords", Layer.provide(DigestPasswords.layer, SeededEntropy.layer("seed")))

describe("Argon2Passwords", () => {
  it.effect("writes argon2id and its parameters into the hash", () =>
    Effect.gen(function* () {
      const { hash } = yield* Passwords
      expect(yield* hash("password")).toMatch(
        /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/,
      )
    }).pipe(Effect.provide(Argon2Passwords.layer)),
  )

  it.effect("verifies hashes made with other parameters", () =>
    Effect.gen(function* () {
      const { verify } = yield* Passwords
      const parameters = { memoryCost: 64, timeCost: 1, parallelism: 2, outputLen: 24 }
      const hashed = yield* Effect.promise(() => argon2("password", parameters))
      expect(yield* verify(hashed, "password")).toBe(true)
      expect(yield* verify(hashed, "passwore")).toBe(false)
    }).pipe(Effect.provide(Argon2Passwords.layer)),
  )
})

describe("DigestPasswords", () => {
  it.effect("marks every hash as for tests", () =>
    Effect.gen(function* () {
      const { hash } = yield* Passwords
      expect(yield* hash("password")).toMatch(/^tests-only-/)
    }).pipe(Effect.provide(Layer.provide(DigestPasswords.layer, SeededEntropy.layer(1)))),
  )
})
