/** A proof counts for the domain of the author that a message shows, and for no other (docs/specification/senders.md). */
import { describe, expect } from "@effect/vitest"
import { AddressLists, SenderAuthentication } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { received } from "./support/arrivals.js"
import { setPolicies } from "./support/drafts.js"
import { ruleWith } from "./support/mailroom.js"
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
