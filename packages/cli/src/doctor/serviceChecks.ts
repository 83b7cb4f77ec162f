/** Checks a service by its URL: connection, certificate, readiness, clock, version. */
import { Clock, Effect, Option, Schema } from "effect"
import { VERSION } from "../version.js"
import { type Finding, finding, ok, problem, skipped, warning } from "./Finding.js"
import { httpsCertificate, reasonOf } from "./network.js"
import { judgeCertificate, judgeClock } from "./records.js"
import type { Fetch } from "@mailroom/client"

const HTTPS_PORT = 443

/** Host names of this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Milliseconds that an answer may take. */
const PATIENCE = 8_000
/** Milliseconds above which an answer is slow. */
const SLOW = 1_000

/** What `/readyz` says beside its status: why a store cannot write, and why the relay takes no mail. */
const Readiness = Schema.Struct({
  status: Schema.String,
  database: Schema.optional(Schema.String),
  blobs: Schema.optional(Schema.String),
  relay: Schema.optional(Schema.String),
})

/** The readiness in an answer; null for one that is not of the service, such as that of a proxy. */
const readinessIn = (response: Response) =>
  Effect.tryPromise(() => response.json()).pipe(
    Effect.flatMap(Schema.decodeUnknown(Readiness)),
    Effect.orElseSucceed(() => null),
  )

/** Why a service is not ready, as `: reason`; empty when it does not say. */
const reasonText = (readiness: typeof Readiness.Type | null): string => {
  if (readiness === null) return ""
  const { status, database, blobs } = readiness
  const stores = [
    ...(database === undefined ? [] : [`the database ${database}`]),
    ...(blobs === undefined ? [] : [`the blob store ${blobs}`]),
  ]
  return `: ${[status, ...stores].join("; ")}`
}

const Document = Schema.Struct({ info: Schema.Struct({ version: Schema.String }) })

/** The contract that this command is made for: the major version in the OpenAPI document of a service. */
const CONTRACT = "1"

const certificateCheck = Effect.fnUntraced(function* (url: URL) {
  const of = finding("https", url.host)
  if (url.protocol !== "https:" && LOOPBACK.test(url.hostname)) return of(ok("It is on this machine."))
  if (url.protocol !== "https:")
    return of(
      warning(
        "The URL is not encrypted: keys can be read on the way.",
        "Put a proxy with TLS in front of the service.",
      ),
    )
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise(() =>
    httpsCertificate(url.hostname, url.port === "" ? HTTPS_PORT : Number(url.port)),
  ).pipe(
    Effect.map(({ reason, validTo }) => of(judgeCertificate(reason, validTo, now))),
    Effect.catchAll((error) =>
      Effect.succeed(of(problem(`No TLS: ${reasonOf(error)}.`, "Check the proxy in front of the service."))),
    ),
  )
})

const versionCheck = Effect.fnUntraced(function* (fetch: Fetch, url: string) {
  const of = finding("version", url)
  const theirs = yield* Effect.tryPromise(async () => {
    const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(PATIENCE) })
    return response.json()
  }).pipe(Effect.flatMap(Schema.decodeUnknown(Document)), Effect.option)
  if (Option.isNone(theirs))
    return of(skipped("The service does not tell its version.", "Check that the URL is that of Mailroom."))
  const { version } = theirs.value.info
  return of(
    version.split(".")[0] === CONTRACT
      ? ok(`The contract of the service is ${version}, this command is ${VERSION} for contract ${CONTRACT}.`)
      : problem(
          `The contract of the service is ${version}, this command is ${VERSION} for contract ${CONTRACT}.`,
          "Install the newest command; the operator of an older service updates it.",
        ),
  )
})

/** All checks of a service. */
export const serviceChecks = Effect.fnUntraced(function* (fetch: Fetch, url: string) {
  const before = yield* Clock.currentTimeMillis
  const answered = yield* Effect.either(
    Effect.tryPromise({
      try: () => fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PATIENCE) }),
      catch: reasonOf,
    }),
  )
  const after = yield* Clock.currentTimeMillis
  const of = finding("http", url)
  const certificate = yield* certificateCheck(new URL(url))
  if (answered._tag === "Left")
    return [
      of(
        problem(
          `No connection: ${answered.left}.`,
          "Check the URL, that the service runs, and its firewall.",
        ),
      ),
      certificate,
    ]
  const { status, headers } = answered.right
  const readiness = yield* readinessIn(answered.right)
  const date = Date.parse(headers.get("date") ?? "")
  const millis = after - before
  const ready =
    status === 200
      ? millis > SLOW
        ? warning(
            `It is ready, and answered after ${millis} ms.`,
            "Look at the load of the service and the way to it.",
          )
        : ok(`It is ready, and answered after ${millis} ms.`)
      : problem(`/readyz answers ${status}${reasonText(readiness)}.`, "Look at the log of the service.")
  const clock: ReadonlyArray<Finding> = Number.isNaN(date)
    ? []
    : [finding("clock", url)(judgeClock(date, (before + after) / 2))]
  const relay: ReadonlyArray<Finding> =
    readiness?.relay === undefined
      ? []
      : [
          finding(
            "relay",
            url,
          )(problem(`The relay ${readiness.relay}.`, "Check OUTBOUND_URL of the service, and its relay.")),
        ]
  return [of(ready), ...relay, certificate, ...clock, yield* versionCheck(fetch, url)]
})
