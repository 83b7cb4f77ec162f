/** Answers that are kept for a while, bounded in number and in bytes. Strangers choose the names and the answers. */
import type { DnsAnswer } from "@mailroom/engine"
import { Effect } from "effect"

/** How long an answer is kept, milliseconds: as long as its records say, within these bounds. */
const HOLDS_MIN = 5_000
const HOLDS_MAX = 5 * 60_000
/** That there is nothing, or no answer: shorter than the first wait of a webhook that is tried again. */
const FAILURE_HOLDS = 30_000

const ENTRIES_MAX = 10_000
/** Characters of all answers and their names. */
const SIZE_MAX = 8 * 1024 * 1024
/** Characters of one answer that is kept; no key and no policy is as long. */
const ANSWER_MAX = 8 * 1024

/** `ttl` in seconds; null where the resolver's library does not tell it. Milliseconds. */
export const holdsFor = (answer: DnsAnswer, ttl: number | null): number => {
  if (answer === "unavailable" || answer.length === 0) return FAILURE_HOLDS
  return ttl === null ? HOLDS_MAX : Math.min(HOLDS_MAX, Math.max(HOLDS_MIN, ttl * 1000))
}

export interface Answers {
  /** The answer, as long as it is kept. */
  readonly find: (key: string) => DnsAnswer | undefined
  readonly keep: (key: string, answer: DnsAnswer, ttl: number | null) => void
}

interface Entry {
  readonly answer: DnsAnswer
  readonly until: number
  readonly size: number
}

const lengthOf = (answer: DnsAnswer): number =>
  answer === "unavailable" ? 0 : answer.reduce((sum, text) => sum + text.length, 0)

export const makeAnswers: Effect.Effect<Answers> = Effect.map(Effect.clock, (clock) => {
  /** oldest first */
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
    keep: (key, answer, ttl) => {
      drop(key)
      const length = lengthOf(answer)
      if (length > ANSWER_MAX) return
      const entry = {
        answer,
        until: clock.unsafeCurrentTimeMillis() + holdsFor(answer, ttl),
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
