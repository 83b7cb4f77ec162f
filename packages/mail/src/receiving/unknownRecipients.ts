/** Counts the recipients that do not exist, for each network that asked for them: who guesses addresses is slowed down. */
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

/** Networks that are remembered. Beyond that, the one that guessed longest ago is forgotten. */
const NETWORKS_MAX = 10_000

export interface UnknownRecipients {
  /** Counts one. Returns how many milliseconds its reply is held back, or null when the network is refused. */
  readonly count: (address: string) => number | null
  /** An accepted mail makes up for a part of one. */
  readonly credit: (address: string) => void
  /** Whether the address's networks asked for too many to be given another session. */
  readonly isRefused: (address: string) => boolean
}

export const makeUnknownRecipients = (now: () => number): UnknownRecipients => {
  /** the one that changed last is the last */
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
