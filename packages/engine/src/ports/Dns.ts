/** DNS lookups. */
import type { MxRecord } from "@mailroom/domain"
import { Context, Data, type Effect } from "effect"

export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  readonly host: string
  /**
   * `not found`: the name has no such record. `unavailable`: the name servers of the name do not answer. `not asked`: no
   * name server of the name was asked, because too many queries are open or our own resolver is unavailable.
   */
  readonly reason: "not found" | "unavailable" | "not asked"
}> {}

export type RecordType = "A" | "AAAA" | "MX" | "TXT"

export interface DnsQuestion {
  readonly type: RecordType
  readonly name: string
}

/** The records of a name as texts; empty when it has none. MX records are their host names, by preference. */
export type DnsAnswer = ReadonlyArray<string> | "unavailable"

/**
 * `asker`: the account, or the network of the client of a mail, on whose behalf a query runs. The open queries of an asker,
 * and of a domain, are bounded. A query above a bound runs, and the oldest open one within that bound is cancelled. So names
 * whose servers are silent do not delay other queries.
 */
export class Dns extends Context.Tag("@mailroom/Dns")<
  Dns,
  {
    /**
     * The IPv4 and IPv6 addresses of a host name, at least one, also from the hosts file of this machine. Cached for the
     * TTL of the records, between 5 seconds and 5 minutes.
     */
    readonly addresses: (host: string, asker: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The MX records of a name, at least one, by preference. Bypasses the cache of this port. */
    readonly mx: (host: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsFailure>
    /** The TXT records of a name, at least one, in no order, each as one text. Bypasses the cache of this port. */
    readonly txt: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The cached answer, which may be a cached failure; undefined when there is none. Sends no query. */
    readonly known: (question: DnsQuestion) => DnsAnswer | undefined
    /**
     * The cached answer, or that of the resolvers, within 5 seconds (7 when they are silent). Concurrent calls share one
     * query. Interrupting a caller does not end the query, so that the next one may find its answer in the cache.
     */
    readonly ask: (question: DnsQuestion, asker: string) => Effect.Effect<DnsAnswer>
  }
>() {}
