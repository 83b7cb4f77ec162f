/** Lines that may delimit the parts of a multipart (RFC 2046 §5.1.1). */

/** A longer line (bytes) is no delimiter. */
const DELIMITER_MAX_BYTES = 16 * 1024

/** A line that begins with `--`. */
export interface Dashes {
  readonly start: number
  /** behind its line end */
  readonly end: number
  /** what follows the dashes, without the line end; empty when the line is too long */
  readonly text: string
}

const dashesAt = (body: Buffer, start: number): Dashes => {
  const feed = body.indexOf(0x0a, start)
  const end = feed === -1 ? body.length : feed + 1
  const last = feed === -1 ? end : body[feed - 1] === 0x0d ? feed - 1 : feed
  return {
    start,
    end,
    text: end - start > DELIMITER_MAX_BYTES ? "" : body.toString("latin1", start + 2, last),
  }
}

/**
 * The boundaries that a line may be a delimiter of: as it is, which is what a boundary that ends with a space needs, and
 * without white space behind it (RFC 2046 §5.1.1).
 */
export const boundariesIn = ({ text }: Dashes): ReadonlyArray<string> => {
  const trimmed = text.trimEnd()
  return trimmed === text ? [text] : [text, trimmed]
}

/** The boundary that a line ends with as its last delimiter; null when it does not look like one. */
export const lastOf = (boundary: string): string | null =>
  boundary.endsWith("--") ? boundary.slice(0, -2) : null

const DASHES = Buffer.from("--")

/**
 * Where the first line from `start`, the start of a line, on begins that begins with `--`; -1 without one. The dashes are
 * searched for, because a file in base64 has many line ends and no dashes.
 */
export const lineOfDashes = (body: Buffer, start: number): number => {
  for (let at = start; ;) {
    const dashes = body.indexOf(DASHES, at)
    if (dashes === -1 || dashes === start || body[dashes - 1] === 0x0a) return dashes
    const feed = body.indexOf(0x0a, dashes)
    if (feed === -1) return -1
    at = feed + 1
  }
}

const dashesFrom = (body: Buffer, at: number): Dashes | null => {
  const start = lineOfDashes(body, at)
  return start === -1 ? null : dashesAt(body, start)
}

export const firstDashes = (body: Buffer): Dashes | null => dashesFrom(body, 0)

export const dashesAfter = (body: Buffer, { end }: Dashes): Dashes | null => dashesFrom(body, end)

/** Tells whether a line of the body may delimit parts by a boundary. Reads the body once, when it is asked first. */
export const delimiterTest = (body: Buffer): ((boundary: string) => boolean) => {
  let boundaries: Set<string> | null = null
  const read = () => {
    const all = new Set<string>()
    for (let line = firstDashes(body); line !== null; line = dashesAfter(body, line))
      for (const boundary of boundariesIn(line)) all.add(boundary).add(lastOf(boundary) ?? boundary)
    return all
  }
  return (boundary) => (boundaries ??= read()).has(boundary)
}

/** The boundary of a multipart that does not say it: of the first line that has a last delimiter of its own. */
export const guessedBoundary = (body: Buffer): string | null => {
  const ended = new Set<string>()
  for (let line = firstDashes(body); line !== null; line = dashesAfter(body, line))
    ended.add(lastOf(line.text.trimEnd()) ?? "")
  ended.delete("")
  for (let line = firstDashes(body); line !== null && ended.size > 0; line = dashesAfter(body, line)) {
    const boundary = line.text.trimEnd()
    if (ended.has(boundary)) return boundary
  }
  return null
}
