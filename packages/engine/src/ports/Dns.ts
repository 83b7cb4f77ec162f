/** The domain name system. */
import type { MxRecord } from "@mailroom/domain"
import { Context, Data, type Effect } from "effect"

export class DnsFailure extends Data.TaggedError("DnsFailure")<{
  readonly host: string
  /**
   * `not found`: the name has no such record. `unavailable`: the name's servers do not answer; try again.
   * `not asked`: the name's servers are not to blame: too many questions are open, or our own resolver is away.
   */
  readonly reason: "not found" | "unavailable" | "not asked"
}> {}

export type RecordType = "A" | "AAAA" | "MX" | "TXT"

export interface DnsQuestion {
  readonly type: RecordType
  readonly name: string
}

/**
 * The records of a name as texts; an empty list when it has none. MX records are the names of their exchanges, best
 * first.
 */
export type DnsAnswer = ReadonlyArray<string> | "unavailable"

/**
 * `asker` says for whom a question is asked: an account, or the address that hands a mail over. An asker has a bounded
 * number of questions open, and so has a domain. A question that exceeds a bound is asked; the oldest open question
 * within that bound is given up instead. So names whose servers are silent keep no other question waiting.
 */
export class Dns extends Context.Tag("@mailroom/Dns")<
  Dns,
  {
    /**
     * All IPv4 and IPv6 addresses of a host name, as this machine connects to it; at least one. Cached for the time
     * that DNS gives them, 5 seconds at least and 5 minutes at most.
     */
    readonly addresses: (host: string, asker: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The MX records of a name as the resolvers have them now, best first; at least one. */
    readonly mx: (host: string) => Effect.Effect<ReadonlyArray<MxRecord>, DnsFailure>
    /** The TXT records of a name as the resolvers have them now, in no order, each as one text; at least one. */
    readonly txt: (host: string) => Effect.Effect<ReadonlyArray<string>, DnsFailure>
    /** The cached answer, which may be an old failure; undefined when there is none. Asks nobody. */
    readonly known: (question: DnsQuestion) => DnsAnswer | undefined
    /**
     * The cached answer, or else that of the resolvers, within 5 seconds (7 when they are silent). A question that
     * others have asked already is not asked again. It goes on when its asker is interrupted: the next one may find
     * the answer.
     */
    readonly ask: (question: DnsQuestion, asker: string) => Effect.Effect<DnsAnswer>
  }
>() {}
