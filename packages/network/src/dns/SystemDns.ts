/**
 * DNS as this machine sees it. Addresses come from the operating system (`/etc/hosts`, then the configured resolvers),
 * other records from the resolvers themselves.
 */
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { lookup, Resolver } from "node:dns/promises"
import { errorCode } from "../errorCode.js"
import { bestFirst } from "./bestFirst.js"
import { ownAddress } from "./literals.js"

/** One lookup of addresses, from the question to the answer, waiting for others included (milliseconds). */
const TIMEOUT = 5000

/** Of other records: one try with one resolver, and all tries together with however many there are. */
const TRY_TIMEOUT = 5000
const TRIES = 2
const DEADLINE = 10_000

/**
 * A lookup occupies one of the four threads that also read and write files, for as long as a name server likes to
 * be silent. Two stay free for the files, whatever names are asked for.
 */
const AT_ONCE = 2

/** No such name, no such record, or text that cannot be a name. */
const NOT_FOUND: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"])

const ask = <A>(host: string, question: () => Promise<ReadonlyArray<A>>) =>
  Effect.tryPromise({
    try: question,
    catch: (error) =>
      new DnsFailure({
        host,
        reason: NOT_FOUND.has(errorCode(error) ?? "") ? "not found" : "unavailable",
      }),
  }).pipe(
    Effect.filterOrFail(
      (found) => found.length > 0,
      () => new DnsFailure({ host, reason: "not found" }),
    ),
  )

export interface SystemDnsOptions {
  /** resolvers as `address` or `address:port`, instead of the machine's own; they are not asked by `addresses` */
  readonly servers?: ReadonlyArray<string>
}

export const SystemDns = {
  /** Literal addresses resolve to themselves; the resolver's order of addresses is kept. */
  layer: ({ servers }: SystemDnsOptions = {}): Layer.Layer<Dns> =>
    Layer.effect(
      Dns,
      Effect.gen(function* () {
        const permits = yield* Effect.makeSemaphore(AT_ONCE)
        const openResolver = Effect.sync(() => {
          const resolver = new Resolver({ timeout: TRY_TIMEOUT, tries: TRIES })
          if (servers !== undefined) resolver.setServers(servers)
          return resolver
        })

        /**
         * Unlike a lookup of addresses this occupies no thread, however long a name server is silent. It ends at the
         * deadline also where nobody may interrupt the asker.
         */
        const query = <A>(host: string, question: (resolver: Resolver) => Promise<ReadonlyArray<A>>) =>
          Effect.acquireUseRelease(
            openResolver,
            (resolver) =>
              Effect.timeoutFail(Effect.interruptible(ask(host, () => question(resolver))), {
                duration: DEADLINE,
                onTimeout: () => new DnsFailure({ host, reason: "unavailable" }),
              }),
            (resolver) => Effect.sync(() => resolver.cancel()),
          )

        const askAddresses = (host: string) =>
          Effect.map(
            ask(host, () => lookup(host, { all: true, verbatim: true })),
            (found) => found.map(({ address }) => address),
          )

        const addresses = Effect.fn("SystemDns.addresses")(function* (host: string) {
          const own = ownAddress(host)
          if (own !== null) return [own]
          // A lookup cannot be called off: the asker leaves at the deadline, the permit when the thread is free again.
          return yield* permits
            .withPermits(1)(Effect.uninterruptible(askAddresses(host)))
            .pipe(
              Effect.disconnect,
              Effect.timeoutFail({
                duration: TIMEOUT,
                onTimeout: () => new DnsFailure({ host, reason: "unavailable" }),
              }),
            )
        })

        return Dns.of({
          addresses,
          a: Effect.fn("SystemDns.a")((host: string) => query(host, (resolver) => resolver.resolve4(host))),
          aaaa: Effect.fn("SystemDns.aaaa")((host: string) =>
            query(host, (resolver) => resolver.resolve6(host)),
          ),
          mx: Effect.fn("SystemDns.mx")((host: string) =>
            Effect.map(
              query(host, (resolver) => resolver.resolveMx(host)),
              bestFirst,
            ),
          ),
          txt: Effect.fn("SystemDns.txt")((host: string) =>
            Effect.map(
              query(host, (resolver) => resolver.resolveTxt(host)),
              (records) => records.map((strings) => strings.join("")),
            ),
          ),
        })
      }),
    ),
}
