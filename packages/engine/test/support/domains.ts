/** Custom domains and their DNS records. */
import type { DnsRecords, DomainId } from "@mailroom/domain"
import { Domains, DomainStore, Engine, Mailboxes } from "@mailroom/engine"
import { MemoryZones } from "@mailroom/network"
import { Effect, TestClock } from "effect"
import { as, type Owner } from "./owners.js"

export const claim = (owner: Owner, name: string) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    return yield* domains.create(yield* as(owner), name)
  })

export const verify = (owner: Owner, id: DomainId) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    return yield* domains.verify(yield* as(owner), id)
  })

export const shown = (owner: Owner, id: DomainId) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    return yield* domains.get(yield* as(owner), id)
  })

export const statusOf = (owner: Owner, id: DomainId) =>
  Effect.map(shown(owner, id), ({ domain }) => domain.status)

export const removeDomain = (owner: Owner, id: DomainId) =>
  Effect.gen(function* () {
    const domains = yield* Domains
    yield* domains.remove(yield* as(owner), id)
  })

/** The stored domain. */
export const storedDomain = (owner: Owner, id: DomainId) =>
  Effect.gen(function* () {
    const { account } = yield* as(owner)
    const domains = yield* DomainStore
    return yield* Effect.flatten(domains.byId(account.id, id))
  })

export const putDns = (...[name, records]: Parameters<MemoryZones["Type"]["put"]>) =>
  Effect.flatMap(MemoryZones, (zones) => zones.put(name, records))

/** Publishes the records that the domain asks for. */
export const publish = ({ mx, spf, dkim, dmarc }: DnsRecords) =>
  Effect.gen(function* () {
    yield* putDns(mx.host, {
      mx: [{ exchange: mx.value, priority: mx.priority ?? 0 }],
      txt: [spf.value],
    })
    for (const { host, value } of [...dkim, dmarc]) yield* putDns(host, { txt: [value] })
  })

/** Points the MX elsewhere and leaves the other records. */
export const pointAway = (name: string) =>
  putDns(name, { mx: [{ exchange: "mx.elsewhere.dev", priority: 1 }] })

/** Claims a domain, publishes its records and verifies it. */
export const verifiedDomain = (owner: Owner, name: string) =>
  Effect.gen(function* () {
    const { domain, dnsRecords } = yield* claim(owner, name)
    yield* publish(dnsRecords)
    yield* verify(owner, domain.id)
    return domain.id
  })

/** The owner with a mailbox `hello` on a VERIFIED domain. */
export const onDomain = (owner: Owner, name: string) =>
  Effect.gen(function* () {
    const domainId = yield* verifiedDomain(owner, name)
    const mailboxes = yield* Mailboxes
    const made = yield* mailboxes.create(yield* as(owner), {
      localPart: "hello",
      displayName: null,
      domainId,
    })
    yield* Engine.settle
    return { ...owner, mailboxId: made.id, address: made.fullAddress, domainId }
  })

/** Advances the clock, then runs the due background work. */
export const after = (millis: number) => Effect.zipRight(TestClock.adjust(millis), Engine.settle)
