/** DKIM by rule (RFC 6376, 8301, 8463): mails that mailauth signed, intact and changed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { raw } from "./support/mails.js"
import {
  envelope,
  evaluated,
  inZones,
  keyRecords,
  mailFrom,
  type SignWith,
  signedByOthers,
  type Zones,
} from "./support/senders.js"

const mail = mailFrom("ada@acme.dev", "To: agent@mailroom.dev")
const keyName = "s._domainkey.acme.dev"

const keyOf = (record: string, name = keyName): Zones => ({ [name]: { txt: [record] } })
const published = keyOf(keyRecords.rsa)

const dkim = (raw: Uint8Array, zones: Zones = published) =>
  Effect.map(evaluated(raw), (found) => found.dkim).pipe(inZones(zones))

const changed = (raw: Uint8Array, from: string | RegExp, to: string): Uint8Array => {
  const before = Buffer.from(raw).toString("latin1")
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  return Buffer.from(after, "latin1")
}

/** Signs a mail, changes it and verifies it. */
const afterwards = (options: SignWith, from: string | RegExp, to: string, zones: Zones = published) =>
  Effect.flatMap(signedByOthers(mail, options), (signed) => dkim(changed(signed, from, to), zones))

describe("a DKIM signature", () => {
  it.effect("passes, in every canonicalization (§3.4)", () =>
    Effect.gen(function* () {
      const untidy = raw(
        "From:  ada@acme.dev",
        "Subject: a \t b",
        "\tc ",
        "",
        "x  y\t ",
        "",
        "\t z",
        "",
        "",
        "",
      )
      for (const canonicalization of ["relaxed/relaxed", "simple/simple", "relaxed/simple", "simple/relaxed"])
        expect(yield* dkim(yield* signedByOthers(untidy, { canonicalization }))).toBe("pass")
    }),
  )

  it.effect("passes with Ed25519 (RFC 8463)", () =>
    Effect.gen(function* () {
      const signed = yield* signedByOthers(mail, { key: "ed25519" })
      expect(yield* dkim(signed, keyOf(keyRecords.ed25519))).toBe("pass")
      expect(yield* dkim(changed(signed, "Hello there", "Hello here"), keyOf(keyRecords.ed25519))).toBe(
        "fail",
      )
    }),
  )

  it.effect("is none for an unsigned mail", () =>
    Effect.gen(function* () {
      expect(yield* dkim(mail)).toBe("none")
    }),
  )

  for (const [what, from, to] of [
    ["the body changed", "Hello there", "Hello here"],
    ["something was appended to the body", /$/, "One more thing.\r\n"],
    ["a signed field changed", "Subject: hello", "Subject: goodbye"],
    ["the signature changed", /b=(?=[^;]*$)/m, "b=AAAA"],
  ] as const)
    it.effect(`fails when ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* afterwards({}, from, to)).toBe("fail")
      }),
    )

  it.effect("survives changes that relaxed canonicalization allows (§3.4.2, §3.4.4)", () =>
    Effect.gen(function* () {
      expect(yield* afterwards({}, "Subject: hello", "SUBJECT:\r\n  hello ")).toBe("pass")
      expect(yield* afterwards({}, "Hello there.", "Hello \t there.  ")).toBe("pass")
      expect(yield* afterwards({}, /$/, "\r\n\r\n")).toBe("pass")
    }),
  )

  it.effect("survives changes of unsigned fields", () =>
    Effect.gen(function* () {
      const from = { headers: ["From"] }
      expect(yield* afterwards(from, "Subject: hello", "Reply-To: eve@evil.dev")).toBe("pass")
    }),
  )

  it.effect("counts the same field from the last one up (§5.4.2)", () =>
    Effect.gen(function* () {
      const signed = yield* signedByOthers(mail, { headers: ["From", "Subject"] })
      expect(yield* dkim(changed(signed, "From:", "Subject: another\r\nFrom:"))).toBe("pass")
      expect(yield* dkim(changed(signed, "\r\nTo:", "\r\nSubject: another\r\nTo:"))).toBe("fail")
    }),
  )

  it.effect("passes only for the whole body (`l=`, §8.2)", () =>
    Effect.gen(function* () {
      const partly = { maxBodyLength: 14 }
      expect(yield* dkim(yield* signedByOthers(mail, partly))).toBe("pass")
      expect(yield* afterwards(partly, /$/, "One more thing.\r\n")).toBe("policy")
    }),
  )

  it.effect("that does not sign From is permerror (§5.4)", () =>
    Effect.gen(function* () {
      expect(yield* dkim(yield* signedByOthers(mail, { headers: ["Subject"] }))).toBe("permerror")
    }),
  )

  it.effect("is neutral once it expired (§3.5)", () =>
    Effect.gen(function* () {
      const until = (expires: number) =>
        Effect.flatMap(signedByOthers(mail, { expires: new Date(expires) }), (signed) => dkim(signed))
      expect(yield* until(envelope.receivedAt + 1000)).toBe("pass")
      expect(yield* until(envelope.receivedAt - 1000)).toBe("neutral")
    }),
  )

  it.effect("with SHA-1 is policy (RFC 8301 §3.1)", () =>
    Effect.gen(function* () {
      expect(yield* dkim(yield* signedByOthers(mail, { algorithm: "rsa-sha1" }))).toBe("policy")
    }),
  )

  for (const [what, from, to] of [
    ["of another version", "v=1", "v=2"],
    ["with an unknown algorithm", "a=rsa-sha256", "a=rot13"],
    ["without a selector", "s=s;", ""],
    ["with a tag twice", "v=1;", "v=1; d=evil.dev;"],
    ["by somebody else than it says (§3.5)", "v=1;", "v=1; i=ada@evil.dev;"],
    ["of a domain that is no name", "d=acme.dev", "d=acme"],
  ] as const)
    it.effect(`does not pass ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* afterwards({}, from, to)).not.toBe("pass")
      }),
    )
})

describe("the key of a DKIM signature (§3.6.1, §6.1.2)", () => {
  const withKey = (zones: Zones, options: SignWith = {}) =>
    Effect.flatMap(signedByOthers(mail, options), (signed) => dkim(signed, zones))

  const keys: ReadonlyArray<readonly [string, Zones, string, SignWith?]> = [
    ["is missing", {}, "neutral"],
    ["was revoked", keyOf("v=DKIM1; p="), "neutral"],
    ["is no key", keyOf("v=DKIM1; p=AAAA"), "neutral"],
    ["is of another kind", keyOf(keyRecords.ed25519), "neutral"],
    ["is of another version", keyOf(keyRecords.rsa.replace("DKIM1", "DKIM2")), "neutral"],
    ["is too weak (RFC 8301 §3.2)", keyOf(keyRecords.weak), "policy", { key: "weak" }],
    ["cannot be asked for", { [keyName]: "unavailable" }, "temperror"],
    ["names what it is for", keyOf(`${keyRecords.rsa}; s=email; h=sha1:sha256; n=; `), "pass"],
  ]
  for (const [what, zones, result, options] of keys)
    it.effect(`${what}: ${result}`, () =>
      Effect.gen(function* () {
        expect(yield* withKey(zones, options)).toBe(result)
      }),
    )
})

describe("several DKIM signatures", () => {
  const others: Zones = { ...published, ...keyOf(keyRecords.rsa, "s._domainkey.list.dev") }
  const twice = Effect.flatMap(signedByOthers(mail), (signed) =>
    signedByOthers(signed, { domain: "list.dev" }),
  )

  it.effect("the best one counts", () =>
    Effect.gen(function* () {
      const signed = yield* twice
      expect(yield* dkim(signed, others)).toBe("pass")
      expect(yield* dkim(signed, keyOf(keyRecords.rsa, "s._domainkey.list.dev"))).toBe("pass")
      expect(yield* dkim(signed, { ...others, "s._domainkey.list.dev": "unavailable" })).toBe("pass")
      expect(yield* dkim(signed, { "s._domainkey.list.dev": "unavailable" })).toBe("temperror")
    }),
  )

  it.effect("more than ten are not verified: permerror", () =>
    Effect.gen(function* () {
      const signed = yield* signedByOthers(mail)
      const junk = "DKIM-Signature: v=1; a=junk\r\n"
      const behind = (count: number) => Buffer.concat([Buffer.from(junk.repeat(count)), signed])
      expect(yield* dkim(behind(9))).toBe("pass")
      expect(yield* dkim(behind(10))).toBe("permerror")
      expect(yield* dkim(behind(1000))).toBe("permerror")
    }),
  )

  it.effect("more than ten are not verified, also in a padded header", () =>
    Effect.gen(function* () {
      const signed = yield* signedByOthers(mail)
      const filler = `X-Filler: ${"x ".repeat(20_000)}\r\n`
      const junk = "DKIM-Signature: v=1; a=junk\r\n".repeat(10)
      expect(yield* dkim(Buffer.concat([Buffer.from(filler), signed]))).toBe("pass")
      expect(yield* dkim(Buffer.concat([Buffer.from(filler + junk), signed]))).toBe("permerror")
    }),
  )

  it.effect("are not verified in a header of more than 10,000 lines, or with more than 200 names", () =>
    Effect.gen(function* () {
      const folded = (lines: number) => Buffer.from(`X-Folded: x${"\r\n x".repeat(lines)}\r\n`)
      const signed = yield* signedByOthers(mail)
      expect(yield* dkim(Buffer.concat([folded(9000), signed]))).toBe("pass")
      expect(yield* dkim(Buffer.concat([folded(10_000), signed]))).toBe("permerror")
      const naming = (names: number) =>
        Buffer.from(`DKIM-Signature: v=1; a=junk; h=${"x:".repeat(names)}x\r\n`)
      expect(yield* dkim(Buffer.concat([naming(199), signed]))).toBe("pass")
      expect(yield* dkim(Buffer.concat([naming(201), signed]))).toBe("permerror")
    }),
  )

  it.effect("prove nothing when another reader would read another header", () =>
    Effect.gen(function* () {
      const signed = Buffer.from(yield* signedByOthers(mail)).toString("latin1")
      const end = signed.search(/\r\n(?![ \t])/) + 2
      const [signature, rest] = [signed.slice(0, end), signed.slice(end)]
      expect(signature).toMatch(/^DKIM-Signature:/)
      const forged = "From: ceo@acme.dev\r\nSubject: Wire the money\r\n"
      const zones = { ...published, "_dmarc.acme.dev": { txt: ["v=DMARC1; p=reject"] } }
      for (const text of [
        // Two lines of text are the body of the message that we show; the signed header is behind them.
        `${signature}${forged}To the account below.\r\nAt once.\r\n${rest}`,
        `${signature}${forged}No field\r\n${rest}`,
        `From ada Sun Mar  1 00:00:00 2026\r\n${signed}`,
      ])
        expect(yield* evaluated(Buffer.from(text, "latin1")).pipe(inZones(zones))).toMatchObject({
          dkim: "permerror",
          dmarc: expect.not.stringContaining("pass"),
          verifiedDomain: null,
        })
    }),
  )

  it.effect("are not verified in a header beyond 64 kB, whose author is read", () =>
    Effect.gen(function* () {
      const signed = yield* signedByOthers(mail)
      const filler = `X-Filler: ${"x ".repeat(40_000)}\r\n`
      expect(
        yield* evaluated(Buffer.concat([Buffer.from(filler), signed])).pipe(
          inZones({ ...published, "_dmarc.acme.dev": { txt: ["v=DMARC1; p=reject"] } }),
        ),
      ).toMatchObject({ dkim: "permerror", dmarc: "fail" })
    }),
  )
})
