/** SPF, DKIM, ARC and DMARC of one mail within a time limit (spec: decisions.smtp.authentication). */
import type { SenderResults, Instant } from "@mailroom/domain"
import { Dns, type Envelope, type SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { makeResultCache, type MethodResults, noResults, toAuthentication } from "./authenticationResults.js"
import { cachedLookups, type MailLookups, makeMailLookups } from "./resolver.js"
import { scanSignatureHeaders, type SignatureResults } from "./signatureHeaders.js"

const DEFAULT_LIMIT = Duration.seconds(2)

/** Verifies as of `receivedAt`: a signature may have expired since. Fails when the thread crashes or hangs. */
type VerifySignatures = (
  raw: Uint8Array,
  receivedAt: Instant,
  lookups: MailLookups,
) => Effect.Effect<SignatureResults, "failed">

const importChecks = () => import("./spfDmarc.js")

type Checks = Awaited<ReturnType<typeof importChecks>>

let checks: Promise<Checks> | null = null

const loadChecks = Effect.promise(() => (checks ??= importChecks()))

/** `limit`: how long a mail waits for its results. Default 2 seconds */
export const makeEvaluate = (
  verifySignatures: VerifySignatures,
  limit: Duration.DurationInput = DEFAULT_LIMIT,
): Effect.Effect<SenderAuthentication["Type"], never, Dns> =>
  Effect.gen(function* () {
    const dns = yield* Dns
    const run = Runtime.runPromise(yield* Effect.runtime())
    const recent = yield* makeResultCache

    /** Evaluates an unsigned mail with cached DNS answers, without timers or waiting. null when one is not cached. */
    const evaluateFromCache = async (
      { checkSpf, checkDmarc }: Checks,
      signatures: SignatureResults,
      envelope: Envelope,
    ): Promise<SenderResults | null> => {
      const { lookup, isComplete } = cachedLookups(dns)
      const spf = await checkSpf(envelope, lookup)
      const dmarc = await checkDmarc(spf, signatures, lookup)
      return isComplete() ? toAuthentication({ spf, signatures, dmarc }) : null
    }

    /** `unsigned`: the results for an unsigned mail; null for a mail whose signatures have to be verified. */
    const evaluateWithinLimit = (
      { checkSpf, checkDmarc }: Checks,
      raw: Uint8Array,
      unsigned: SignatureResults | null,
      envelope: Envelope,
    ): Effect.Effect<SenderResults> => {
      const lookups = makeMailLookups(dns, run, envelope.remoteAddress)
      let results: MethodResults = noResults
      const add = (more: Partial<MethodResults>) => {
        results = { ...results, ...more }
      }
      const checkingSpf = Effect.tap(
        Effect.promise(() => checkSpf(envelope, lookups.lookup)),
        (spf) => Effect.sync(() => add({ spf })),
      )
      const verifying = Effect.tap(
        unsigned === null
          ? Effect.orElseSucceed(verifySignatures(raw, envelope.receivedAt, lookups), () => null)
          : Effect.succeed(unsigned),
        (signatures) => Effect.sync(() => add({ signatures })),
      )
      return Effect.all([checkingSpf, verifying], { concurrency: "unbounded" }).pipe(
        Effect.flatMap(([spf, signatures]) =>
          signatures === null
            ? Effect.void
            : Effect.promise(async () => add({ dmarc: await checkDmarc(spf, signatures, lookups.lookup) })),
        ),
        // After the limit, the results so far count. The checks end soon, because their lookups are cancelled.
        Effect.timeoutOption(limit),
        Effect.ensuring(Effect.sync(lookups.cancel)),
        Effect.andThen(() => toAuthentication(results)),
      )
    }

    const evaluateUnsigned = Effect.fnUntraced(function* (
      raw: Uint8Array,
      signatures: SignatureResults,
      envelope: Envelope,
    ) {
      const loaded = yield* loadChecks
      const results =
        (yield* Effect.promise(() => evaluateFromCache(loaded, signatures, envelope))) ??
        (yield* evaluateWithinLimit(loaded, raw, signatures, envelope))
      recent.keep(envelope, signatures.from, results)
      return results
    })

    return {
      evaluate: (raw, envelope) =>
        Effect.suspend(() => {
          const unsigned = scanSignatureHeaders(raw)
          if (unsigned === null)
            return Effect.flatMap(loadChecks, (loaded) => evaluateWithinLimit(loaded, raw, null, envelope))
          const results = recent.find(envelope, unsigned.from)
          return results === undefined ? evaluateUnsigned(raw, unsigned, envelope) : Effect.succeed(results)
        }),
      known: (authors, envelope) => recent.find(envelope, authors) ?? null,
    }
  })
