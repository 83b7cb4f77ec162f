/** SPF, DKIM, ARC and DMARC of one mail in the time there is (decisions §6). */
import type { Authentication, Instant } from "@mailroom/domain"
import type { Envelope, SenderAuthentication } from "@mailroom/engine"
import { Duration, Effect, Runtime } from "effect"
import { readHeaderBlock } from "../parsing/headerBlock.js"
import { readHeaders } from "../parsing/headers.js"
import { askingWith } from "./asking.js"
import { conclude, type Found } from "./conclude.js"
import type { SignatureFindings } from "./findings.js"
import type { Lookup } from "./lookup.js"

const LIMIT = Duration.seconds(2)

/** As much of a header is read in the calling thread; a longer one is left to whoever checks signatures. */
const SMALL_HEADER_BYTES = 32 * 1024

/** Nobody who wants to be believed has a longer one, and the library takes too long for it. */
const HEADER_MAX_BYTES = 128 * 1024

/** Signatures of one mail that are looked at; nobody signs more often, and each costs a question and a computation. */
const SIGNATURES_MAX = 10

/** `at` is when the mail came: a signature may have been over by then. */
type SignatureCheck = (raw: Uint8Array, at: Instant) => Effect.Effect<SignatureFindings, "lost">

/** Of a mail that has more of everything than is looked at. */
const tooMuch = (from: ReadonlyArray<string>): SignatureFindings => ({
  from,
  dkim: [{ result: "permerror", domain: "" }],
  arc: null,
})

const headerLength = (raw: Uint8Array): number => {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADER_MAX_BYTES))
  const end = start.indexOf("\r\n\r\n")
  return end === -1 ? raw.byteLength : end
}

const signaturesOf = (raw: Uint8Array, at: Instant, check: SignatureCheck) =>
  Effect.suspend(() => {
    const length = headerLength(raw)
    if (length > HEADER_MAX_BYTES) return Effect.succeed(tooMuch([]))
    if (length > SMALL_HEADER_BYTES) return check(raw, at)
    const { fields } = readHeaderBlock(
      Buffer.from(raw.buffer, raw.byteOffset, Math.min(length + 4, raw.byteLength)),
    )
    const authors = readHeaders(
      fields.filter(({ name }) => name === "from"),
      null,
    )
    const from = authors.addresses("from").map(({ address }) => address)
    const signatures = fields.filter(({ name }) => name === "dkim-signature" || name === "arc-seal").length
    if (signatures === 0) return Effect.succeed<SignatureFindings>({ from, dkim: [], arc: null })
    return signatures > SIGNATURES_MAX ? Effect.succeed(tooMuch(from)) : check(raw, at)
  })

export const makeEvaluate = (
  lookup: Lookup,
  check: SignatureCheck,
): Effect.Effect<SenderAuthentication["Type"]["evaluate"]> =>
  Effect.map(Effect.runtime(), (runtime) => {
    const ask = askingWith(lookup, Runtime.runPromise(runtime))
    // A large library, loaded with the first mail from outside.
    const checks = Effect.promise(() => import("./checks.js"))

    return (raw: Uint8Array, envelope: Envelope): Effect.Effect<Authentication> =>
      Effect.suspend(() => {
        let found: Found = { spf: null, signatures: null, dmarc: null }
        const spf = Effect.gen(function* () {
          const { checkSpf } = yield* checks
          const finding = yield* Effect.promise(() => checkSpf(envelope, ask))
          found = { ...found, spf: finding }
          return finding
        })
        const signatures = Effect.tap(
          Effect.option(signaturesOf(raw, envelope.receivedAt, check)),
          (findings) =>
            Effect.sync(() => {
              found = { ...found, signatures: findings }
            }),
        )
        const everything = Effect.gen(function* () {
          const both = yield* Effect.all([spf, signatures], { concurrency: "unbounded" })
          const [spfFinding, signatureFindings] = both
          const { checkDmarc } = yield* checks
          found = {
            ...found,
            dmarc: yield* Effect.promise(async () => {
              if (signatureFindings._tag === "None") return null
              const { from, dkim } = signatureFindings.value
              const [author, ...others] = from
              if (author === undefined) return { result: "none", isAligned: false }
              return others.length > 0
                ? { result: "permerror", isAligned: false }
                : checkDmarc(author, spfFinding, dkim, ask)
            }),
          }
        })
        return everything.pipe(
          // Whatever is known by then counts.
          Effect.timeoutOption(LIMIT),
          Effect.andThen(() => conclude(found)),
        )
      })
  })
