/**
 * What was concluded of senders lately. All that counts of a mail without signatures is who sent it from where, and the
 * next one is often from the same: a shop that writes to many, a server that hands over what piled up.
 */
import type { Authentication } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { Effect } from "effect"
import type { SignatureFindings } from "./findings.js"

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

export const makeRecent: Effect.Effect<Recent> = Effect.map(Effect.clock, (clock) => {
  /** oldest first */
  const senders = new Map<string, { readonly found: Authentication; readonly until: number }>()
  return {
    find: (envelope, signatures) => {
      const recent = senders.get(keyOf(envelope, signatures))
      return recent !== undefined && recent.until > clock.unsafeCurrentTimeMillis() ? recent.found : undefined
    },
    keep: (envelope, signatures, found) => {
      if (found.spf === "temperror" || found.dmarc === "temperror") return
      const key = keyOf(envelope, signatures)
      senders.delete(key)
      senders.set(key, { found, until: clock.unsafeCurrentTimeMillis() + HOLDS })
      const [oldest] = senders.keys()
      if (senders.size > SENDERS_MAX && oldest !== undefined) senders.delete(oldest)
    },
  }
})
