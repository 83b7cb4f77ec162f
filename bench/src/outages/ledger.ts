/** Follows each piece of work from the moment the server took it until it arrived. */

export interface Tally {
  readonly accepted: number
  /** accepted, and never seen afterwards */
  readonly lost: number
  /** arrived more than once, though nobody had a reason to repeat it */
  readonly twice: number
  /** arrived more than once after a repetition that the protocol asks for */
  readonly repeated: number
  /** seconds from accepting to arriving; of work that is lost, until now */
  readonly oldest: number
}

export interface Ledger {
  readonly accepted: (id: string) => void
  /** The work was handed over again because the first answer was lost: it may arrive twice. */
  readonly repeatable: (id: string) => void
  readonly arrived: (id: string) => void
  /** How many are accepted and have not arrived. */
  readonly pending: () => number
  readonly tally: () => Tally
}

export const makeLedger = (): Ledger => {
  const acceptedAt = new Map<string, number>()
  const arrivedAt = new Map<string, number>()
  const repeatable = new Set<string>()
  const arrivedAgain = new Set<string>()
  const missing = () => [...acceptedAt.keys()].filter((id) => !arrivedAt.has(id))
  return {
    accepted: (id) => void acceptedAt.set(id, performance.now()),
    repeatable: (id) => void repeatable.add(id),
    arrived: (id) => {
      if (arrivedAt.has(id)) arrivedAgain.add(id)
      else arrivedAt.set(id, performance.now())
    },
    pending: () => missing().length,
    tally: () => {
      const now = performance.now()
      const waits = [...acceptedAt].map(([id, at]) => Math.max(0, (arrivedAt.get(id) ?? now) - at))
      const excused = [...arrivedAgain].filter((id) => repeatable.has(id)).length
      return {
        accepted: acceptedAt.size,
        lost: missing().length,
        twice: arrivedAgain.size - excused,
        repeated: excused,
        oldest: waits.reduce((oldest, wait) => Math.max(oldest, wait), 0) / 1000,
      }
    },
  }
}
