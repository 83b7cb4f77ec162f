import { describe, expect, layer, it } from "@effect/vitest"
import { Entropy, Vault } from "@mailroom/engine"
import { NodeEntropy, NodeVault, SecretKeyDoesNotFit, SeededEntropy } from "@mailroom/security"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"

const vaultWith = (secretKey: string) =>
  Layer.provide(NodeVault.layer(Redacted.make(secretKey)), NodeEntropy.layer)

/** Contract of the port `Vault`. */
const vaultContract = (name: string, vaultFor: (secretKey: string) => Layer.Layer<Vault>) =>
  describe(`${name} as Vault`, () => {
    const under = <A, E>(secretKey: string, use: Effect.Effect<A, E, Vault>) =>
      Effect.provide(use, vaultFor(secretKey))

    layer(vaultFor("a secret key"))((it) => {
      it.effect("digests with SHA-256 in lower-case hex", () =>
        Effect.gen(function* () {
          const { digest } = yield* Vault
          // FIPS 180-2, appendix B.1
          expect(digest("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
          expect(digest(new TextEncoder().encode("abc"))).toBe(digest("abc"))
        }),
      )

      it.effect("computes HMAC-SHA256 under the caller's key", () =>
        Effect.gen(function* () {
          const { hmac } = yield* Vault
          // RFC 4231, test case 2
          expect(Buffer.from(hmac(Buffer.from("Jefe"), "what do ya want for nothing?")).toString("hex")).toBe(
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
          )
        }),
      )

      it.effect("verifies its own signature", () =>
        Effect.gen(function* () {
          const { sign, verify } = yield* Vault
          const signature = sign("download", "attachment 1")
          expect(signature).toMatch(/^[A-Za-z0-9_-]{43}$/)
          expect(verify("download", "attachment 1", signature)).toBe(true)
        }),
      )

      it.effect("refuses a signature of another text, another purpose or another split of the two", () =>
        Effect.gen(function* () {
          const { sign, verify } = yield* Vault
          const signature = sign("download", "attachment 1")
          expect(verify("download", "attachment 2", signature)).toBe(false)
          expect(verify("checkout", "attachment 1", signature)).toBe(false)
          expect(verify("down", "loadattachment 1", signature)).toBe(false)
          expect(verify("", "download:attachment 1", signature)).toBe(false)
        }),
      )

      it.effect("refuses every text that is not exactly the signature", () =>
        Effect.gen(function* () {
          const { sign, verify } = yield* Vault
          const signature = sign("download", "x")
          const last = signature.slice(-1) === "A" ? "B" : "A"
          for (const wrong of [
            "",
            "é",
            signature.slice(1),
            `${signature}=`,
            `${signature} `,
            signature.slice(0, -1) + last,
          ])
            expect(verify("download", "x", wrong)).toBe(false)
        }),
      )

      it.effect("opens a sealed text", () =>
        Effect.gen(function* () {
          const { seal, open } = yield* Vault
          for (const plaintext of ["", "whsec_c2VjcmV0", "Grüße ✓ 🚀", "x".repeat(100_000)])
            expect(yield* open(yield* seal(plaintext))).toBe(plaintext)
        }),
      )

      it.effect("seals the same text differently each time, without containing it", () =>
        Effect.gen(function* () {
          const { seal } = yield* Vault
          const [one, two] = [yield* seal("secret words"), yield* seal("secret words")]
          expect(one).toMatch(/^v1\.[A-Za-z0-9_-]+$/)
          expect(one).not.toBe(two)
          expect(Buffer.from(one.slice(3), "base64url").toString("latin1")).not.toContain("secret")
        }),
      )

      it.effect("dies for a sealed text with any byte changed", () =>
        Effect.gen(function* () {
          const { seal, open } = yield* Vault
          const bytes = Buffer.from((yield* seal("secret")).slice(3), "base64url")
          for (let index = 0; index < bytes.length; index++) {
            const changed = Buffer.from(bytes)
            changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
            const exit = yield* Effect.exit(open(`v1.${changed.toString("base64url")}`))
            expect(Exit.isFailure(exit)).toBe(true)
          }
        }),
      )

      it.effect("dies for texts that were never sealed", () =>
        Effect.gen(function* () {
          const { seal, open } = yield* Vault
          const sealed = yield* seal("secret")
          for (const foreign of [
            "",
            "v1.",
            "v1.AAAA",
            "secret",
            sealed.slice(3),
            `v2${sealed.slice(2)}`,
            sealed.slice(0, -4),
          ])
            expect(Exit.isFailure(yield* Effect.exit(open(foreign))), foreign).toBe(true)
        }),
      )
    })

    it.effect("is the same under the same SECRET_KEY", () =>
      Effect.gen(function* () {
        const sealed = yield* under(
          "key 1",
          Effect.flatMap(Vault, ({ seal }) => seal("secret")),
        )
        expect(
          yield* under(
            "key 1",
            Effect.flatMap(Vault, ({ open }) => open(sealed)),
          ),
        ).toBe("secret")
        const signed = Effect.map(Vault, ({ sign }) => sign("purpose", "text"))
        expect(yield* under("key 1", signed)).toBe(yield* under("key 1", signed))
      }),
    )

    it.effect("signs differently under another SECRET_KEY", () =>
      Effect.gen(function* () {
        const signature = yield* under(
          "key 1",
          Effect.map(Vault, ({ sign }) => sign("purpose", "text")),
        )
        const verified = Effect.map(Vault, ({ verify }) => verify("purpose", "text", signature))
        expect(yield* under("key 1", verified)).toBe(true)
        expect(yield* under("key 2", verified)).toBe(false)
      }),
    )

    it.effect("reports that the secret key does not fit when another key sealed the text", () =>
      Effect.gen(function* () {
        const sealed = yield* under(
          "key 1",
          Effect.flatMap(Vault, ({ seal }) => seal("secret")),
        )
        const exit = yield* Effect.exit(
          under(
            "key 2",
            Effect.flatMap(Vault, ({ open }) => open(sealed)),
          ),
        )
        const defect = Exit.isFailure(exit) ? [...Cause.defects(exit.cause)][0] : null
        expect(defect).toBeInstanceOf(SecretKeyDoesNotFit)
        expect(String(defect)).toContain("The secret key does not fit")
        expect(String(defect)).not.toContain("key 2")
      }),
    )
  })

vaultContract("NodeVault", vaultWith)

describe("NodeVault", () => {
  it.effect("draws the nonce from Entropy", () =>
    Effect.gen(function* () {
      const seeded = Layer.provide(NodeVault.layer(Redacted.make("key")), SeededEntropy.layer(7))
      const sealed = yield* Effect.provide(
        Effect.flatMap(Vault, ({ seal }) => seal("secret")),
        seeded,
      )
      const nonce = yield* Effect.provide(
        Effect.flatMap(Entropy, ({ bytes }) => bytes(12)),
        SeededEntropy.layer(7),
      )
      expect(Buffer.from(sealed.slice(3), "base64url").subarray(0, 12).equals(nonce)).toBe(true)
    }),
  )

  it.effect("is deterministic over a seeded Entropy", () =>
    Effect.gen(function* () {
      const seeded = Layer.provide(NodeVault.layer(Redacted.make("key")), SeededEntropy.layer(7))
      const sealing = Effect.provide(
        Effect.flatMap(Vault, ({ seal }) => seal("secret")),
        seeded,
      )
      expect(yield* sealing).toBe(yield* sealing)
    }),
  )
})
