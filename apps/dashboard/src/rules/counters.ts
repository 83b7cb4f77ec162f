/** Counters of the service in the text format of Prometheus, for the operator's pages. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** All samples of `/metrics`; lines that are none are left out. */
export const parseCounters = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", number] = LINE.exec(line) ?? []
    const value = Number(number)
    if (name === undefined || Number.isNaN(value)) return []
    const found = [...labels.matchAll(LABEL)].map(([, label = "", quoted = ""]) => [
      label,
      quoted.replaceAll(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one)),
    ])
    return [{ name, labels: Object.fromEntries(found), value }]
  })

/** The sum of a metric over its labels. */
export const total = (samples: ReadonlyArray<Sample>, name: string): number =>
  samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0)

/** The values of a metric by one of its labels, the greatest first. */
export const byLabel = (
  samples: ReadonlyArray<Sample>,
  name: string,
  label: string,
): ReadonlyArray<{ readonly label: string; readonly value: number }> => {
  const sums = new Map<string, number>()
  for (const sample of samples)
    if (sample.name === name) {
      const key = sample.labels[label] ?? ""
      sums.set(key, (sums.get(key) ?? 0) + sample.value)
    }
  return [...sums]
    .map(([key, value]) => ({ label: key, value }))
    .toSorted((one, other) => other.value - one.value)
}

/** A time in seconds, in words. */
export const ageText = (seconds: number): string => {
  if (seconds < 1) return "under a second"
  if (seconds < 120) return `${Math.round(seconds)} seconds`
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`
  return `${Math.round(seconds / 3600)} hours`
}

/** What happened between two readings, for each second; null before the second reading and after a restart. */
export const rate = (before: number | undefined, now: number, seconds: number): number | null =>
  before === undefined || now < before || seconds <= 0 ? null : (now - before) / seconds
