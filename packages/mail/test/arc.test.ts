/** ARC by rule (RFC 8617): chains that mailauth sealed, intact and changed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sealMessage } from "mailauth/lib/arc/index.js"
import { evaluated, inZones, keyPairs, keyRecords, mailFrom, pem, type Zones } from "./support/senders.js"

const published: Zones = { "s._domainkey.list.dev": { txt: [keyRecords.rsa] } }

/** Forwarded and sealed by list.dev, as instance `i`. */
const forwarded = (raw: Uint8Array, i: number, cv = i === 1 ? "none" : "pass") =>
  Effect.promise(async () => {
    /** Which link of the chain it is: left out of mailauth's types. */
    const link: object = { i, cv, authResults: "mx.list.dev; spf=pass smtp.mailfrom=acme.dev" }
    const seal = await sealMessage(Buffer.from(raw), {
      ...link,
      signingDomain: "list.dev",
      selector: "s",
      privateKey: pem(keyPairs.rsa.privateKey),
      signTime: new Date(1_700_000_000_000),
    })
    return Buffer.concat([seal, raw])
  })

const mail = mailFrom("ada@acme.dev")
const once = forwarded(mail, 1)
const twice = Effect.flatMap(once, (raw) => forwarded(raw, 2))

const arc = (raw: Uint8Array, zones: Zones = published) =>
  Effect.map(evaluated(raw), (found) => found.arc).pipe(inZones(zones))

const changed = (raw: Uint8Array, from: string | RegExp, to: string): Uint8Array => {
  const before = Buffer.from(raw).toString("latin1")
  const after = before.replace(from, to)
  expect(after).not.toBe(before)
  return Buffer.from(after, "latin1")
}

describe("an ARC chain", () => {
  it.effect("has no result in a mail without one", () =>
    Effect.gen(function* () {
      expect(yield* evaluated(mail).pipe(inZones({}))).not.toHaveProperty("arc")
    }),
  )

  it.effect("passes with one forwarder, and with two", () =>
    Effect.gen(function* () {
      expect(yield* arc(yield* once)).toBe("pass")
      expect(yield* arc(yield* twice)).toBe("pass")
    }),
  )

  it.effect("verifies no author", () =>
    Effect.gen(function* () {
      const found = yield* evaluated(yield* once).pipe(inZones(published))
      expect(found).toMatchObject({ arc: "pass", dkim: "none", verifiedDomain: null })
    }),
  )

  for (const [what, from, to] of [
    ["the body changed", "Hello there", "Hello here"],
    ["a signed field changed", "Subject: hello", "Subject: goodbye"],
    ["the results of the first were changed", /(i=1; mx\.list\.dev; spf=)pass/, "$1fail"],
    ["a seal was changed", /(ARC-Seal: i=1;[^]*?b=)[\w+/]{8}/, "$1AAAAAAAA"],
    ["a field of a set is missing", /ARC-Authentication-Results: i=1[^\r]*(\r\n\s[^\r]*)*\r\n/, ""],
    ["a set is missing", /i=1;/g, "i=3;"],
    ["a set is there twice", /i=2;/g, "i=1;"],
    ["somebody saw it broken", "cv=pass", "cv=fail"],
  ] as const)
    it.effect(`fails when ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* arc(changed(yield* twice, from, to))).toBe("fail")
      }),
    )

  it.effect("fails without the key, and while its name servers are silent", () =>
    Effect.gen(function* () {
      expect(yield* arc(yield* once, {})).toBe("fail")
      expect(yield* arc(yield* once, { "s._domainkey.list.dev": "unavailable" })).toBe("fail")
    }),
  )

  it.effect("is not verified beyond ten sets", () =>
    Effect.gen(function* () {
      const field = "ARC-Seal: i=1; a=rsa-sha256; cv=none; d=list.dev; s=s; b=AAAA\r\n"
      expect(yield* arc(Buffer.concat([Buffer.from(field.repeat(31)), mail]))).toBeUndefined()
    }),
  )
})
