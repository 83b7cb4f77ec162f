/** Claims on custom domains, and their removal (docs/decisions/0015). */
import { describe, expect } from "@effect/vitest"
import { type DomainId, HOUR } from "@mailroom/domain"
import { DkimKeys, Domains, Mailboxes, Vault } from "@mailroom/engine"
import { Context, Deferred, Effect, Either, Fiber, Layer, Ref, TestClock } from "effect"
import { createPrivateKey, createPublicKey } from "node:crypto"
import { addDomain, changeAccount } from "./support/changes.js"
import { takingTurns } from "./support/concurrency.js"
import {
  claim,
  publish,
  removeDomain,
  shown,
  statusOf,
  storedDomain,
  verifiedDomain,
  verify,
} from "./support/domains.js"
import { NOON, rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { as, type Owner, paying, verified } from "./support/owners.js"
import { refused } from "./support/refused.js"

const listed = (owner: Owner) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    return (yield* domains.list(yield* as(owner))).map(({ domain }) => domain)
  })

const createMailbox = (owner: Owner, domainId: DomainId) =>
  Effect.gen(function* () {
    const mailboxes = yield* Mailboxes
    return yield* mailboxes.create(yield* as(owner), { localPart: "hello", displayName: null, domainId })
  })

class Generating extends Context.Tag("test/Generating")<
  Generating,
  { readonly begun: () => number; readonly until: Ref.Ref<Effect.Effect<void>> }
>() {}

/** Keys whose generation a test counts, and holds up. */
const countedKeys = Layer.effectContext(
  Effect.gen(function* () {
    const keys = yield* DkimKeys
    const until = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const first = yield* Effect.cached(keys.generate)
    let begun = 0
    const generate = Effect.suspend(() => {
      begun++
      return Effect.zipRight(Effect.flatten(Ref.get(until)), first)
    })
    return Context.make(DkimKeys, { generate }).pipe(Context.add(Generating, { begun: () => begun, until }))
  }),
)

/** Lets other fibers run until they all wait. */
const settled = Effect.repeatN(Effect.yieldNow(), 2000)

describe("requests of one account that generate keys", () => {
  ruleWith(countedKeys)(
    "run one at a time beside those of others, and 50 rotations at once generate one key",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const neighbour = yield* paying("other")
      const domain = yield* addDomain(owner, "acme.dev")
      const { begun, until } = yield* Generating
      const mayEnd = yield* Deferred.make<void>()
      yield* Ref.set(until, Deferred.await(mayEnd))
      const domains = yield* Domains
      const principal = yield* as(owner)
      const before = begun()
      const rotations = yield* Effect.fork(
        Effect.replicateEffect(domains.rotateDkim(principal, domain), 50, { concurrency: "unbounded" }),
      )
      const claims = yield* Effect.fork(
        Effect.forEach(["a.dev", "b.dev"], (name) => claim(owner, name), { concurrency: "unbounded" }),
      )
      yield* settled
      expect(begun() - before).toBe(1)
      const other = yield* Effect.fork(claim(neighbour, "other.dev"))
      yield* settled
      expect(begun() - before).toBe(2)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(rotations)
      yield* Fiber.join(claims)
      yield* Fiber.join(other)
      expect(begun() - before).toBe(4)
    }),
  )
})

describe("a claim on a domain", () => {
  rule(
    "waits for its DNS records, which it lists",
    Effect.gen(function* () {
      const { domain, dnsRecords } = yield* claim(yield* paying(), "Acme.dev")
      expect(domain).toEqual({
        id: domain.id,
        domain: "acme.dev",
        status: "PENDING_VERIFICATION",
        mxVerified: false,
        spfVerified: false,
        dkimVerified: false,
        dmarcVerified: false,
        createdAt: "2026-03-10T12:00:00.000Z",
        updatedAt: "2026-03-10T12:00:00.000Z",
      })
      const state = "MISSING"
      expect(dnsRecords).toEqual({
        mx: { type: "MX", host: "acme.dev", value: "mx.mailroom.localhost", priority: 10, state },
        spf: { type: "TXT", host: "acme.dev", value: "v=spf1 include:spf.mailroom.localhost ~all", state },
        dkim: [
          {
            type: "TXT",
            host: expect.stringMatching(/^mr[0-9a-f]{8}\._domainkey\.acme\.dev$/),
            value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/),
            state,
          },
        ],
        dmarc: { type: "TXT", host: "_dmarc.acme.dev", value: "v=DMARC1; p=none", state },
      })
    }),
  )

  rule(
    "has its own key, whose private half is sealed",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { domain, dnsRecords } = yield* claim(owner, "acme.dev")
      const { sealedDkimKey, dkimPublicKey } = yield* storedDomain(owner, domain.id)
      const vault = yield* Vault
      const opened = createPrivateKey(yield* vault.open(sealedDkimKey))
      const spki = createPublicKey(opened.export({ type: "pkcs8", format: "pem" })).export({
        type: "spki",
        format: "der",
      })
      expect(sealedDkimKey).not.toContain("PRIVATE KEY")
      expect(spki.toString("base64")).toBe(dkimPublicKey)
      expect(dnsRecords.dkim[0]?.value).toContain(dkimPublicKey)
      const rival = yield* claim(yield* paying("other"), "acme.dev")
      expect(rival.dnsRecords.dkim[0]?.value).not.toBe(dnsRecords.dkim[0]?.value)
      expect(rival.dnsRecords.dkim[0]?.host).not.toBe(dnsRecords.dkim[0]?.host)
    }),
  )

  rule(
    "says what is wrong with a name",
    Effect.gen(function* () {
      const owner = yield* paying()
      for (const name of ["acme", "acme.mailroom.localhost", "example.com", "10.0.0.1"])
        expect(yield* refused(claim(owner, name))).toMatchObject({
          _tag: "InvalidInput",
          issues: [{ path: "domain", message: expect.any(String) }],
        })
      expect(yield* listed(owner)).toEqual([])
    }),
  )

  rule(
    "is refused on the plan Free",
    Effect.gen(function* () {
      const refusal = yield* refused(claim(yield* verified(), "acme.dev"))
      expect(refusal).toEqual({ _tag: "CustomDomainLimitReached", plan: "Free", limit: 0 })
    }),
  )

  rule(
    "counts against the custom domains of the plan in each status",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* claim(owner, "acme.dev")
      const refusal = yield* refused(claim(owner, "acme.org"))
      expect(refusal).toEqual({ _tag: "CustomDomainLimitReached", plan: "Developer", limit: 1 })
      yield* changeAccount(owner, { plan: "Growth" })
      yield* claim(owner, "acme.org")
      expect(yield* listed(owner)).toEqual(["acme.dev", "acme.org"])
    }),
  )

  ruleWith(takingTurns)(
    "counts exactly under concurrent claims",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const names = Array.from({ length: 8 }, (_, n) => `acme${n}.dev`)
      const outcomes = yield* Effect.forEach(names, (name) => Effect.either(claim(owner, name)), {
        concurrency: "unbounded",
      })
      expect(outcomes.filter(Either.isRight)).toHaveLength(5)
      expect(yield* listed(owner)).toHaveLength(5)
    }),
  )

  rule(
    "is possible once for each name and account",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* claim(owner, "acme.dev")
      const taken = { _tag: "AlreadyTaken", what: "domain", value: "acme.dev" }
      expect(yield* refused(claim(owner, "ACME.dev"))).toMatchObject(taken)
    }),
  )

  ruleWith(takingTurns)(
    "is possible once also for two concurrent requests",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const outcomes = yield* Effect.all(
        [Effect.either(claim(owner, "acme.dev")), Effect.either(claim(owner, "acme.dev"))],
        { concurrency: "unbounded" },
      )
      expect(outcomes.filter(Either.isRight)).toHaveLength(1)
      expect(yield* listed(owner)).toEqual(["acme.dev"])
    }),
  )

  rule(
    "is refused once another account has the domain VERIFIED, and not before",
    Effect.gen(function* () {
      const [first, second, third] = [yield* paying("one"), yield* paying("two"), yield* paying("three")]
      const { domain, dnsRecords } = yield* claim(first, "acme.dev")
      yield* claim(second, "acme.dev")
      yield* publish(dnsRecords)
      yield* verify(first, domain.id)
      const taken = { _tag: "AlreadyTaken", what: "domain", value: "acme.dev" }
      expect(yield* refused(claim(third, "acme.dev"))).toMatchObject(taken)
    }),
  )

  ruleUnder({ platformDomain: "mail.acme.io" })(
    "may be on the parent of the platform domain",
    Effect.gen(function* () {
      const { dnsRecords } = yield* claim(yield* paying(), "acme.io")
      expect(dnsRecords.mx.value).toBe("mx.mail.acme.io")
    }),
  )
})

describe("the domains of an account", () => {
  rule(
    "are listed oldest first, for their account only",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const other = yield* paying("other")
      for (const name of ["b.dev", "a.dev", "c.dev"]) {
        yield* claim(owner, name)
        yield* TestClock.adjust(1)
      }
      const { domain } = yield* claim(other, "other.dev")
      expect(yield* listed(owner)).toEqual(["b.dev", "a.dev", "c.dev"])
      const missing = { _tag: "NotFound", resource: "domain" }
      expect(yield* refused(shown(owner, domain.id))).toMatchObject(missing)
      expect(yield* refused(verify(owner, domain.id))).toMatchObject(missing)
      expect(yield* refused(removeDomain(owner, domain.id))).toMatchObject(missing)
      expect(yield* listed(other)).toEqual(["other.dev"])
    }),
  )
})

describe("removing a domain", () => {
  rule(
    "makes room for another domain, and for another account",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const id = yield* verifiedDomain(owner, "acme.dev")
      yield* removeDomain(owner, id)
      expect(yield* listed(owner)).toEqual([])
      yield* claim(owner, "acme.org")
      yield* verifiedDomain(yield* paying("other"), "acme.dev")
    }),
  )

  rule(
    "is refused while it has mailboxes, paused ones included",
    Effect.gen(function* () {
      const owner = yield* paying()
      const id = yield* verifiedDomain(owner, "acme.dev")
      const mailboxes = yield* Mailboxes
      const made = yield* createMailbox(owner, id)
      const inUse = { _tag: "DomainInUse", domain: "acme.dev", mailboxes: 1 }
      expect(yield* refused(removeDomain(owner, id))).toMatchObject(inUse)
      yield* mailboxes.update(yield* as(owner), made.id, { displayName: undefined, status: "paused" })
      expect(yield* refused(removeDomain(owner, id))).toMatchObject(inUse)
      expect(yield* statusOf(owner, id)).toBe("VERIFIED")
      yield* mailboxes.remove(yield* as(owner), made.id)
      yield* removeDomain(owner, id)
    }),
  )

  ruleWith(takingTurns)(
    "never leaves a mailbox without its domain, also under concurrent creation",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Growth")
      const outcomes = yield* Effect.forEach(
        [yield* addDomain(owner, "acme.dev"), yield* addDomain(owner, "acme.org")],
        (id) =>
          Effect.all([Effect.either(createMailbox(owner, id)), Effect.either(removeDomain(owner, id))], {
            concurrency: "unbounded",
          }),
      )
      for (const [created, removed] of outcomes)
        expect([Either.isRight(created), Either.isRight(removed)].filter((won) => won)).toHaveLength(1)
    }),
  )

  rule(
    "ends its checks",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { domain } = yield* claim(owner, "acme.dev")
      yield* TestClock.setTime(NOON + HOUR)
      yield* removeDomain(owner, domain.id)
      expect(yield* refused(verify(owner, domain.id))).toMatchObject({ _tag: "NotFound" })
    }),
  )
})
