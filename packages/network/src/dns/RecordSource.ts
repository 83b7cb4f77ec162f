/** The source of DNS records: the resolvers of this machine, or a table in tests. */
import type { MxRecord } from "@mailroom/domain"
import type { DnsFailure } from "@mailroom/engine"
import type { Effect } from "effect"

export interface AddressRecord {
  readonly address: string
  /** seconds */
  readonly ttl: number
}

/** Each lookup returns an empty list when the name does not exist or has no such record. */
export interface RecordSource {
  readonly ipv4: (host: string) => Effect.Effect<ReadonlyArray<AddressRecord>, DnsFailure>
  readonly ipv6: (host: string) => Effect.Effect<ReadonlyArray<AddressRecord>, DnsFailure>
  /** in the order of `byPreference` */
  readonly mx: (host: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsFailure>
  readonly txt: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  /** The addresses of a name that needs no DNS; null for all other names. */
  readonly localAddresses: (host: string) => Effect.Effect<ReadonlyArray<string> | null, DnsFailure>
  /** Whether a resolver answers at all; a refusal counts. */
  readonly isAnswering: Effect.Effect<boolean>
}

/** MX records in the order in which a sender tries them: the lowest preference value first (RFC 5321 §5.1). */
export const byPreference = (records: ReadonlyArray<MxRecord>): ReadonlyArray<MxRecord> =>
  [...records].sort((a, b) => a.priority - b.priority || (a.exchange < b.exchange ? -1 : 1))
