/** Deleting an account removes everything it owns (`spec: account.delete.200`; docs/decisions/0013). */
import { describe, expect } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import {
  AccountRemoval,
  AccountRemovalStore,
  Accounts,
  ApiKeys,
  Attachments,
  Authentication,
  Billing,
  Blobs,
  DeliveryWorker,
  Engine,
  Mailboxes,
  PasswordReset,
  MailSpool,
} from "@mailroom/engine"
import { MemoryReceivers } from "@mailroom/network"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Deferred, Effect, Fiber, Layer, Stream, TestClock } from "effect"
import { accepted, aMail, received, receivedMany } from "./support/arrivals.js"
import { blobKeys, watchedBlobs } from "./support/blobs.js"
import { addDomain, suppress } from "./support/changes.js"
import { claim, publish, verifiedDomain, verify } from "./support/domains.js"
import { takingTurns } from "./support/concurrency.js"
import { NOON, rule, ruleWith } from "./support/mailroom.js"
import { mailsTo } from "./support/outbox.js"
import {
  as,
  aSignup,
  type Owner,
  paying,
  signUp,
  tokenIn,
  unverified,
  verificationToken,
  verified,
} from "./support/owners.js"
import { listed, newest } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, send, upload } from "./support/sends.js"
import { Relaying, slowRelay } from "./support/slowRelay.js"
import { readableStores, tablesWith } from "./support/tables.js"
import { countTo, subscribe, URL_ONE } from "./support/webhooks.js"

const remove = (owner: Pick<Owner, "key">) =>
  Effect.gen(function* () {
    const removal = yield* AccountRemoval
    yield* removal.remove(yield* as(owner))
  })

const signIn = (owner: Owner) =>
  Effect.flatMap(Authentication, (authentication) =>
    authentication.signIn(owner.email, aSignup("acme").password, "192.0.2.7"),
  )

const verdict = (address: string) =>
  Effect.flatMap(MailSpool, ({ recipients }) =>
    Effect.map(recipients([{ from: "ada@example.org", to: address }]), ([one]) => one?.kind),
  )

const check = (slug: string) => Effect.flatMap(Accounts, (accounts) => accounts.checkSlug(slug, "somebody"))

const checkout = (owner: Owner) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const { url } = yield* billing.upgrade(yield* as(owner), { plan: "Growth", period: "monthly" })
    return tokenIn(url)
  })

const files = [
  { name: "a.bin", bytes: Buffer.alloc(1000, 1) },
  { name: "b.bin", bytes: Buffer.alloc(500, 2) },
]

/** Fills every table that has rows of an account. */
const busy = Effect.gen(function* () {
  const owner = yield* paying("acme", "Growth")
  const keys = yield* ApiKeys
  const mailboxes = yield* Mailboxes
  const principal = yield* as(owner)
  yield* keys.create(principal, { name: "scoped", mailboxIds: [owner.mailboxId] })
  const { session } = yield* signIn(owner)
  yield* addDomain(owner, "acme.dev")
  yield* suppress(owner, "nobody@elsewhere.org")
  yield* subscribe(owner, { events: ["message.received", "message.sent"] })
  yield* received(owner.address, { id: "<1@elsewhere.org>", subject: "Files", files })
  yield* received(owner.address, { id: "<2@elsewhere.org>", text: "long ".repeat(60_000) })
  yield* receivedMany(owner.address, 3)
  const sent = yield* upload(owner, "sent.bin", Buffer.from("12345"))
  yield* upload(owner, "unsent.bin", Buffer.from("678"))
  yield* send(owner, { attachments: [sent], bodyText: "long ".repeat(60_000) })
  const wanted = { localPart: "second", displayName: null, domainId: null }
  const second = yield* mailboxes.create(principal, wanted)
  yield* Engine.settle
  yield* received(second.fullAddress, { id: "<3@elsewhere.org>", files })
  return { owner, principal, session, second }
})

describe("a deleted account", () => {
  rule(
    "loses its keys, sessions, address and email at once",
    Effect.gen(function* () {
      const { owner, session } = yield* busy
      yield* remove(owner)
      const { bySession } = yield* Authentication
      const accounts = yield* Accounts
      expect(yield* refused(as(owner))).toMatchObject({ _tag: "Unauthenticated", reason: "invalid key" })
      expect(yield* refused(bySession(session))).toMatchObject({ reason: "invalid session" })
      expect(yield* refused(signIn(owner))).toMatchObject({ reason: "wrong email or password" })
      expect(yield* verdict(owner.address)).toBe("unknown")
      const mails = yield* mailsTo(owner.email)
      yield* accounts.resendVerification(owner.email, "192.0.2.7")
      yield* Engine.settle
      expect(yield* mailsTo(owner.email)).toEqual(mails)
    }),
  )

  ruleWith(Layer.merge(readableStores, watchedBlobs))(
    "leaves no row in any table and no blob",
    Effect.gen(function* () {
      const { owner, principal, second } = yield* busy
      const names = [principal.account.id, owner.email, owner.mailboxId, second.id, "acme.mailroom.localhost"]
      expect(yield* tablesWith(names)).toEqual(expect.arrayContaining(["accounts", "messages", "raw_mails"]))
      expect((yield* blobKeys).length).toBeGreaterThan(6)
      // Queued mail, a mailbox in removal, and a verification mail that the relay does not accept.
      yield* accepted(owner.address, aMail({ id: "<4@elsewhere.org>", files }))
      const mailboxes = yield* Mailboxes
      yield* mailboxes.remove(principal, second.id)
      const relay = yield* MemoryRelay
      yield* relay.reachable(false)
      yield* Effect.flatMap(PasswordReset, (passwords) => passwords.request(owner.email, "192.0.2.7"))
      yield* Engine.settle

      yield* remove(owner)
      yield* Engine.settle
      yield* Engine.settle
      expect(yield* tablesWith(names)).toEqual([])
      expect(yield* blobKeys).toEqual([])
    }),
  )

  rule(
    "frees its custom domains for other accounts at once",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      yield* verifiedDomain(owner, "acme.dev")
      const next = yield* paying("next")
      yield* remove(owner)
      const { domain, dnsRecords } = yield* claim(next, "acme.dev")
      yield* publish(dnsRecords)
      expect((yield* verify(next, domain.id)).domain.status).toBe("VERIFIED")
    }),
  )

  ruleWith(watchedBlobs)(
    "does not remove what another account received with the same mail",
    Effect.gen(function* () {
      const owner = yield* unverified("acme")
      const other = yield* unverified("other")
      yield* received([owner.address, other.address], { id: "<1@elsewhere.org>", files })
      yield* remove(owner)
      yield* Engine.settle
      expect(yield* listed(other)).toMatchObject([{ hasAttachments: true }])
      expect(yield* blobKeys).toHaveLength(2)
    }),
  )

  ruleWith(takingTurns)(
    "is deleted once by concurrent requests",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const removal = yield* AccountRemoval
      const principal = yield* as(owner)
      yield* Effect.all(
        Array.from({ length: 5 }, () => removal.remove(principal)),
        { concurrency: "unbounded", discard: true },
      )
      yield* removal.remove(principal)
      yield* Engine.settle
      yield* removal.remove(principal)
      expect(yield* refused(as(owner))).toMatchObject({ _tag: "Unauthenticated" })
    }),
  )
})

describe("the names of a deleted account", () => {
  rule(
    "stay reserved for exactly 30 days",
    Effect.gen(function* () {
      const owner = yield* unverified("acme", { email: "ada@acme.dev" })
      yield* remove(owner)
      const taken = Effect.gen(function* () {
        expect(yield* check("acme")).toEqual({ available: false, reason: "taken" })
        expect(yield* refused(signUp("acme", { email: "bob@acme.dev" }))).toMatchObject({
          _tag: "AlreadyTaken",
          what: "slug",
          value: "acme",
        })
        expect(yield* refused(signUp("other", { email: "ADA@acme.dev" }))).toMatchObject({
          _tag: "AlreadyTaken",
          what: "email",
        })
      })
      yield* taken
      yield* Engine.settle
      yield* taken
      yield* TestClock.setTime(NOON + 30 * DAY - 1)
      yield* Engine.settle
      yield* taken
      expect(yield* check("other")).toEqual({ available: true })

      yield* TestClock.setTime(NOON + 30 * DAY)
      expect(yield* check("acme")).toEqual({ available: true })
      yield* signUp("acme", { email: "ada@acme.dev" })
    }),
  )

  rule(
    "do not reserve the names of an account that exists",
    Effect.gen(function* () {
      yield* remove(yield* unverified("acme"))
      const other = yield* unverified("other")
      expect((yield* as(other)).account.slug).toBe("other")
      expect(yield* check("other")).toEqual({ available: false, reason: "taken" })
    }),
  )

  rule(
    "can be used and reserved again",
    Effect.gen(function* () {
      yield* remove(yield* unverified("acme"))
      yield* Engine.settle
      yield* TestClock.setTime(NOON + 30 * DAY)
      yield* remove(yield* unverified("acme"))
      yield* TestClock.setTime(NOON + 60 * DAY - 1)
      expect(yield* check("acme")).toEqual({ available: false, reason: "taken" })
    }),
  )
})

describe("operations in progress when the account is deleted", () => {
  for (const [when, purged] of [
    ["before its rows are removed", false],
    ["after they are", true],
  ] as const)
    ruleWith(watchedBlobs)(
      `mail that was accepted is dropped, delivered ${when}`,
      Effect.gen(function* () {
        const owner = yield* paying()
        yield* accepted(owner.address, aMail({ id: "<1@elsewhere.org>", files }))
        yield* remove(owner)
        if (!purged) expect(yield* Effect.flatMap(DeliveryWorker, ({ drain }) => drain)).toBe(1)
        yield* Engine.settle
        expect(yield* Effect.flatMap(DeliveryWorker, ({ drain }) => drain)).toBe(0)
        yield* Engine.settle
        expect(yield* blobKeys).toEqual([])
      }),
    )

  ruleWith(slowRelay)(
    "a send that the relay accepts leaves no row, and is not told as one that sent nothing",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { begun, mayEnd } = yield* Relaying
      const sending = yield* Effect.fork(send(owner))
      yield* Deferred.await(begun)
      yield* remove(owner)
      yield* Engine.settle
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* refused(Fiber.join(sending))).toMatchObject({ _tag: "RelayUncertain" })
      expect(yield* mailsTo(RECIPIENT)).toHaveLength(1)
    }),
  )

  ruleWith(Layer.merge(slowRelay, watchedBlobs))(
    "the rollback of a refused send finds no account",
    Effect.gen(function* () {
      const owner = yield* paying()
      const file = yield* upload(owner, "a.bin", Buffer.from("12345"))
      const relay = yield* MemoryRelay
      yield* relay.answer(RECIPIENT, "550 5.1.1 no such user")
      const { begun, mayEnd } = yield* Relaying
      const sending = yield* Effect.fork(send(owner, { attachments: [file] }))
      yield* Deferred.await(begun)
      yield* remove(owner)
      yield* Engine.settle
      yield* Deferred.succeed(mayEnd, undefined)
      expect(yield* refused(Fiber.join(sending))).toMatchObject({ _tag: "RelayRefused" })
      expect(yield* blobKeys).toEqual([])
    }),
  )

  rule(
    "a webhook gets no new attempt, and a running attempt ends without an error",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* subscribe(owner)
      const receivers = yield* MemoryReceivers
      const [called, mayAnswer] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* receivers.script(URL_ONE, () =>
        Deferred.succeed(called, undefined).pipe(
          Effect.zipRight(Deferred.await(mayAnswer)),
          Effect.as({ kind: "answered", status: 500, retryAfter: null } as const),
        ),
      )
      yield* accepted(owner.address, aMail())
      const working = yield* Effect.fork(Engine.settle)
      yield* Deferred.await(called)
      yield* remove(owner)
      yield* Deferred.succeed(mayAnswer, undefined)
      yield* Fiber.join(working)
      yield* TestClock.adjust("1 hour")
      yield* Engine.settle
      expect(yield* countTo(URL_ONE)).toBe(1)
    }),
  )

  ruleWith(watchedBlobs)(
    "requests that were authenticated before find nothing",
    Effect.gen(function* () {
      const owner = yield* verified()
      const principal = yield* as(owner)
      yield* remove(owner)
      const [mailboxes, keys] = yield* Effect.all([Mailboxes, ApiKeys])
      const wanted = { localPart: "new", displayName: null, domainId: null }
      const gone = { _tag: "NotFound", resource: "account" }
      expect(yield* refused(mailboxes.create(principal, wanted))).toMatchObject(gone)
      expect(yield* refused(keys.create(principal, { name: "k", mailboxIds: null }))).toMatchObject(gone)
      const attachments = yield* Attachments
      const bytes = Buffer.from("12345")
      const file = { filename: "a", contentType: "text/plain", sizeBytes: 5, content: Stream.make(bytes) }
      expect(yield* refused(attachments.upload(principal, file))).toMatchObject(gone)
      expect(yield* blobKeys).toEqual([])
    }),
  )
})

describe("links of a deleted account", () => {
  rule(
    "for verification, checkout and download are unknown",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const token = yield* checkout(owner)
      yield* received(owner.address, { files })
      const [attachment] = (yield* newest(owner)).attachments
      if (attachment === undefined) return yield* Effect.dieMessage("no attachment arrived")
      const attachments = yield* Attachments
      const { url } = yield* attachments.get(yield* as(owner), attachment.id)
      const { searchParams } = new URL(url)
      const expiresAt = Number(searchParams.get("expires"))
      const link = { id: attachment.id, expiresAt, signature: searchParams.get("signature") ?? "" }
      yield* attachments.download(link)
      yield* remove(owner)

      for (const when of ["at once", "afterwards"]) {
        if (when === "afterwards") yield* Engine.settle
        const [accounts, billing] = yield* Effect.all([Accounts, Billing])
        expect(yield* refused(accounts.verifyEmail(yield* verificationToken(owner.email)))).toMatchObject({
          _tag: "InvalidToken",
        })
        const unknown = { _tag: "NotFound", resource: "checkout" }
        expect(yield* refused(billing.offer(token))).toMatchObject(unknown)
        expect(yield* refused(billing.complete(token))).toMatchObject(unknown)
        expect(yield* refused(attachments.download(link))).toMatchObject({
          _tag: "NotFound",
          resource: "attachment",
        })
      }
    }),
  )
})

class Purges extends Context.Tag("test/Purges")<Purges, { readonly count: Effect.Effect<number> }>() {}

/** A store that purges an account in many batches. */
const manySteps = Layer.effectContext(
  Effect.map(AccountRemovalStore, (store) => {
    let count = 0
    const purge: AccountRemovalStore["Type"]["purge"] = (id, limit) =>
      ++count <= 120 ? Effect.succeed({ done: false, blobKeys: [] }) : store.purge(id, limit)
    return Context.make(AccountRemovalStore, { ...store, purge }).pipe(
      Context.add(Purges, { count: Effect.sync(() => count) }),
    )
  }),
)

/** A blob store whose first removal fails. */
const failsOnce = Layer.effect(
  Blobs,
  Effect.map(Blobs, (blobs) => {
    let failed = false
    const remove: Blobs["Type"]["remove"] = (keys) => {
      if (failed) return blobs.remove(keys)
      failed = true
      return Effect.dieMessage("the blob store is away")
    }
    return { ...blobs, remove }
  }),
)

describe("the background removal", () => {
  ruleWith(manySteps)(
    "runs in batches until no row is left",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* remove(owner)
      yield* Engine.settle
      const purges = yield* Purges
      expect(yield* purges.count).toBeGreaterThan(120)
    }),
  )

  ruleWith(Layer.provideMerge(failsOnce, watchedBlobs))(
    "removes all blobs, also after failures",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { files })
      yield* remove(owner)
      yield* Engine.settle
      expect(yield* blobKeys).toHaveLength(2)
      yield* TestClock.adjust("10 seconds")
      yield* Engine.settle
      expect(yield* blobKeys).toEqual([])
    }),
  )
})
