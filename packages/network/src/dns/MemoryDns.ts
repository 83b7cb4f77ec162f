/** DNS from a table, for tests. */
import type { MxRecord } from "@mailroom/domain"
import { Dns, DnsFailure } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { isIPv6 } from "node:net"
import { makeDns } from "./cachedDns.js"
import { byPreference } from "./RecordSource.js"

/** Addresses by lower-case name; `unavailable`: the name's servers do not answer. */
export type DnsTable = Readonly<Record<string, ReadonlyArray<string> | "unavailable">>

/** The records of a name. */
export interface NameRecords {
  /** IPv4 and IPv6 */
  readonly addresses?: ReadonlyArray<string>
  readonly mx?: ReadonlyArray<MxRecord>
  readonly txt?: ReadonlyArray<string>
}

/** The zones of `MemoryDns`, which a test may change at any time. */
export class MemoryZones extends Context.Tag("@mailroom/network/MemoryZones")<
  MemoryZones,
  {
    /** Replaces all records of a name; `unavailable`: its servers do not answer. */
    readonly put: (name: string, records: NameRecords | "unavailable") => Effect.Effect<void>
  }
>() {}

/** TTL of the addresses, seconds. */
const TTL = 60

export const MemoryDns = {
  /** Address literals resolve to themselves. Names outside the table are not found. */
  layer: (table: DnsTable): Layer.Layer<Dns | MemoryZones> =>
    Layer.scopedContext(
      Effect.gen(function* () {
        const names = new Map<string, NameRecords | "unavailable">()
        for (const [name, addresses] of Object.entries(table))
          names.set(name, addresses === "unavailable" ? addresses : { addresses })

        const find = <A>(host: string, pick: (records: NameRecords) => ReadonlyArray<A> | undefined) =>
          Effect.suspend(() => {
            const records = names.get(host.toLowerCase())
            if (records === "unavailable") return new DnsFailure({ host, reason: "unavailable" })
            return Effect.succeed([...(records === undefined ? [] : (pick(records) ?? []))])
          })

        const addresses = (host: string, isOfFamily: (address: string) => boolean) =>
          Effect.map(
            find(host, (records) => records.addresses),
            (found) => found.filter(isOfFamily).map((address) => ({ address, ttl: TTL })),
          )

        const dns = yield* makeDns({
          ipv4: (host) => addresses(host, (address) => !isIPv6(address)),
          ipv6: (host) => addresses(host, isIPv6),
          mx: (host) =>
            Effect.map(
              find(host, ({ mx }) => mx),
              byPreference,
            ),
          txt: (host) => find(host, ({ txt }) => txt),
          localAddresses: () => Effect.succeed(null),
          isAnswering: Effect.succeed(true),
        })
        return Context.make(Dns, Dns.of(dns)).pipe(
          Context.add(
            MemoryZones,
            MemoryZones.of({
              put: (name, records) => Effect.sync(() => void names.set(name.toLowerCase(), records)),
            }),
          ),
        )
      }),
    ),
}
