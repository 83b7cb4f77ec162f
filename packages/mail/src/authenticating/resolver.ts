/** The DNS lookups of sender authentication: within the budget of one mail, and in the form that mailauth asks for. */
import type { Dns, DnsAnswer, RecordType } from "@mailroom/engine"
import type { Effect } from "effect"

export type Lookup = (type: RecordType, name: string) => Promise<DnsAnswer>

/**
 * Lookups for one mail that the cache does not answer: room for ten signatures, the ten lookups of SPF
 * (RFC 7208 §4.6.4) and the addresses of some MX hosts.
 */
export const LOOKUPS_PER_MAIL = 50

/** Top-level domains that have no records in the public DNS (RFC 6761 §6). */
const specialUse: ReadonlySet<string> = new Set(["test", "invalid", "example", "localhost"])

/** At least two labels, each of 1 to 63 characters (RFC 1035 §2.3.4). */
export const isHostName = (name: string): boolean => /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i.test(name)

const hasRecords = (host: string): boolean =>
  host.length <= 253 &&
  isHostName(host) &&
  !specialUse.has(host.slice(host.lastIndexOf(".") + 1).toLowerCase())

/** undefined: the cache has no answer. */
const cached = (dns: Dns["Type"], type: RecordType, name: string): DnsAnswer | undefined =>
  hasRecords(name.replace(/\.$/, "")) ? dns.known({ type, name }) : []

/** Lookups that only the cache answers. `isComplete` is false once an answer was not cached. */
export const cachedLookups = (
  dns: Dns["Type"],
): { readonly lookup: Lookup; readonly isComplete: () => boolean } => {
  let complete = true
  return {
    lookup: async (type, name) => {
      const answer = cached(dns, type, name)
      if (answer === undefined) complete = false
      return answer ?? "unavailable"
    },
    isComplete: () => complete,
  }
}

export interface MailLookups {
  /** Resolves to "unavailable" once the budget of the mail is spent. */
  readonly lookup: Lookup
  /** Ends open and later lookups with "unavailable". */
  readonly cancel: () => void
}

/** The lookups for one mail. `client` is the network of the address that delivered the mail. */
export const makeMailLookups = (
  dns: Dns["Type"],
  run: <A>(effect: Effect.Effect<A>) => Promise<A>,
  client: string,
): MailLookups => {
  let left = LOOKUPS_PER_MAIL
  const open = new Set<() => void>()
  return {
    lookup: async (type, name) => {
      const answer = cached(dns, type, name)
      if (answer !== undefined) return answer
      if (left === 0) return "unavailable"
      left -= 1
      return new Promise((resolve) => {
        const giveUp = () => resolve("unavailable")
        open.add(giveUp)
        // `run` rejects when the runtime shuts down.
        void run(dns.ask({ type, name }, client))
          .then(resolve, giveUp)
          .finally(() => open.delete(giveUp))
      })
    },
    cancel: () => {
      left = 0
      for (const giveUp of open) giveUp()
    },
  }
}

/** For work without lookups. */
export const noLookups: MailLookups = { lookup: async () => "unavailable", cancel: () => {} }

/** The error codes that mailauth tells apart. */
class ResolveError extends Error {
  constructor(readonly code: "ENOTFOUND" | "ETIMEOUT") {
    super(code)
  }
}

const types: ReadonlySet<string> = new Set<RecordType>(["A", "AAAA", "MX", "TXT"])
const isType = (type: string): type is RecordType => types.has(type)

interface MxRecord {
  readonly exchange: string
  readonly priority: number
}

/** Characters of a text, and macros of an SPF record, that mailauth may read: what it does with them is quadratic. */
const TEXT_MAX = 4096
const MACROS_MAX = 20

/** An SPF record that is no valid one, so that its result is `permerror` (RFC 7208 §4.6). */
const INVALID_SPF = "v=spf1 unreadable"

/** A text as mailauth may read it; null for one that is too long to be of use. */
const readableText = (text: string): string | null => {
  const isSpf = /^v=spf1(?: |$)/i.test(text)
  if (text.length > TEXT_MAX) return isSpf ? INVALID_SPF : null
  return isSpf && text.split("%{").length - 1 > MACROS_MAX ? INVALID_SPF : text
}

const recordsOf = (type: string, answer: ReadonlyArray<string>) => {
  if (type === "TXT") return answer.flatMap((text) => readableText(text) ?? []).map((text) => [text])
  return type === "MX" ? answer.map((exchange, priority): MxRecord => ({ exchange, priority })) : [...answer]
}

/**
 * mailauth's option `resolver`, which answers and rejects as node:dns does; typed as `object` because mailauth's types
 * leave out MX. Other types, such as PTR (RFC 7208 §5.5), have no records.
 */
export const resolverOption = (lookup: Lookup): object => ({
  resolver: async (name: string, type: string) => {
    const answer = isType(type) ? await lookup(type, name) : []
    if (answer === "unavailable") throw new ResolveError("ETIMEOUT")
    if (answer.length === 0) throw new ResolveError("ENOTFOUND")
    return recordsOf(type, answer)
  },
})
