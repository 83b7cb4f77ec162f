/**
 * The cache of DNS answers, bounded in entries and in characters, because strangers choose the names and the answers.
 *
 * Not Effect's `Cache`: it bounds the number of entries only, and its lookup knows the key only, while ours also needs
 * the account that asks. And `Dns.known` reads an answer synchronously for every mail.
 */
import type { DnsAnswer } from "@mailroom/engine"
import { Effect } from "effect"

/** Milliseconds. An answer is cached for the TTL of its records, within these bounds. */
const TTL_MIN = 5_000
const TTL_MAX = 5 * 60_000
/** Milliseconds for an empty answer and for none: shorter than the wait before the first retry of a webhook. */
const NEGATIVE_TTL = 30_000

const ENTRIES_MAX = 10_000
/** Characters of all names and answers. */
const SIZE_MAX = 8 * 1024 * 1024
/** Characters of one answer. DKIM keys and DMARC policies are far shorter; longer answers are not cached. */
const ANSWER_MAX = 8 * 1024

/** Milliseconds to cache an answer. `ttl` is in seconds; null where Node's resolver does not return it. */
export const lifetimeOf = (answer: DnsAnswer, ttl: number | null): number => {
  if (answer === "unavailable" || answer.length === 0) return NEGATIVE_TTL
  return ttl === null ? TTL_MAX : Math.min(TTL_MAX, Math.max(TTL_MIN, ttl * 1000))
}

export interface AnswerCache {
  /** The cached answer, if it has not expired. */
  readonly find: (key: string) => DnsAnswer | undefined
  readonly put: (key: string, answer: DnsAnswer, ttl: number | null) => void
}

interface Entry {
  readonly answer: DnsAnswer
  readonly until: number
  readonly size: number
}

const lengthOf = (answer: DnsAnswer): number =>
  answer === "unavailable" ? 0 : answer.reduce((sum, text) => sum + text.length, 0)

export const makeAnswerCache: Effect.Effect<AnswerCache> = Effect.map(Effect.clock, (clock) => {
  /** In the order of insertion, oldest first. */
  const entries = new Map<string, Entry>()
  let size = 0

  const drop = (key: string): void => {
    size -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    find: (key) => {
      const entry = entries.get(key)
      if (entry === undefined || entry.until > clock.unsafeCurrentTimeMillis()) return entry?.answer
      drop(key)
      return undefined
    },
    put: (key, answer, ttl) => {
      drop(key)
      const length = lengthOf(answer)
      if (length > ANSWER_MAX) return
      const entry = {
        answer,
        until: clock.unsafeCurrentTimeMillis() + lifetimeOf(answer, ttl),
        size: key.length + length,
      }
      entries.set(key, entry)
      size += entry.size
      for (const oldest of entries.keys()) {
        if (entries.size <= ENTRIES_MAX && size <= SIZE_MAX) return
        drop(oldest)
      }
    },
  }
})
