/** Where the answers of `Dns` come from: the resolvers of this machine, or a table. */
import type { MxRecord } from "@mailroom/domain"
import type { DnsFailure } from "@mailroom/engine"
import type { Effect } from "effect"

export interface AddressRecord {
  readonly address: string
  /** seconds */
  readonly ttl: number
}

/** Nothing found is an empty list. */
export interface RecordSource {
  readonly ipv4: (host: string) => Effect.Effect<ReadonlyArray<AddressRecord>, DnsFailure>
  readonly ipv6: (host: string) => Effect.Effect<ReadonlyArray<AddressRecord>, DnsFailure>
  /** best first */
  readonly mx: (host: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsFailure>
  readonly txt: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  /** The addresses of a name that this machine knows itself; null for names that DNS has to be asked for. */
  readonly ownAddresses: (host: string) => Effect.Effect<ReadonlyArray<string> | null, DnsFailure>
  /** Whether a resolver answers at all, whatever it answers. */
  readonly isAnswering: Effect.Effect<boolean>
}
