/** The few statistics a benchmark needs. */

/** The value below which the share `p` (0 to 1) of the values lies, by nearest rank; NaN of none. */
export const percentile = (values: ReadonlyArray<number>, p: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

/** NaN of none. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Milliseconds since the epoch, with fractions: comparable between processes of one machine. */
export const wallClock = (): number => performance.timeOrigin + performance.now()
