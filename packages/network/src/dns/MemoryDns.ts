/** Names to addresses from a table, for tests. */
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { ownAddress } from "./literals.js"

/** Lower-case names and their addresses; `unavailable` for a name whose servers do not answer. */
export type DnsTable = Readonly<Record<string, ReadonlyArray<string> | "unavailable">>

export const MemoryDns = {
  /** Literal addresses resolve to themselves, names outside the table are not found. */
  layer: (table: DnsTable): Layer.Layer<Dns> =>
    Layer.succeed(
      Dns,
      Dns.of({
        addresses: (host) => {
          const own = ownAddress(host)
          if (own !== null) return Effect.succeed([own])
          const entry = Object.hasOwn(table, host.toLowerCase()) ? table[host.toLowerCase()] : undefined
          if (entry === "unavailable") return Effect.fail(new DnsFailure({ host, reason: "unavailable" }))
          return entry === undefined || entry.length === 0
            ? Effect.fail(new DnsFailure({ host, reason: "not found" }))
            : Effect.succeed(entry)
        },
      }),
    ),
}
