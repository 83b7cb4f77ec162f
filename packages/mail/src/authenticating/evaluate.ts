/** SPF, DKIM, ARC and DMARC of one mail within a time limit (spec: decisions.smtp.authentication). */
import { type Instant, networksOf, type SenderResults } from "@mailroom/domain"
import { Dns, type Envelope, type EvaluatedMail, type SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { makeResultCache, type MethodResults, noResults, toAuthentication } from "./authenticationResults.js"
import { cachedLookups, type MailLookups, makeMailLookups } from "./resolver.js"
import { type SignatureResults, unsignedResults } from "./signatureHeaders.js"

const DEFAULT_LIMIT = Duration.seconds(2)

/** Verifies as of `receivedAt`: a signature may have expired since. Fails when the thread crashes or hangs. */
type VerifySignatures = (
  raw: Uint8Array,
  receivedAt: Instant,
  lookups: MailLookups,
) => Effect.Effect<SignatureResults, "failed">

const importChecks = () => import("./spfDmarc.js")

type Checks = Awaited<ReturnType<typeof importChecks>>

let importing: Promise<Checks> | null = null

const loadChecks = Effect.promise(() => (importing ??= importChecks()))

/** The result of a check; null, and a line in the log, when it breaks on what a sender wrote. */
const checked = <A>(check: () => Promise<A>): Effect.Effect<A | null> =>
  Effect.catchAllDefect(Effect.promise(check), (defect) =>
    Effect.as(Effect.logWarning("A check of a sender broke, and has no result", defect), null),
  )

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
      { authors }: EvaluatedMail,
      envelope: Envelope,
    ): Promise<SenderResults | null> => {
      const { lookup, isComplete } = cachedLookups(dns)
      const spf = await checkSpf(envelope, lookup)
      const dmarc = await checkDmarc(authors, spf, unsignedResults.dkim, lookup)
      return isComplete() ? toAuthentication({ spf, signatures: unsignedResults, dmarc }) : null
    }

    const evaluateWithinLimit = (
      { checkSpf, checkDmarc }: Checks,
      { raw, authors, isSigned }: EvaluatedMail,
      envelope: Envelope,
    ): Effect.Effect<SenderResults> => {
      const lookups = makeMailLookups(dns, run, networksOf(envelope.remoteAddress).host)
      let results: MethodResults = noResults
      const add = (more: Partial<MethodResults>) => {
        results = { ...results, ...more }
      }
      const checkingSpf = Effect.tap(
        checked(() => checkSpf(envelope, lookups.lookup)),
        (spf) => Effect.sync(() => add(spf === null ? {} : { spf })),
      )
      const verifying = Effect.tap(
        isSigned
          ? Effect.orElseSucceed(verifySignatures(raw, envelope.receivedAt, lookups), () => null)
          : Effect.succeed(unsignedResults),
        (signatures) => Effect.sync(() => add({ signatures })),
      )
      return Effect.all([checkingSpf, verifying], { concurrency: "unbounded" }).pipe(
        Effect.flatMap(([spf, signatures]) =>
          spf === null || signatures === null
            ? Effect.void
            : Effect.tap(
                checked(() => checkDmarc(authors, spf, signatures.dkim, lookups.lookup)),
                (dmarc) => Effect.sync(() => add(dmarc === null ? {} : { dmarc })),
              ),
        ),
        // After the limit, the results so far count. The checks end soon, because their lookups are cancelled.
        Effect.timeoutOption(limit),
        Effect.ensuring(Effect.sync(lookups.cancel)),
        Effect.andThen(() => toAuthentication(results)),
      )
    }

    const evaluateUnsigned = Effect.fnUntraced(function* (
      checks: Checks,
      mail: EvaluatedMail,
      envelope: Envelope,
    ) {
      const results =
        (yield* checked(() => evaluateFromCache(checks, mail, envelope))) ??
        (yield* evaluateWithinLimit(checks, mail, envelope))
      recent.keep(envelope, mail.authors, results)
      return results
    })

    const known = ({ authors, isSigned }: EvaluatedMail, envelope: Envelope): SenderResults | null =>
      isSigned ? null : recent.find(envelope, authors)

    return {
      known,
      evaluate: (mail, envelope) =>
        Effect.suspend(() => {
          const results = known(mail, envelope)
          if (results !== null) return Effect.succeed(results)
          const evaluateWith = mail.isSigned ? evaluateWithinLimit : evaluateUnsigned
          return Effect.flatMap(loadChecks, (loaded) => evaluateWith(loaded, mail, envelope))
        }),
    }
  })
