import { describe, expect, it, layer } from "@effect/vitest"
import { DkimKeys } from "@mailroom/engine"
import { NodeDkimKeys, SeededDkimKeys, SeededEntropy } from "@mailroom/security"
import { Effect, Layer } from "effect"
import { createPublicKey, sign, verify } from "node:crypto"

const generate = Effect.flatMap(DkimKeys, (keys) => keys.generate)

/** Reads the `p=` of a key record as a receiver does (RFC 6376 §3.6.1). */
const published = (publicKey: string) =>
  createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" })

/** Contract of the port `DkimKeys`. */
const dkimKeysContract = (name: string, keys: Layer.Layer<DkimKeys>) =>
  describe(`${name} as DkimKeys`, () => {
    layer(keys)((it) => {
      it.effect("returns an RSA key whose signatures the public key verifies", () =>
        Effect.gen(function* () {
          const { publicKey, privateKey } = yield* generate
          const headers = Buffer.from("from:ada@acme.dev\r\n")
          const signature = sign("sha256", headers, privateKey)
          expect(published(publicKey).asymmetricKeyType).toBe("rsa")
          expect(verify("sha256", headers, published(publicKey), signature)).toBe(true)
          expect(verify("sha256", Buffer.from("from:eve"), published(publicKey), signature)).toBe(false)
        }),
      )

      it.effect("returns the public key as one line of base64, the private key as PKCS #8", () =>
        Effect.gen(function* () {
          const { publicKey, privateKey } = yield* generate
          expect(publicKey).toMatch(/^[A-Za-z0-9+/]+=*$/)
          expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
        }),
      )

      it.effect("returns a different key each time, also concurrently", () =>
        Effect.gen(function* () {
          const pairs = yield* Effect.all([generate, generate, generate], { concurrency: "unbounded" })
          expect(new Set(pairs.map(({ publicKey }) => publicKey)).size).toBe(3)
        }),
      )
    })
  })

const seeded = (seed: string) => Layer.provide(SeededDkimKeys.layer, SeededEntropy.layer(seed))

dkimKeysContract("NodeDkimKeys", NodeDkimKeys.layer)
dkimKeysContract("SeededDkimKeys", seeded("seed"))

describe("NodeDkimKeys", () => {
  it.effect("returns keys of 2048 bits (RFC 8301 §3.2)", () =>
    Effect.gen(function* () {
      const { publicKey } = yield* generate
      expect(published(publicKey).asymmetricKeyDetails).toMatchObject({
        modulusLength: 2048,
        publicExponent: 65_537n,
      })
    }).pipe(Effect.provide(NodeDkimKeys.layer)),
  )
})

describe("SeededDkimKeys", () => {
  it.effect("returns the same keys for the same seed, and others for another", () =>
    Effect.gen(function* () {
      const under = (seed: string) => Effect.provide(generate, seeded(seed))
      const [one, again, other] = yield* Effect.all([under("a"), under("a"), under("b")])
      expect(again).toEqual(one)
      expect(other.publicKey).not.toBe(one.publicKey)
    }),
  )

  it.effect("returns keys of 1024 bits, the shortest that receivers accept", () =>
    Effect.gen(function* () {
      for (const { publicKey } of yield* Effect.replicateEffect(generate, 20))
        expect(published(publicKey).asymmetricKeyDetails?.modulusLength).toBe(1024)
    }).pipe(Effect.provide(seeded("lengths"))),
  )
})
