/** DNS from a table, for tests. */
import type { MxRecord } from "@mailroom/domain"
import { Dns, DnsFailure } from "@mailroom/engine"
import { Context, Effect, Layer } from "effect"
import { isIPv4, isIPv6 } from "node:net"
import { bestFirst } from "./bestFirst.js"
import { ownAddress } from "./literals.js"

/** Lower-case names and their addresses; `unavailable` for a name whose servers do not answer. */
export type DnsTable = Readonly<Record<string, ReadonlyArray<string> | "unavailable">>

/** What a name has. */
export interface NameRecords {
  /** IPv4 and IPv6 */
  readonly addresses?: ReadonlyArray<string>
  readonly mx?: ReadonlyArray<MxRecord>
  readonly txt?: ReadonlyArray<string>
}

/** The other side of `MemoryDns`: what is in the zones, which may change while others ask. */
export class MemoryZones extends Context.Tag("@mailroom/network/MemoryZones")<
  MemoryZones,
  {
    /** From now on a name has these records and no others; `unavailable`: its servers do not answer. */
    readonly put: (name: string, records: NameRecords | "unavailable") => Effect.Effect<void>
  }
>() {}

export const MemoryDns = {
  /** Literal addresses resolve to themselves, names outside the table are not found. */
  layer: (table: DnsTable): Layer.Layer<Dns | MemoryZones> =>
    Layer.effectContext(
      Effect.sync(() => {
        const names = new Map<string, NameRecords | "unavailable">()
        for (const [name, addresses] of Object.entries(table))
          names.set(name, addresses === "unavailable" ? addresses : { addresses })

        const lookup = <A>(host: string, pick: (records: NameRecords) => ReadonlyArray<A> | undefined) =>
          Effect.suspend(() => {
            const records = names.get(host.toLowerCase())
            if (records === "unavailable") return new DnsFailure({ host, reason: "unavailable" })
            const found = records === undefined ? [] : (pick(records) ?? [])
            return found.length === 0
              ? new DnsFailure({ host, reason: "not found" })
              : Effect.succeed([...found])
          })

        return Context.make(
          Dns,
          Dns.of({
            addresses: (host) => {
              const own = ownAddress(host)
              return own === null ? lookup(host, ({ addresses }) => addresses) : Effect.succeed([own])
            },
            a: (host) => lookup(host, ({ addresses }) => addresses?.filter(isIPv4)),
            aaaa: (host) => lookup(host, ({ addresses }) => addresses?.filter(isIPv6)),
            mx: (host) =>
              Effect.map(
                lookup(host, ({ mx }) => mx),
                bestFirst,
              ),
            txt: (host) => lookup(host, ({ txt }) => txt),
          }),
        ).pipe(
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
