/** Names to addresses as the operating system sees them: `/etc/hosts`, then the configured resolvers. */
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Layer } from "effect"
import { lookup } from "node:dns/promises"
import { errorCode } from "../errorCode.js"
import { ownAddress } from "./literals.js"

/** One lookup, from the question to the answer, waiting for others included (milliseconds). */
const TIMEOUT = 5000

/**
 * A lookup occupies one of the four threads that also read and write files, for as long as a name server likes to
 * be silent. Two stay free for the files, whatever names are asked for.
 */
const AT_ONCE = 2

const NOT_FOUND: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"])

export const SystemDns = {
  /** Literal addresses resolve to themselves; the resolver's order of addresses is kept. */
  layer: Layer.effect(
    Dns,
    Effect.gen(function* () {
      const permits = yield* Effect.makeSemaphore(AT_ONCE)

      const ask = (host: string) =>
        Effect.tryPromise({
          try: () => lookup(host, { all: true, verbatim: true }),
          catch: (error) =>
            new DnsFailure({
              host,
              reason: NOT_FOUND.has(errorCode(error) ?? "") ? "not found" : "unavailable",
            }),
        }).pipe(
          Effect.map((found) => found.map(({ address }) => address)),
          Effect.filterOrFail(
            (addresses) => addresses.length > 0,
            () => new DnsFailure({ host, reason: "not found" }),
          ),
        )

      const addresses = Effect.fn("SystemDns.addresses")(function* (host: string) {
        const own = ownAddress(host)
        if (own !== null) return [own]
        // A lookup cannot be called off: the asker leaves at the deadline, the permit when the thread is free again.
        return yield* permits
          .withPermits(1)(Effect.uninterruptible(ask(host)))
          .pipe(
            Effect.disconnect,
            Effect.timeoutFail({
              duration: TIMEOUT,
              onTimeout: () => new DnsFailure({ host, reason: "unavailable" }),
            }),
          )
      })

      return Dns.of({ addresses })
    }),
  ),
}
