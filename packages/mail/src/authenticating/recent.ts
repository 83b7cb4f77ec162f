/**
 * What was concluded of senders lately. All that counts of a mail without signatures is who sent it from where, and the
 * next one is often from the same: a shop that writes to many, a server that hands over what piled up.
 */
import type { Authentication } from "@mailroom/domain"
import type { Envelope } from "@mailroom/engine"
import { Effect } from "effect"
import { makeKept } from "./kept.js"

/** Milliseconds, on top of what answers from DNS hold. */
const HOLDS = 60_000
const SENDERS_MAX = 1_000

export interface Recent {
  /** `authors` are all addresses in From. */
  readonly find: (envelope: Envelope, authors: ReadonlyArray<string>) => Authentication | undefined
  /** What may be known better soon is not kept. */
  readonly keep: (envelope: Envelope, authors: ReadonlyArray<string>, found: Authentication) => void
}

const keyOf = ({ from, remoteAddress, helo }: Envelope, authors: ReadonlyArray<string>): string =>
  JSON.stringify([from, remoteAddress, helo, ...authors])

export const makeRecent: Effect.Effect<Recent> = Effect.map(
  makeKept<Authentication>(SENDERS_MAX),
  (senders): Recent => ({
    find: (envelope, authors) => senders.find(keyOf(envelope, authors)),
    keep: (envelope, authors, found) => {
      if (found.spf !== "temperror" && found.dmarc !== "temperror")
        senders.keep(keyOf(envelope, authors), found, HOLDS)
    },
  }),
)
