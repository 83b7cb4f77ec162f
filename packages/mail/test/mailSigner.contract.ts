/** The contract of each `MailSigner`: others can verify its signatures. */
import { MailSigner, type SenderAuthentication } from "@mailroom/engine"
import { MemoryZones } from "@mailroom/network"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer, TestClock } from "effect"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { evaluated, keyPairs, keyRecords, mailFrom, pem } from "./support/senders.js"
import { raw, utf8 } from "./support/mails.js"

export const signingKey = { domain: "acme.dev", selector: "s", privateKey: pem(keyPairs.rsa.privateKey) }
const keyName = "s._domainkey.acme.dev"
const mail = mailFrom("ada@acme.dev", "To: agent@mailroom.dev", "Date: Sun, 01 Mar 2026 00:00:00 +0000")

const sign = (raw: Uint8Array) =>
  Effect.flatMap(MailSigner, ({ sign }) => Effect.map(sign(raw, signingKey), (signed) => Buffer.from(signed)))

const publish = Effect.flatMap(MemoryZones, ({ put }) => put(keyName, { txt: [keyRecords.rsa] }))

/** Each mail tests a rule of canonicalization. */
export const mailsToSign: ReadonlyArray<readonly [string, Uint8Array]> = [
  ["plain", mail],
  ["without a body", raw("From: ada@acme.dev", "", "")],
  ["with a body of empty lines", raw("From: ada@acme.dev", "", "", "", "")],
  [
    "with space everywhere",
    raw("From:  ada@acme.dev ", "Subject: a\tb ", "\t c", "", " a \t b\t ", "", "\t", "", ""),
  ],
  ["with fields twice", raw("From: ada@acme.dev", "To: a@b.dev", "To: c@d.dev", "", "x", "")],
  ["with 8-bit bytes", raw("From: ada@acme.dev", `Subject: ${utf8("début")}`, "", utf8("déjà vu"), "")],
  [
    "with a long list of references",
    mailFrom("ada@acme.dev", `References: ${"<a@b.dev>\r\n ".repeat(40)}<c@d.dev>`),
  ],
]

export const mailSignerContract = <E>(
  name: string,
  signer: Layer.Layer<MailSigner | SenderAuthentication | MemoryZones, E>,
): void => {
  describe(`${name} as MailSigner`, () => {
    layer(signer)((it) => {
      it.effect("adds one DKIM-Signature before the mail, and changes nothing else", () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_999)
          const signed = (yield* sign(mail)).toString("latin1")
          const field = signed.slice(0, -mail.length)
          expect(signed.slice(field.length)).toBe(Buffer.from(mail).toString("latin1"))
          expect(field).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=acme.dev;/)
          expect(field).toMatch(/^[^\r\n]{1,78}(?:\r\n [^\r\n]{1,77})*\r\n$/)
          expect(field).toContain(" t=1700000000;")
          expect(field).not.toContain("l=")
        }),
      )

      it.effect("makes the same signature for the same mail at the same time", () =>
        Effect.gen(function* () {
          expect(yield* sign(mail)).toEqual(yield* sign(mail))
        }),
      )

      for (const [what, raw] of mailsToSign)
        it.effect(`signs a mail ${what}, and mailauth and we verify it`, () =>
          Effect.gen(function* () {
            yield* publish
            const signed = yield* sign(raw)
            expect((yield* evaluated(signed)).dkim).toBe("pass")
            const resolver = async () => [[keyRecords.rsa]]
            const { results } = yield* Effect.promise(() => dkimVerify(signed, { resolver }))
            expect(results.map(({ signingDomain, status }) => [signingDomain, status.result])).toEqual([
              ["acme.dev", "pass"],
            ])
          }),
        )
    })
  })
}
