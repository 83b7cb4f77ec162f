/** Names to addresses. */
import { Context, Data, type Effect } from "effect"

export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  readonly host: string
  /** `not found`: the name has no address; `unavailable`: no answer, try again */
  readonly reason: "not found" | "unavailable"
}> {}

export class Dns extends Context.Tag("@mailroom/Dns")<
  Dns,
  {
    /** All IPv4 and IPv6 addresses of a host name; at least one. */
    readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
  }
>() {}
