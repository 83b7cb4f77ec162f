/**
 * Hosts that are resolved without DNS: address literals, names in this machine's hosts file, names of one label, which
 * the local network may know, and names below `localhost` (RFC 6761 §6.3).
 *
 * Names of the hosts file and of one label are resolved with `getaddrinfo`, as in every other program. `getaddrinfo` uses
 * one of libuv's four threads, which also read and write files. The hosts file answers within microseconds. A name of one
 * label may go to a resolver that does not answer, so only one such lookup runs at a time.
 */
import { literalAddress } from "@mailroom/domain"
import { DnsFailure } from "@mailroom/engine"
import { Duration, Effect } from "effect"
import { lookup } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { errorCode } from "../errorCode.js"

/**
 * The address that a host is, without the brackets of IPv6; null for a name. Stricter than `literalAddress`: an IPv4
 * address with leading zeros is refused, because some parsers read them as octal and others as decimal.
 */
export const addressIn = (host: string): string | null => {
  const literal = literalAddress(host)
  return literal !== null && isIP(literal) !== 0 ? literal : null
}

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts"

/** How long the names of the hosts file are cached. */
const HOSTS_TTL = Duration.seconds(5)

/** Deadline of the lookup of a name of one label, including the wait for other such lookups. */
const TIMEOUT = Duration.seconds(5)

const NOT_FOUND: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"])

/** The names in the text of a hosts file (hosts(5)), in lower case. */
export const namesInHosts = (text: string): ReadonlySet<string> =>
  new Set(
    text.split("\n").flatMap((line) =>
      line
        .replace(/#.*/, "")
        .trim()
        .split(/\s+/)
        .slice(1)
        .map((name) => name.toLowerCase()),
    ),
  )

const readHosts: Effect.Effect<ReadonlySet<string>> = Effect.promise(() =>
  readFile(HOSTS_FILE, "utf8").then(namesInHosts, () => new Set<string>()),
)

const LOOPBACK = ["127.0.0.1", "::1"]

const isLoopbackName = (name: string): boolean => name === "localhost" || name.endsWith(".localhost")

const fromSystem = (host: string): Effect.Effect<ReadonlyArray<string>, DnsFailure> =>
  Effect.tryPromise({
    try: () => lookup(host, { all: true, verbatim: true }),
    catch: (error) =>
      new DnsFailure({ host, reason: NOT_FOUND.has(errorCode(error) ?? "") ? "not found" : "unavailable" }),
  }).pipe(Effect.map((found) => found.map(({ address }) => address)))

/** Makes the function that resolves such names. It returns null for names that need DNS. */
export const makeLocalAddresses = Effect.gen(function* () {
  const hosts = yield* Effect.cachedWithTTL(readHosts, HOSTS_TTL)
  const single = yield* Effect.makeSemaphore(1)

  /** `getaddrinfo` cannot be cancelled. The caller stops waiting at the deadline; the permit is released with the thread. */
  const onNetwork = (host: string) =>
    single
      .withPermits(1)(Effect.uninterruptible(fromSystem(host)))
      .pipe(
        Effect.disconnect,
        Effect.timeoutFail({
          duration: TIMEOUT,
          onTimeout: () => new DnsFailure({ host, reason: "unavailable" }),
        }),
      )

  return (host: string): Effect.Effect<ReadonlyArray<string> | null, DnsFailure> =>
    Effect.gen(function* () {
      const name = host.toLowerCase().replace(/\.$/, "")
      if ((yield* hosts).has(name)) return yield* fromSystem(name)
      if (isLoopbackName(name)) return LOOPBACK
      return name.includes(".") ? null : yield* onNetwork(name)
    })
})
