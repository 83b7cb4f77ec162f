/** Finds lines that may be delimiters of a multipart (RFC 2046 §5.1.1). */

/** A longer line (bytes) is no delimiter. */
const DELIMITER_MAX_BYTES = 16 * 1024

/** A line that begins with `--`. */
export interface DashLine {
  readonly start: number
  /** after its line end */
  readonly end: number
  /** what follows the dashes, without the line end; empty when the line is too long */
  readonly text: string
}

const dashLineAt = (body: Buffer, start: number): DashLine => {
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
 * The boundaries that a line may delimit: the whole text, for a boundary that ends with a space, and the text without
 * trailing white space (RFC 2046 §5.1.1, transport padding).
 */
export const boundariesIn = ({ text }: DashLine): ReadonlyArray<string> => {
  const trimmed = text.trimEnd()
  return trimmed === text ? [text] : [text, trimmed]
}

/** The boundary of a closing delimiter (`--` at its end); null for other text. */
export const closedBoundary = (boundary: string): string | null =>
  boundary.endsWith("--") ? boundary.slice(0, -2) : null

const DASHES = Buffer.from("--")

/**
 * The offset of the first line with leading `--` at or after `start`, which is the start of a line; -1 without one.
 * Searches for the dashes and not for line ends, because a file in base64 has many lines and no dashes.
 */
export const findDashLine = (body: Buffer, start: number): number => {
  for (let at = start; ;) {
    const dashes = body.indexOf(DASHES, at)
    if (dashes === -1 || dashes === start || body[dashes - 1] === 0x0a) return dashes
    const feed = body.indexOf(0x0a, dashes)
    if (feed === -1) return -1
    at = feed + 1
  }
}

const dashLineFrom = (body: Buffer, at: number): DashLine | null => {
  const start = findDashLine(body, at)
  return start === -1 ? null : dashLineAt(body, start)
}

export const firstDashLine = (body: Buffer): DashLine | null => dashLineFrom(body, 0)

export const dashLineAfter = (body: Buffer, { end }: DashLine): DashLine | null => dashLineFrom(body, end)

/** A test whether a line of the body may be a delimiter of a boundary. Reads the body at its first call only. */
export const delimiterTest = (body: Buffer): ((boundary: string) => boolean) => {
  let boundaries: Set<string> | null = null
  const read = () => {
    const all = new Set<string>()
    for (let line = firstDashLine(body); line !== null; line = dashLineAfter(body, line))
      for (const boundary of boundariesIn(line)) all.add(boundary).add(closedBoundary(boundary) ?? boundary)
    return all
  }
  return (boundary) => (boundaries ??= read()).has(boundary)
}

/** For a multipart without a boundary parameter: the boundary of the first line that has a closing delimiter too. */
export const guessedBoundary = (body: Buffer): string | null => {
  const ended = new Set<string>()
  for (let line = firstDashLine(body); line !== null; line = dashLineAfter(body, line))
    ended.add(closedBoundary(line.text.trimEnd()) ?? "")
  ended.delete("")
  for (let line = firstDashLine(body); line !== null && ended.size > 0; line = dashLineAfter(body, line)) {
    const boundary = line.text.trimEnd()
    if (ended.has(boundary)) return boundary
  }
  return null
}
