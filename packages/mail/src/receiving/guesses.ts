/**
 * Counts unknown recipients, and for submission wrong credentials, per network, to slow down and refuse clients that guess.
 */
import {
  ACCEPTED_MAIL_CREDIT,
  type GuessLimit,
  type GuessScore,
  guessDelay,
  guessesAt,
  HOST_GUESSES,
  networksOf,
  noGuesses,
  SITE_GUESSES,
  withGuesses,
} from "@mailroom/domain"

/** Networks with a score. Beyond, the one that changed longest ago is evicted. */
const NETWORKS_MAX = 10_000

export interface Guesses {
  /** Counts one. Returns the delay of its reply in milliseconds; null: refuse the network. */
  readonly count: (address: string) => number | null
  /** An accepted mail reduces the score. */
  readonly credit: (address: string) => void
  /** Whether the networks of the address are refused another session. */
  readonly isRefused: (address: string) => boolean
}

export const makeGuesses = (now: () => number): Guesses => {
  /** in the order of their last change */
  const scores = new Map<string, GuessScore>()

  const limitsOf = (address: string): ReadonlyArray<readonly [network: string, limit: GuessLimit]> => {
    const { host, site } = networksOf(address)
    return [
      [host, HOST_GUESSES],
      [`site ${site}`, SITE_GUESSES],
    ]
  }

  const change = (network: string, limit: GuessLimit, by: number): number => {
    const score = withGuesses(scores.get(network) ?? noGuesses, by, now(), limit)
    scores.delete(network)
    if (score.score > 0) scores.set(network, score)
    const [oldest] = scores.keys()
    if (scores.size > NETWORKS_MAX && oldest !== undefined) scores.delete(oldest)
    return score.score
  }

  return {
    count: (address) => {
      const delays = limitsOf(address).map(([network, limit]) => {
        const score = change(network, limit, 1)
        return score >= limit.refused ? Infinity : guessDelay(score, limit)
      })
      const delay = Math.max(...delays)
      return delay === Infinity ? null : delay
    },
    credit: (address) => {
      if (scores.size === 0) return
      for (const [network, limit] of limitsOf(address))
        if (scores.has(network)) change(network, limit, -ACCEPTED_MAIL_CREDIT)
    },
    isRefused: (address) =>
      scores.size > 0 &&
      limitsOf(address).some(([network, limit]) => {
        const score = scores.get(network)
        return score !== undefined && guessesAt(score, now(), limit) >= limit.refused
      }),
  }
}
