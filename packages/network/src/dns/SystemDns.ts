/**
 * DNS with the resolvers of this machine. Local names are resolved by the operating system (`localNames.ts`), all others
 * with c-ares, which waits on a socket and blocks no thread.
 */
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import { errorCode } from "../errorCode.js"
import { makeDns } from "./cachedDns.js"
import { makeLocalAddresses } from "./localNames.js"
import { byPreference, type RecordSource } from "./RecordSource.js"

/** Milliseconds of the first try with a resolver; the second waits twice as long. Three tries, because UDP loses packets. */
const TRY_TIMEOUT = 2000
const TRIES = 3

/** Milliseconds that a resolver has to answer a probe. It asks for the root name servers, which every resolver has cached. */
const PROBE_TIMEOUT = 2000

/** No such name, no such record, or text that cannot be a name. */
const NOT_FOUND: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"])

/** No resolver listens at the address, so nothing is known about the name. */
const NO_RESOLVER = "ECONNREFUSED"
/** No answer to any try. */
const NO_ANSWER = "ETIMEOUT"

const failureOf = (host: string, error: unknown): DnsFailure =>
  new DnsFailure({ host, reason: errorCode(error) === NO_RESOLVER ? "not asked" : "unavailable" })

export interface SystemDnsOptions {
  /** resolvers as `address` or `address:port`, instead of the machine's own */
  readonly servers?: ReadonlyArray<string>
}

/** Opens a resolver for one query, so that it can be cancelled alone and c-ares's own cache is not used. */
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
    send: (resolver: Resolver) => Promise<ReadonlyArray<A>>,
  ): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
    Effect.flatMap(openResolver(servers), (resolver) =>
      Effect.tryPromise({ try: () => send(resolver), catch: (error) => error }),
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
        byPreference,
      ),
    txt: (host) =>
      Effect.map(
        query(host, (resolver) => resolver.resolveTxt(host)),
        (records) => records.map((strings) => strings.join("")),
      ),
  } satisfies Partial<RecordSource>
}

/** Whether a resolver answers a query that it can answer alone. A refusal counts as an answer. */
const probe = (servers: ReadonlyArray<string> | undefined): Effect.Effect<boolean> =>
  Effect.flatMap(openResolver(servers), (resolver) =>
    Effect.tryPromise({ try: () => resolver.resolveNs("."), catch: errorCode }),
  ).pipe(
    Effect.scoped,
    Effect.match({ onSuccess: () => true, onFailure: (code) => code !== NO_RESOLVER && code !== NO_ANSWER }),
    Effect.timeoutTo({ duration: PROBE_TIMEOUT, onSuccess: (answers) => answers, onTimeout: () => false }),
  )

export const SystemDns = {
  /** Address literals resolve to themselves. */
  layer: ({ servers }: SystemDnsOptions = {}): Layer.Layer<Dns> =>
    Layer.scoped(
      Dns,
      Effect.gen(function* () {
        const localAddresses = yield* makeLocalAddresses
        const isAnswering = probe(servers)
        return Dns.of(yield* makeDns({ ...recordsFrom(servers), localAddresses, isAnswering }))
      }),
    ),
}
