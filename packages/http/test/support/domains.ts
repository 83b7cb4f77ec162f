/** Custom domains, and what their owners have in DNS. */
import { DomainWithRecords } from "@mailroom/api"
import { MemoryZones } from "@mailroom/network"
import { Effect } from "effect"
import type { Owner } from "./accounts.js"
import { ask, read } from "./contract.js"

export const putDns = (...[name, records]: Parameters<MemoryZones["Type"]["put"]>) =>
  Effect.flatMap(MemoryZones, (zones) => zones.put(name, records))

export const claim = Effect.fn(function* ({ key }: Owner, domain = "acme.dev") {
  return read(DomainWithRecords)(yield* ask("POST /v1/domains", { key, body: { domain } }))
})

/** Sets the records as their owner was told to. */
export const publish = Effect.fn(function* ({ dnsRecords }: typeof DomainWithRecords.Type) {
  const { mx, spf, dkim, dmarc } = dnsRecords
  yield* putDns(mx.host, { mx: [{ exchange: mx.value, priority: mx.priority ?? 0 }], txt: [spf.value] })
  for (const { host, value } of [...dkim, dmarc]) yield* putDns(host, { txt: [value] })
})

/** A domain that is VERIFIED. */
export const verifiedDomain = Effect.fn(function* (owner: Owner, name = "acme.dev") {
  const claimed = yield* claim(owner, name)
  yield* publish(claimed)
  yield* ask(`POST /v1/domains/${claimed.domain.id}/verify`, { key: owner.key })
  return claimed.domain.id
})
