/** SPF, DKIM, ARC and DMARC of one mail in the time there is (decisions §6). */
import type { Authentication, Instant } from "@mailroom/domain"
import type { Envelope, SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { type Ask, askingWith, knowing, type Question } from "./asking.js"
import { conclude, type Found, nothing } from "./conclude.js"
import type { DmarcFinding, SignatureFindings, SpfFinding } from "./findings.js"
import { glance } from "./glance.js"
import type { Lookup } from "./lookup.js"
import { makeRecent } from "./recent.js"

const LIMIT = Duration.seconds(2)

/** Answers lead to more questions: SPF includes, ten at most. */
const ROUNDS_AT_ONCE = 12

/** `at` is when the mail came: a signature may have been over by then. */
type SignatureCheck = (raw: Uint8Array, at: Instant) => Effect.Effect<SignatureFindings, "lost">

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

export const makeEvaluate = (
  lookup: Lookup,
  check: SignatureCheck,
): Effect.Effect<SenderAuthentication["Type"]> =>
  Effect.gen(function* () {
    const ask = askingWith(lookup, Runtime.runPromise(yield* Effect.runtime()))
    const recent = yield* makeRecent

    /** Of a mail without signatures, from what is known; or what would have to be known. */
    const attempt = async (
      loaded: Checks,
      signatures: SignatureFindings,
      envelope: Envelope,
    ): Promise<Authentication | ReadonlyArray<Question>> => {
      const known = knowing(lookup)
      const spf = await loaded.checkSpf(envelope, known.ask)
      const dmarc = await dmarcOf(loaded, spf, signatures, known.ask)
      return known.missed().length > 0 ? known.missed() : conclude({ spf, signatures, dmarc })
    }

    /** The same, as far as answers are there at once: no clock runs, nothing is waited for. null when they are not. */
    const atOnce = Effect.fnUntraced(function* (
      loaded: Checks,
      signatures: SignatureFindings,
      envelope: Envelope,
    ) {
      for (let round = 0; round < ROUNDS_AT_ONCE; round++) {
        const found = yield* Effect.promise(() => attempt(loaded, signatures, envelope))
        if ("spf" in found) return found
        yield* Effect.forEach(found, ({ type, name }) => lookup.begin(type, name), { discard: true })
        yield* Effect.yieldNow()
        if (found.some(({ type, name }) => lookup.known(type, name) === undefined)) return null
      }
      return null
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

    /** Of a mail whose header said all that there is to know of signatures. */
    const unsigned = Effect.fnUntraced(function* (
      raw: Uint8Array,
      seen: SignatureFindings,
      envelope: Envelope,
    ) {
      const loaded = yield* load
      const found = (yield* atOnce(loaded, seen, envelope)) ?? (yield* inTime(loaded, raw, seen, envelope))
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
