/** Mail to postmaster@ and abuse@ (RFC 5321 §4.5.1, RFC 2142; docs/decisions/0056). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR, PASSED_ON_MAX_BYTES, ROLE_MAIL_PER_HOUR } from "@mailroom/domain"
import { Engine, Mailboxes, MailSpool, MessageChanges } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, TestClock } from "effect"
import { accepted, aMail, type MailText, SENDER } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { verifiedDomain } from "./support/domains.js"
import { rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { lastMailTo, mailsTo, outbox } from "./support/outbox.js"
import { as, type Owner, paying, unverified, verified } from "./support/owners.js"
import { listed, newest } from "./support/reading.js"
import { send } from "./support/sends.js"

const OPERATOR = "ops@operator.dev"
const rows = (slug: string) => [`postmaster@${slug}.mailroom.localhost`, `abuse@${slug}.mailroom.localhost`]

/** Delivers the accepted mail, and runs the jobs that pass it on. */
const settled = Effect.zipRight(Engine.settle, Engine.settle)

const received = (to: string, mail: MailText = {}) => Effect.zipRight(accepted(to, aMail(mail)), settled)

/** The owner creates the mailbox `abuse`. */
const abuseMailbox = (owner: Owner) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    yield* mailboxes.create(yield* as(owner), { localPart: "abuse", displayName: null, domainId: null })
    yield* settled
  })

const verdictsOn = (...addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const spool = yield* MailSpool
    return (yield* spool.recipients(addresses.map((to) => ({ from: "ada@example.org", to })))).map(
      ({ kind }) => kind,
    )
  })

describe("postmaster@ and abuse@ of an account's domain", () => {
  rule(
    "reach the owner: the original mail is attached, and an answer goes to its author",
    Effect.gen(function* () {
      const owner = yield* verified()
      const raw = aMail({ subject: "Spam from you", text: "See below.", files: [] })
      for (const address of rows("acme")) {
        expect(yield* verdictsOn(address, address.toUpperCase())).toEqual(["accepted", "accepted"])
        yield* Effect.zipRight(accepted(address, raw), settled)
        const { mail, bytes } = yield* lastMailTo(owner.email)
        expect(mail.subject).toBe(`[${address}] Spam from you`)
        expect(mail.from?.address).toBe("no-reply@mailroom.localhost")
        expect(mail.replyTo.map((one) => one.address)).toEqual([SENDER])
        expect(mail.headers["auto-submitted"]).toBe("auto-generated")
        expect(bytes.map((file) => Buffer.from(file).toString())).toEqual([Buffer.from(raw).toString()])
      }
      expect(yield* listed(owner)).toEqual([])
    }),
  )

  rule(
    "reach the owner of a custom domain",
    Effect.gen(function* () {
      const owner = yield* paying()
      expect(yield* verdictsOn("abuse@acme.dev")).toEqual(["unknown"])
      yield* verifiedDomain(owner, "acme.dev")
      expect(yield* verdictsOn("abuse@acme.dev", "postmaster@acme.dev", "x@acme.dev")).toEqual([
        "accepted",
        "accepted",
        "unknown",
      ])
      yield* received("abuse@acme.dev", { subject: "Hello" })
      expect((yield* lastMailTo(owner.email)).mail.subject).toBe("[abuse@acme.dev] Hello")
    }),
  )

  rule(
    "are ordinary mailboxes when the account has mailboxes of these names",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* abuseMailbox(owner)
      yield* received("abuse@acme.mailroom.localhost", { subject: "Hello" })
      expect(yield* mailsTo(owner.email)).toHaveLength((yield* outbox).length)
      expect((yield* outbox).filter(({ mail }) => mail.subject.includes("Hello"))).toEqual([])
      expect(yield* verdictsOn(...rows("acme"))).toEqual(["accepted", "accepted"])
    }),
  )

  rule(
    "are unknown when no account has the domain, or its owner's email is not verified",
    Effect.gen(function* () {
      yield* unverified()
      expect(
        yield* verdictsOn(...rows("acme"), ...rows("nobody"), "abuse@elsewhere.org", "postmaster"),
      ).toEqual(Array.from({ length: 6 }, () => "unknown"))
    }),
  )

  rule(
    "accept mail from mailboxes of the same service",
    Effect.gen(function* () {
      const owner = yield* verified()
      const other = yield* paying("other")
      yield* send(other, { to: ["abuse@acme.mailroom.localhost"], subject: "Stop it" })
      yield* settled
      expect((yield* lastMailTo(owner.email)).mail.subject).toContain("Stop it")
    }),
  )
})

describe("postmaster@ and abuse@ of the platform domain", () => {
  const platform = ["postmaster@mailroom.localhost", "abuse@mailroom.localhost", "Postmaster"]

  ruleUnder({ postmasterEmail: OPERATOR })(
    "reach the operator, also without a domain (RFC 5321 §4.5.1)",
    Effect.gen(function* () {
      expect(yield* verdictsOn(...platform)).toEqual(["accepted", "accepted", "accepted"])
      for (const address of platform) yield* received(address)
      expect((yield* mailsTo(OPERATOR)).map(({ mail }) => mail.subject)).toEqual([
        "[postmaster@mailroom.localhost] Hello",
        "[abuse@mailroom.localhost] Hello",
        "[postmaster@mailroom.localhost] Hello",
      ])
    }),
  )

  rule(
    "are unknown without POSTMASTER_EMAIL",
    Effect.map(verdictsOn(...platform), (kinds) => expect(kinds).toEqual(["unknown", "unknown", "unknown"])),
  )

  ruleUnder({ postmasterEmail: "abuse@mailroom.localhost" })(
    "are unknown when the operator's address is one of them",
    Effect.map(verdictsOn(...platform), (kinds) => expect(kinds).toEqual(["unknown", "unknown", "unknown"])),
  )
})

describe("mail to a role address", () => {
  rule(
    "is deferred above 60 mails an hour and domain, and accepted again in the next hour",
    Effect.gen(function* () {
      yield* verified()
      yield* verified("other")
      const [postmaster = "", abuse = ""] = rows("acme")
      for (let n = 0; n < ROLE_MAIL_PER_HOUR; n++) {
        expect(yield* verdictsOn(postmaster)).toEqual(["accepted"])
        yield* accepted(abuse, aMail())
      }
      expect(yield* verdictsOn(postmaster, ...rows("other"))).toEqual(["busy", "accepted", "accepted"])
      yield* TestClock.adjust(1 * HOUR)
      expect(yield* verdictsOn(postmaster)).toEqual(["accepted"])
    }),
  )

  rule(
    "counts when it is accepted: recipients without a mail close no address for others",
    Effect.gen(function* () {
      yield* verified()
      const [postmaster = "", abuse = ""] = rows("acme")
      const asked = yield* verdictsOn(...Array.from({ length: ROLE_MAIL_PER_HOUR + 1 }, () => postmaster))
      expect(new Set(asked)).toEqual(new Set(["accepted"]))
      expect(yield* verdictsOn(postmaster, abuse)).toEqual(["accepted", "accepted"])
    }),
  )

  rule(
    "for a mailbox of that name does not count for the other address",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* abuseMailbox(owner)
      const [postmaster = "", abuse = ""] = rows("acme")
      for (let n = 0; n < ROLE_MAIL_PER_HOUR; n++) yield* accepted(abuse, aMail())
      expect(yield* verdictsOn(postmaster)).toEqual(["accepted"])
    }),
  )

  rule(
    "is passed on once, whatever tags of the address it is for",
    Effect.gen(function* () {
      const owner = yield* verified()
      const before = (yield* mailsTo(owner.email)).length
      const [, abuse = ""] = rows("acme")
      yield* accepted([abuse, abuse.replace("@", "+1@"), abuse.replace("@", "+2@")], aMail())
      yield* settled
      expect((yield* mailsTo(owner.email)).slice(before).map(({ mail }) => mail.subject)).toEqual([
        `[${abuse}] Hello`,
      ])
    }),
  )

  rule(
    "from the service itself is not passed on again",
    Effect.gen(function* () {
      const owner = yield* verified()
      const before = yield* mailsTo(owner.email)
      yield* received("abuse@acme.mailroom.localhost", { from: "No-Reply@mailroom.localhost" })
      expect(yield* mailsTo(owner.email)).toHaveLength(before.length)
    }),
  )

  ruleWith(watchedBlobs)(
    "waits for an unavailable relay, and leaves no bytes behind after it is passed on or given up",
    Effect.gen(function* () {
      const owner = yield* verified()
      const relay = yield* MemoryRelay
      const large = Buffer.alloc(100_000, "x").toString()
      const before = yield* blobKeys
      const sent = (yield* mailsTo(owner.email)).length
      yield* relay.reachable(false)
      const files = [{ name: "a.bin", bytes: Buffer.from(large) }]
      yield* received("abuse@acme.mailroom.localhost", { files })
      expect(yield* mailsTo(owner.email)).toHaveLength(sent)
      yield* relay.reachable(true)
      yield* Effect.zipRight(TestClock.adjust(1 * HOUR), settled)
      expect(yield* mailsTo(owner.email)).toHaveLength(sent + 1)
      expect(yield* blobKeys).toEqual(before)

      yield* relay.reachable(false)
      yield* received("abuse@acme.mailroom.localhost", { files })
      yield* Effect.zipRight(TestClock.adjust(4 * DAY), settled)
      yield* relay.reachable(true)
      yield* Effect.zipRight(TestClock.adjust(1 * DAY), settled)
      expect(yield* mailsTo(owner.email)).toHaveLength(sent + 1)
      expect(yield* blobKeys).toEqual(before)
    }),
  )

  rule(
    "that came to a mailbox too is passed on after the message was deleted",
    Effect.gen(function* () {
      const owner = yield* verified()
      const relay = yield* MemoryRelay
      yield* relay.reachable(false)
      yield* accepted([owner.address, "abuse@acme.mailroom.localhost"], aMail({ subject: "To both" }))
      yield* settled
      const { id } = yield* newest(owner)
      const changes = yield* MessageChanges
      yield* changes.remove(yield* as(owner), owner.mailboxId, id)
      yield* relay.reachable(true)
      yield* Effect.zipRight(TestClock.adjust(1 * HOUR), settled)
      expect((yield* lastMailTo(owner.email)).mail.subject).toBe("[abuse@acme.mailroom.localhost] To both")
    }),
  )

  rule(
    "above the size limit is passed on in part",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* received("abuse@acme.mailroom.localhost", {
        text: `${"x".repeat(998)}\r\n`.repeat(PASSED_ON_MAX_BYTES / 1000 + 1),
      })
      const { mail, bytes } = yield* lastMailTo(owner.email)
      expect(mail.text).toContain("too large")
      expect(bytes.map((file) => file.length)).toEqual([256 * 1024])
    }),
  )
})
