/** The contract of each `SenderAuthentication`. */
import type { SenderAuthentication } from "@mailroom/engine"
import { MemoryZones } from "@mailroom/network"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { evaluated, keyRecords, mailFrom, signedByOthers, type Zones } from "./support/senders.js"

const mail = mailFrom("ada@acme.dev")
/** Too large for the main thread to scan. */
const largeMail = Buffer.concat([mail, Buffer.from("Hello there.\r\n".repeat(2000))])

const zones: Zones = {
  "acme.dev": { txt: ["v=spf1 ip4:192.0.2.1 -all"] },
  "s._domainkey.acme.dev": { txt: [keyRecords.rsa] },
  "_dmarc.acme.dev": { txt: ["v=DMARC1; p=reject"] },
}

const publish = Effect.flatMap(MemoryZones, ({ put }) =>
  Effect.forEach(Object.entries(zones), ([name, records]) => put(name, records), { discard: true }),
)

const evaluate = (...given: Parameters<typeof evaluated>) => Effect.zipRight(publish, evaluated(...given))

/** A header beyond what the main thread scans. */
const longHeader = `X-Padding: ${"x\r\n ".repeat(9000)}x\r\n`

export const senderAuthenticationContract = <E>(
  name: string,
  authentication: Layer.Layer<SenderAuthentication | MemoryZones, E>,
): void => {
  describe(`${name} as SenderAuthentication`, () => {
    layer(authentication)((it) => {
      const passed = { spf: "pass", dkim: "pass", dmarc: "pass", verifiedDomain: "acme.dev" }

      for (const [size, raw] of [
        ["small", mail],
        ["large", largeMail],
      ] as const)
        it.effect(`evaluates a ${size} signed mail`, () =>
          Effect.gen(function* () {
            expect(yield* evaluate(yield* signedByOthers(raw))).toEqual(passed)
          }),
        )

      it.effect("evaluates an unsigned mail", () =>
        Effect.gen(function* () {
          expect(yield* evaluate(mail)).toEqual({ ...passed, dkim: "none" })
        }),
      )

      it.effect("evaluates a mail that was changed after signing, from another host", () =>
        Effect.gen(function* () {
          const changed = Buffer.concat([yield* signedByOthers(mail), Buffer.from("more\r\n")])
          expect(yield* evaluate(changed, { remoteAddress: "192.0.2.2" })).toEqual({
            spf: "fail",
            dkim: "fail",
            dmarc: "fail",
            dmarcPolicy: "reject",
            verifiedDomain: null,
          })
        }),
      )

      it.effect("reuses the verdict for the next mail of a sender, but not for another author or host", () =>
        Effect.gen(function* () {
          const unsigned = { ...passed, dkim: "none" }
          expect(yield* evaluate(mail)).toEqual(unsigned)
          expect(yield* evaluate(mail)).toEqual(unsigned)
          expect(yield* evaluate(mailFrom("ada@acme.example"))).toMatchObject({
            spf: "pass",
            dmarc: "none",
            verifiedDomain: null,
          })
          expect(yield* evaluate(mail, { remoteAddress: "192.0.2.3" })).toMatchObject({
            spf: "fail",
            dmarc: "fail",
            verifiedDomain: null,
          })
        }),
      )

      it.effect("reads a long header to its end", () =>
        Effect.gen(function* () {
          const signed = yield* signedByOthers(mail)
          expect(yield* evaluate(Buffer.concat([Buffer.from(longHeader), signed]))).toEqual(passed)
        }),
      )

      it.effect("does not detach or change the raw bytes, also when they are part of a larger buffer", () =>
        Effect.gen(function* () {
          const signed = yield* signedByOthers(mail)
          const pool = Buffer.concat([Buffer.from("From: eve@evil.dev\r\n"), signed, Buffer.from("more")])
          const part = pool.subarray(20, -4)
          expect(yield* evaluate(part)).toEqual(passed)
          expect(part).toEqual(Buffer.from(signed))
        }),
      )

      it.effect("gives every caller the answer to its own mail", () =>
        Effect.gen(function* () {
          const signed = yield* signedByOthers(largeMail)
          const changed = Buffer.concat([signed, Buffer.from("more\r\n")])
          const results = yield* Effect.forEach(
            Array.from({ length: 60 }, (_, n) => n),
            (n) => evaluate(n % 3 === 0 ? changed : signed),
            { concurrency: "unbounded" },
          )
          expect(results.map(({ dkim }) => dkim)).toEqual(
            results.map((_, n) => (n % 3 === 0 ? "fail" : "pass")),
          )
        }),
      )

      for (const [what, bytes] of [
        ["nothing", ""],
        ["a body", "\r\n\r\nhello"],
        ["no header at all", "hello"],
        ["zeros", "\0".repeat(100_000)],
        ["a line without an end", "x".repeat(100_000)],
        ["signatures that are none", "DKIM-Signature:\r\nDKIM-Signature: ;;;=\r\nARC-Seal: i\r\n\r\n"],
      ] as const)
        it.effect(`survives ${what}`, () =>
          Effect.gen(function* () {
            expect(yield* evaluate(Buffer.from(bytes))).toMatchObject({ spf: "pass", verifiedDomain: null })
          }),
        )
    })
  })
}
