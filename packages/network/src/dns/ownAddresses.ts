/**
 * Names that this machine knows itself. Those in its hosts file, and names of one label, which its network may know,
 * resolve with `getaddrinfo`, as they do for every other program. Other names below `localhost` are this machine
 * (RFC 6761 §6.3) without anybody being asked.
 *
 * `getaddrinfo` occupies one of the four threads that also read and write files. The hosts file answers within
 * microseconds, so those names share nothing that others wait for. Names of one label may be asked of a silent resolver:
 * one at a time, so that they occupy one thread at most and wait for one another alone.
 */
import { DnsFailure } from "@mailroom/engine"
import { Duration, Effect } from "effect"
import { lookup } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { errorCode } from "../errorCode.js"

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts"

/** How long a reading of the hosts file counts. */
const HOSTS_HOLD = Duration.seconds(5)

/** How long a name of one label is asked for, waiting for the others included. */
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

/** Gives null for names that DNS has to be asked for. */
export const makeOwnAddresses = Effect.gen(function* () {
  const hosts = yield* Effect.cachedWithTTL(readHosts, HOSTS_HOLD)
  const single = yield* Effect.makeSemaphore(1)

  /** A lookup cannot be called off: its asker leaves at the deadline, the permit is free when the thread is. */
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
