/** Custom domains, and their DNS records in a service in memory. */
import { Effect } from "effect"
import type { Agent } from "./agents.js"
import { type Answer, numberAt, textAt } from "./Answer.js"
import { Virtual } from "./World.js"

export const claim = ({ call }: Pick<Agent, "call">, domain: string): Effect.Effect<Answer> =>
  call("POST /v1/domains", { body: { domain } })

/** Publishes the DNS records from the response to a creation. */
export const publish = ({ json }: Answer): Effect.Effect<void, never, Virtual> =>
  Effect.gen(function* () {
    const { zones } = yield* Virtual
    const record = (name: string) => ({
      host: textAt(json, `dnsRecords.${name}.host`),
      value: textAt(json, `dnsRecords.${name}.value`),
    })
    const [mx, spf] = [record("mx"), record("spf")]
    yield* zones.put(mx.host, {
      mx: [{ exchange: mx.value, priority: numberAt(json, "dnsRecords.mx.priority") }],
      txt: [spf.value],
    })
    for (const { host, value } of [record("dkim.0"), record("dmarc")])
      yield* zones.put(host, { txt: [value] })
  })

/** Adds and verifies a domain; returns its id. */
export const verifiedDomain = (owner: Agent, domain: string): Effect.Effect<string, never, Virtual> =>
  Effect.gen(function* () {
    const claimed = yield* claim(owner, domain)
    yield* publish(claimed)
    const id = textAt(claimed.json, "domain.id")
    yield* owner.call(`POST /v1/domains/${id}/verify`)
    return id
  })
