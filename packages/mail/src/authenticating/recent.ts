/**
 * What was concluded of senders lately. All that counts of a mail without signatures is who sent it from where, and the
 * next one is often from the same: a shop that writes to many, a server that hands over what piled up.
 */
import type { Authentication } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { Effect } from "effect"
import type { SignatureFindings } from "./findings.js"
import { makeKept } from "./kept.js"

/** Milliseconds, on top of what answers from DNS hold. */
const HOLDS = 60_000
const SENDERS_MAX = 1_000

export interface Recent {
  readonly find: (envelope: Envelope, signatures: SignatureFindings) => Authentication | undefined
  /** What may be known better soon is not kept. */
  readonly keep: (envelope: Envelope, signatures: SignatureFindings, found: Authentication) => void
}

const keyOf = ({ from, remoteAddress, helo }: Envelope, signatures: SignatureFindings): string =>
  JSON.stringify([from, remoteAddress, helo, signatures])

export const makeRecent: Effect.Effect<Recent> = Effect.map(
  makeKept<Authentication>(SENDERS_MAX),
  (senders): Recent => ({
    find: (envelope, signatures) => senders.find(keyOf(envelope, signatures)),
    keep: (envelope, signatures, found) => {
      if (found.spf !== "temperror" && found.dmarc !== "temperror")
        senders.keep(keyOf(envelope, signatures), found, HOLDS)
    },
  }),
)
