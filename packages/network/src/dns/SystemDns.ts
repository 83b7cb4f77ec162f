/**
 * DNS as this machine sees it. Names that the machine knows itself resolve as the operating system resolves them; all
 * other names are asked for with c-ares, which waits on a socket and occupies no thread.
 */
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import { errorCode } from "../errorCode.js"
import { bestFirst } from "./bestFirst.js"
import { makeDns } from "./cachedDns.js"
import { makeOwnAddresses } from "./ownAddresses.js"
import type { RecordSource } from "./RecordSource.js"

/** One try with one resolver (milliseconds); the second try waits twice as long. Packets get lost. */
const TRY_TIMEOUT = 2000
const TRIES = 3

/** How long a resolver may take to say anything at all; it has the name servers of the root in its cache. */
const PROBE_TIMEOUT = 2000

/** No such name, no such record, or text that cannot be a name. */
const NOT_FOUND: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"])

/** Nobody listens at the resolver's address: nothing is said of the name. */
const NO_RESOLVER = "ECONNREFUSED"
/** All tries passed without any answer. */
const SILENCE = "ETIMEOUT"

const failureOf = (host: string, error: unknown): DnsFailure =>
  new DnsFailure({ host, reason: errorCode(error) === NO_RESOLVER ? "not asked" : "unavailable" })

export interface SystemDnsOptions {
  /** resolvers as `address` or `address:port`, instead of the machine's own */
  readonly servers?: ReadonlyArray<string>
}

/** A resolver for each question, so that each can be called off alone and none is answered from c-ares's own cache. */
const openResolver = (servers: ReadonlyArray<string> | undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const resolver = new Resolver({ timeout: TRY_TIMEOUT, tries: TRIES })
      if (servers !== undefined) resolver.setServers(servers)
      return resolver
    }),
    (resolver) => Effect.sync(() => resolver.cancel()),
  )

const recordsFrom = (servers: ReadonlyArray<string> | undefined) => {
  const query = <A>(
    host: string,
    question: (resolver: Resolver) => Promise<ReadonlyArray<A>>,
  ): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
    Effect.flatMap(openResolver(servers), (resolver) =>
      Effect.tryPromise({ try: () => question(resolver), catch: (error) => error }),
    ).pipe(
      Effect.scoped,
      Effect.catchAll((error) =>
        NOT_FOUND.has(errorCode(error) ?? "") ? Effect.succeed([]) : failureOf(host, error),
      ),
    )
  return {
    ipv4: (host) => query(host, (resolver) => resolver.resolve4(host, { ttl: true })),
    ipv6: (host) => query(host, (resolver) => resolver.resolve6(host, { ttl: true })),
    mx: (host) =>
      Effect.map(
        query(host, (resolver) => resolver.resolveMx(host)),
        bestFirst,
      ),
    txt: (host) =>
      Effect.map(
        query(host, (resolver) => resolver.resolveTxt(host)),
        (records) => records.map((strings) => strings.join("")),
      ),
  } satisfies Partial<RecordSource>
}

/** Whether a resolver answers a question that it needs nobody else for: a refusal is an answer too. */
const probe = (servers: ReadonlyArray<string> | undefined): Effect.Effect<boolean> =>
  Effect.flatMap(openResolver(servers), (resolver) =>
    Effect.tryPromise({ try: () => resolver.resolveNs("."), catch: errorCode }),
  ).pipe(
    Effect.scoped,
    Effect.match({ onSuccess: () => true, onFailure: (code) => code !== NO_RESOLVER && code !== SILENCE }),
    Effect.timeoutTo({ duration: PROBE_TIMEOUT, onSuccess: (answers) => answers, onTimeout: () => false }),
  )

export const SystemDns = {
  /** Literal addresses resolve to themselves. */
  layer: ({ servers }: SystemDnsOptions = {}): Layer.Layer<Dns> =>
    Layer.scoped(
      Dns,
      Effect.gen(function* () {
        const ownAddresses = yield* makeOwnAddresses
        const isAnswering = probe(servers)
        return Dns.of(yield* makeDns({ ...recordsFrom(servers), ownAddresses, isAnswering }))
      }),
    ),
}
