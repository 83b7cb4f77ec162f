/** SPF, DKIM, ARC and DMARC of one mail in the time there is (decisions §6). */
import type { Authentication, Instant } from "@mailroom/domain"
import { Dns, type Envelope, type SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { conclude, type Found, nothing } from "./conclude.js"
import type { DmarcFinding, SignatureFindings, SpfFinding } from "./findings.js"
import { glance } from "./glance.js"
import { type Ask, cachedOnly, type MailQuestions, questionsOfMail } from "./questions.js"
import { makeRecent } from "./recent.js"

/** How long a mail waits for its results when the layer does not say otherwise. */
const DEFAULT_LIMIT = Duration.seconds(2)

/** `at` is when the mail came: a signature may have been over by then. */
type SignatureCheck = (
  raw: Uint8Array,
  at: Instant,
  questions: MailQuestions,
) => Effect.Effect<SignatureFindings, "lost">

const loadChecks = () => import("./checks.js")

type Checks = Awaited<ReturnType<typeof loadChecks>>

/** A large library, loaded with the first mail from outside. */
let checks: Promise<Checks> | null = null

const load = Effect.promise(() => (checks ??= loadChecks()))

const dmarcOf = (
  { checkDmarc }: Checks,
  spf: SpfFinding,
  { from, dkim }: SignatureFindings,
  ask: Ask,
): Promise<DmarcFinding> | DmarcFinding => {
  const [author, ...others] = from
  if (author === undefined) return { result: "none", isAligned: false }
  return others.length > 0 ? { result: "permerror", isAligned: false } : checkDmarc(author, spf, dkim, ask)
}

/** `limit`: how long a mail waits for its results. Default 2 seconds */
export const makeEvaluate = (
  check: SignatureCheck,
  limit: Duration.DurationInput = DEFAULT_LIMIT,
): Effect.Effect<SenderAuthentication["Type"], never, Dns> =>
  Effect.gen(function* () {
    const dns = yield* Dns
    const run = Runtime.runPromise(yield* Effect.runtime())
    const recent = yield* makeRecent

    /** Judges an unsigned mail from the cache: no clock runs and nothing is waited for. null when an answer is missing. */
    const fromCache = async (
      loaded: Checks,
      signatures: SignatureFindings,
      envelope: Envelope,
    ): Promise<Authentication | null> => {
      const { ask, isComplete } = cachedOnly(dns)
      const spf = await loaded.checkSpf(envelope, ask)
      const dmarc = await dmarcOf(loaded, spf, signatures, ask)
      return isComplete() ? conclude({ spf, signatures, dmarc }) : null
    }

    const inTime = (
      loaded: Checks,
      raw: Uint8Array,
      seen: SignatureFindings | null,
      envelope: Envelope,
    ): Effect.Effect<Authentication> => {
      const questions = questionsOfMail(dns, run, envelope.remoteAddress)
      const { ask } = questions
      let found: Found = nothing
      const note = (more: Partial<Found>) => {
        found = { ...found, ...more }
      }
      const spfOf = Effect.tap(
        Effect.promise(() => loaded.checkSpf(envelope, ask)),
        (spf) => Effect.sync(() => note({ spf })),
      )
      const signaturesOf = Effect.tap(
        seen === null
          ? Effect.orElseSucceed(check(raw, envelope.receivedAt, questions), () => null)
          : Effect.succeed(seen),
        (signatures) => Effect.sync(() => note({ signatures })),
      )
      return Effect.all([spfOf, signaturesOf], { concurrency: "unbounded" }).pipe(
        Effect.flatMap(([spf, signatures]) =>
          signatures === null
            ? Effect.void
            : Effect.promise(async () => note({ dmarc: await dmarcOf(loaded, spf, signatures, ask) })),
        ),
        // Whatever is known by then counts. The checks end soon after, because nothing answers them any more.
        Effect.timeoutOption(limit),
        Effect.ensuring(Effect.sync(questions.end)),
        Effect.andThen(() => conclude(found)),
      )
    }

    /** Of a mail whose header said all that there is to know of signatures. */
    const unsigned = Effect.fnUntraced(function* (
      raw: Uint8Array,
      seen: SignatureFindings,
      envelope: Envelope,
    ) {
      const loaded = yield* load
      const found =
        (yield* Effect.promise(() => fromCache(loaded, seen, envelope))) ??
        (yield* inTime(loaded, raw, seen, envelope))
      recent.keep(envelope, seen.from, found)
      return found
    })

    return {
      evaluate: (raw, envelope) =>
        Effect.suspend(() => {
          const seen = glance(raw)
          if (seen === null) return Effect.flatMap(load, (loaded) => inTime(loaded, raw, null, envelope))
          const known = recent.find(envelope, seen.from)
          return known === undefined ? unsigned(raw, seen, envelope) : Effect.succeed(known)
        }),
      known: (authors, envelope) => recent.find(envelope, authors) ?? null,
    }
  })
