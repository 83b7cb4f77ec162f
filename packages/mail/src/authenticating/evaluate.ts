/** SPF, DKIM, ARC and DMARC of one mail in the time there is (decisions §6). */
import type { Authentication, Instant } from "@mailroom/domain"
import type { Envelope, SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { type Ask, askingWith, knowing } from "./asking.js"
import { conclude, type Found, nothing } from "./conclude.js"
import type { DmarcFinding, SignatureFindings, SpfFinding } from "./findings.js"
import { glance } from "./glance.js"
import type { Lookup } from "./lookup.js"

const LIMIT = Duration.seconds(2)

/** `at` is when the mail came: a signature may have been over by then. */
type SignatureCheck = (raw: Uint8Array, at: Instant) => Effect.Effect<SignatureFindings, "lost">

const loadChecks = () => import("./checks.js")

type Checks = Awaited<ReturnType<typeof loadChecks>>

/** A large library, loaded with the first mail from outside. */
let checks: Promise<Checks> | null = null

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

export const makeEvaluate = (
  lookup: Lookup,
  check: SignatureCheck,
): Effect.Effect<SenderAuthentication["Type"]["evaluate"]> =>
  Effect.gen(function* () {
    const ask = askingWith(lookup, Runtime.runPromise(yield* Effect.runtime()))

    /** A mail without signatures whose sender's answers are all known: nobody is asked, nothing has to be waited for. */
    const atOnce = (
      loaded: Checks,
      signatures: SignatureFindings,
      envelope: Envelope,
    ): Effect.Effect<Authentication | null> =>
      Effect.promise(async () => {
        const known = knowing(lookup)
        const spf = await loaded.checkSpf(envelope, known.ask)
        if (known.missed()) return null
        const dmarc = await dmarcOf(loaded, spf, signatures, known.ask)
        return known.missed() ? null : conclude({ spf, signatures, dmarc })
      })

    const inTime = (
      loaded: Checks,
      raw: Uint8Array,
      seen: SignatureFindings | null,
      envelope: Envelope,
    ): Effect.Effect<Authentication> => {
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
          ? Effect.orElseSucceed(check(raw, envelope.receivedAt), () => null)
          : Effect.succeed(seen),
        (signatures) => Effect.sync(() => note({ signatures })),
      )
      return Effect.all([spfOf, signaturesOf], { concurrency: "unbounded" }).pipe(
        Effect.flatMap(([spf, signatures]) =>
          signatures === null
            ? Effect.void
            : Effect.promise(async () => note({ dmarc: await dmarcOf(loaded, spf, signatures, ask) })),
        ),
        // Whatever is known by then counts.
        Effect.timeoutOption(LIMIT),
        Effect.andThen(() => conclude(found)),
      )
    }

    return (raw, envelope) =>
      Effect.gen(function* () {
        const loaded = yield* Effect.promise(() => (checks ??= loadChecks()))
        const seen = glance(raw)
        const found = seen === null ? null : yield* atOnce(loaded, seen, envelope)
        return found ?? (yield* inTime(loaded, raw, seen, envelope))
      })
  })
