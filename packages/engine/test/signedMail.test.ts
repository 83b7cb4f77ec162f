/** DKIM signatures of outgoing mail, and key rotation (RFC 6376; docs/decisions/0033). */
import { describe, expect } from "@effect/vitest"
import { MINUTE, unreadableMail } from "@mailroom/domain"
import {
  Dns,
  Domains,
  DomainWorker,
  Engine,
  evaluatedMail,
  MimeParser,
  SenderAuthentication,
  SigningKeys,
} from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Context, Effect, Layer, Ref, TestClock } from "effect"
import { envelopeTo } from "./support/arrivals.js"
import { onDomain, publish, putDns, shown, storedDomain, verify } from "./support/domains.js"
import { rule, ruleWith } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { as, paying } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { RECIPIENT, send } from "./support/sends.js"

/** The selector in the signature of the newest mail to an address. */
const selectorOf = (address: string = RECIPIENT) =>
  Effect.map(lastMailTo(address), ({ raw }) => /^DKIM-Signature:[^]*?\bs=([^;]+);/.exec(raw)?.[1])

/** The sender authentication of the newest mail by a receiver elsewhere, with this client address. */
const judged = (remoteAddress: string, to: string = RECIPIENT) =>
  Effect.gen(function* () {
    const { evaluate } = yield* SenderAuthentication
    const relay = yield* MemoryRelay
    const mail = (yield* relay.sent).findLast(({ envelope }) => envelope.to.includes(to))
    if (mail === undefined) return yield* Effect.dieMessage("no mail")
    const [parsed = unreadableMail("no result")] = yield* (yield* MimeParser).parse([mail.raw])
    return yield* evaluate(evaluatedMail(mail.raw, parsed), {
      ...envelopeTo(mail.envelope.to, 0, mail.envelope.from),
      remoteAddress,
      helo: "relay.mailroom.localhost",
    })
  })

/** Publishes the DNS records of the platform. */
const publishPlatform = Effect.gen(function* () {
  const { platformRecords } = yield* SigningKeys
  for (const { host, value } of yield* platformRecords) yield* putDns(host, { txt: [value] })
})

describe("mail of the platform", () => {
  rule(
    "is signed with the platform's key for all accounts",
    Effect.gen(function* () {
      yield* send(yield* paying("acme"))
      const first = yield* selectorOf()
      yield* send(yield* paying("other"))
      const { platformRecords } = yield* SigningKeys
      const [record] = yield* platformRecords
      expect(record?.host).toBe(`${first}._domainkey.mailroom.localhost`)
      expect(yield* selectorOf()).toBe(first)
    }),
  )

  rule(
    "of the service itself is signed too",
    Effect.gen(function* () {
      const { email } = yield* paying()
      expect(yield* selectorOf(email)).toMatch(/^mr[0-9a-f]{8}$/)
    }),
  )

  rule(
    "is signed with the next key once that is in DNS, not before",
    Effect.gen(function* () {
      const owner = yield* paying()
      const keys = yield* SigningKeys
      yield* send(owner)
      const first = yield* selectorOf()
      yield* keys.rotatePlatform
      yield* keys.rotatePlatform
      yield* Engine.settle
      const [current, next, ...others] = yield* keys.platformRecords
      expect([current?.host, others]).toEqual([`${first}._domainkey.mailroom.localhost`, []])
      yield* TestClock.adjust(6 * MINUTE)
      yield* send(owner)
      expect(yield* selectorOf()).toBe(first)

      yield* putDns(next?.host ?? "", { txt: [next?.value ?? ""] })
      yield* TestClock.adjust(6 * MINUTE)
      yield* (yield* DomainWorker).drain
      yield* TestClock.adjust(6 * MINUTE)
      yield* send(owner)
      expect(`${yield* selectorOf()}._domainkey.mailroom.localhost`).toBe(next?.host)
      expect(yield* keys.platformRecords).toMatchObject([{ host: next?.host, state: "VALID" }])
    }),
  )
})

describe("mail of a custom domain", () => {
  rule(
    "passes SPF and DKIM, both aligned with its sender",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying(), "acme.dev")
      yield* putDns("spf.mailroom.localhost", { txt: ["v=spf1 ip4:198.51.100.7 -all"] })
      yield* putDns("_dmarc.acme.dev", { txt: ["v=DMARC1; p=reject; adkim=s; aspf=s"] })
      yield* send(owner, { subject: "Grüße", bodyHtml: "<p>Good morning.</p>", cc: ["carl@elsewhere.org"] })
      // `.localhost` is not in DNS, so the include finds nothing.
      expect(yield* judged("198.51.100.7")).toEqual({
        spf: "permerror",
        dkim: "pass",
        dmarc: "pass",
        verifiedDomain: "acme.dev",
      })
    }),
  )

  rule(
    "is signed with the key that its owner published, and with the next one once that is published",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying(), "acme.dev")
      const domains = yield* Domains
      yield* send(owner)
      const first = yield* selectorOf()
      const { dnsRecords } = yield* domains.rotateDkim(yield* as(owner), owner.domainId)
      expect(dnsRecords.dkim).toMatchObject([
        { host: `${first}._domainkey.acme.dev`, state: "VALID" },
        { state: "MISSING" },
      ])
      expect((yield* domains.rotateDkim(yield* as(owner), owner.domainId)).dnsRecords).toEqual(dnsRecords)
      yield* send(owner)
      expect(yield* selectorOf()).toBe(first)

      yield* publish(dnsRecords)
      yield* TestClock.adjust(6 * MINUTE)
      yield* Engine.settle
      yield* send(owner)
      const next = yield* selectorOf()
      expect(next).not.toBe(first)
      expect((yield* shown(owner, owner.domainId)).dnsRecords.dkim).toMatchObject([
        { host: `${next}._domainkey.acme.dev`, state: "VALID" },
      ])
      expect((yield* judged("198.51.100.7")).dkim).toBe("pass")
    }),
  )
})

/** What happens during the next lookup of a TXT record. */
class Meanwhile extends Context.Tag("test/Meanwhile")<Meanwhile, Ref.Ref<Effect.Effect<void>>>() {}

const slowDns = Layer.effectContext(
  Effect.gen(function* () {
    const dns = yield* Dns
    const meanwhile = yield* Ref.make<Effect.Effect<void>>(Effect.void)
    const txt: typeof dns.txt = (name) =>
      Effect.zipLeft(dns.txt(name), Effect.flatten(Ref.getAndSet(meanwhile, Effect.void)))
    return Context.make(Dns, { ...dns, txt }).pipe(Context.add(Meanwhile, meanwhile))
  }),
)

describe("a check of a domain whose keys change meanwhile", () => {
  ruleWith(slowDns)(
    "does not make a next key current that it did not look up",
    Effect.gen(function* () {
      const owner = yield* onDomain(yield* paying(), "acme.dev")
      const domains = yield* Domains
      const rotate = Effect.gen(function* () {
        return yield* domains.rotateDkim(yield* as(owner), owner.domainId)
      })
      const checked = verify(owner, owner.domainId)
      const meanwhile = yield* Meanwhile
      const context = yield* Effect.context<Effect.Effect.Context<typeof rotate | typeof checked>>()
      yield* publish((yield* rotate).dnsRecords)
      const { nextDkimSelector } = yield* storedDomain(owner, owner.domainId)
      yield* Ref.set(meanwhile, Effect.orDie(Effect.provide(Effect.zipRight(checked, rotate), context)))
      yield* checked
      const { dkimSelector, nextDkimSelector: next } = yield* storedDomain(owner, owner.domainId)
      expect(dkimSelector).toBe(nextDkimSelector)
      expect(next).not.toBeNull()
    }),
  )
})

describe("mail between mailboxes here", () => {
  rule(
    "passes authentication without lookups",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      yield* publishPlatform
      yield* send(owner, { to: [other.address] })
      yield* Engine.settle
      expect((yield* newest(other, { direction: "INBOUND" })).authentication).toEqual({
        spf: "pass",
        dkim: "pass",
        dmarc: "pass",
        verifiedDomain: "acme.mailroom.localhost",
      })
    }),
  )
})
