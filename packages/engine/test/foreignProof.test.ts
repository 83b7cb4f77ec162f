/** A proof counts for the domain of the author that a message shows, and for no other (docs/specification/senders.md). */
import { describe, expect } from "@effect/vitest"
import { AddressLists, Engine, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { accepted, received } from "./support/arrivals.js"
import { putDns } from "./support/domains.js"
import { setPolicies } from "./support/drafts.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { as, paying } from "./support/owners.js"
import { listed, newest } from "./support/reading.js"
import { trySend } from "./support/sends.js"

/** Proves a domain of a stranger, whatever From is: as if the checks had read another author than the message shows. */
const anotherDomain = Layer.succeed(SenderAuthentication, {
  evaluate: () => Effect.succeed({ spf: "pass", dkim: "pass", dmarc: "pass", verifiedDomain: "evil.dev" }),
  known: () => null,
})

describe("a mail whose checks prove another domain than that of its author", () => {
  ruleWith(anotherDomain)(
    "is not the owner's, counts for no allow list, and makes nobody a known recipient",
    Effect.gen(function* () {
      const owner = yield* paying()
      const lists = yield* AddressLists
      const allow = { mailboxId: null, direction: "receive", kind: "allow" } as const
      yield* lists.add(yield* as(owner), allow, { entry: owner.email, reason: null })
      yield* received(owner.address, { from: owner.email })
      expect((yield* newest(owner)).trust).toEqual({ level: "unverified", reasons: [] })
      yield* setPolicies(owner, { outboundPolicy: "review_new", receivePolicy: "allowlisted" })
      expect(yield* trySend(owner, { to: [owner.email] })).toMatchObject({ kind: "held" })
      yield* received(owner.address, { from: owner.email, id: "<second@evil.dev>" })
      expect(yield* listed(owner)).toHaveLength(1)
    }),
  )
})

/** A From with two readings: in Shift_JIS the backslash is the second byte of a character, so that the quoted string ends after it. */
const twoReadings = Buffer.from(
  [
    'From: "\x83\\" <ceo@bank.com> (" <mallory@attacker.dev>',
    "Subject: Wire transfer",
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=shift_jis",
    "",
    "Please pay.",
  ].join("\r\n"),
  "latin1",
)

describe("a mail whose author depends on the charset of its header", () => {
  for (const [what, header] of [
    ["unsigned", ""],
    ["with a signature", "DKIM-Signature: v=1; a=rsa-sha256\r\n"],
  ] as const)
    rule(
      `is proven for the author that the message shows, ${what}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* putDns("attacker.dev", { txt: ["v=spf1 ip4:203.0.113.9 -all"] })
        yield* putDns("_dmarc.attacker.dev", { txt: ["v=DMARC1; p=none"] })
        yield* putDns("_dmarc.bank.com", { txt: ["v=DMARC1; p=reject"] })
        const mail = Buffer.concat([Buffer.from(header), twoReadings])
        yield* accepted(owner.address, mail, "mallory@attacker.dev")
        yield* Engine.settle
        expect(yield* newest(owner)).toMatchObject({
          fromAddress: "ceo@bank.com",
          authentication: { spf: "pass", dmarc: "fail", verifiedDomain: null },
          trust: { level: "suspicious" },
        })
      }),
    )
})
