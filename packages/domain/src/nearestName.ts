/** Suggests the known name that a client probably meant by an unknown one. */

/** Maximal length of a compared name, in characters. No known name is longer. */
const NAME_MAX_LENGTH = 64

/** `display_name`, `Display-Name` and `displayName` count as the same name. */
const folded = (name: string): string =>
  name
    .slice(0, NAME_MAX_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")

/**
 * Optimal string alignment distance: the insertions, deletions, replacements and swaps of neighbours that make `b` of
 * `a`. Takes O(length of `a` × length of `b`).
 */
const distance = (a: string, b: string): number => {
  let [beforeLast, last]: [ReadonlyArray<number>, ReadonlyArray<number>] = [
    [],
    Array.from({ length: b.length + 1 }, (_, column) => column),
  ]
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    ;[beforeLast, last] = [last, next]
  }
  return last[b.length] ?? 0
}

/** The shortest name that is looked for inside of another: `html` in `bodyHtml`. */
const PART_MIN_LENGTH = 3

/** The distance of two names: 0 when they are equal, infinite when they are unrelated. */
const apart = (name: string, known: string): number => {
  const [a, b] = [folded(name), folded(known)]
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter.length >= PART_MIN_LENGTH && longer.includes(shorter))
    return (longer.length - shorter.length) / longer.length
  const typos = distance(a, b)
  return typos <= Math.floor(longer.length / 3) ? typos : Infinity
}

/** The known name that is nearest to `name`; null when none is near. */
export const nearestName = (name: string, known: ReadonlyArray<string>): string | null => {
  let [nearest, least]: [string | null, number] = [null, Infinity]
  for (const one of known) {
    const far = apart(name, one)
    if (far < least) [nearest, least] = [one, far]
  }
  return nearest
}

/** The issue text for an unknown name, with a suggestion when one is near. */
export const unknownName = (name: string, known: ReadonlyArray<string>): string => {
  const nearest = nearestName(name, known)
  if (nearest !== null) return `is not known here. Did you mean ${nearest}?`
  return known.length === 0 ? "is not known here" : `is not known here. Known are ${known.join(", ")}`
}
