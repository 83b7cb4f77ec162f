/** SPF, DKIM, ARC and DMARC of one mail in the time there is (decisions §6). */
import type { Authentication } from "@mailroom/domain"
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

/** Signatures of one mail that are looked at; nobody signs more often, and each costs a question and a computation. */
const SIGNATURES_MAX = 10

type SignatureCheck = (raw: Uint8Array) => Effect.Effect<SignatureFindings, "lost">

/** What the header says of itself, when it is short enough to be looked at here. */
const glance = (
  raw: Uint8Array,
): { readonly from: ReadonlyArray<string>; readonly signatures: number } | null => {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, SMALL_HEADER_BYTES))
  const { bodyStart, fields } = readHeaderBlock(start)
  if (bodyStart >= start.length && start.length < raw.byteLength) return null
  const signatures = fields.filter(({ name }) => name === "dkim-signature" || name === "arc-seal").length
  const from = readHeaders(
    fields.filter(({ name }) => name === "from"),
    null,
  )
  return { from: from.addresses("from").map(({ address }) => address), signatures }
}

const signaturesOf = (raw: Uint8Array, check: SignatureCheck): Effect.Effect<SignatureFindings, "lost"> =>
  Effect.suspend(() => {
    const seen = glance(raw)
    if (seen === null) return check(raw)
    if (seen.signatures === 0) return Effect.succeed({ from: seen.from, dkim: [], arc: null })
    if (seen.signatures > SIGNATURES_MAX)
      return Effect.succeed({ from: seen.from, dkim: [{ result: "permerror", domain: "" }], arc: null })
    return check(raw)
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
        const signatures = Effect.tap(Effect.option(signaturesOf(raw, check)), (findings) =>
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
              return author === undefined || others.length > 0
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
