/** What names have in DNS. */
import type { MxRecord } from "@mailroom/domain"
import { Context, Data, type Effect } from "effect"

export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  readonly host: string
  /** `not found`: the name has no such record; `unavailable`: no answer, try again */
  readonly reason: "not found" | "unavailable"
}> {}

export class Dns extends Context.Tag("@mailroom/Dns")<
  Dns,
  {
    /** All IPv4 and IPv6 addresses of a host name, as this machine connects to it; at least one. */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The A records of a name as the resolvers have them now, in no order; at least one. */
    readonly a: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The AAAA records of a name as the resolvers have them now, in no order; at least one. */
    readonly aaaa: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The MX records of a name as they are now, best first; at least one. */
    readonly mx: (host: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsFailure>
    /** The TXT records of a name as they are now, in no order, each as one text; at least one. */
    readonly txt: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  }
>() {}
