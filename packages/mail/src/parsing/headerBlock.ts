/** Reads the header block of a mail (RFC 5322 §2.2) leniently: a line with a name and a colon is a field. */

/** A longer header block is truncated: the fields up to here stay, and the body starts after the next empty line. */
const HEADER_MAX_BYTES = 1024 * 1024

export interface HeaderField {
  /** lower-case */
  readonly name: string
  /** the bytes of the value as Latin-1, unfolded, trimmed */
  readonly value: string
  /** offsets of its lines in the mail; `end` is after the last line end */
  readonly start: number
  readonly end: number
}

export interface HeaderBlock {
  readonly fields: ReadonlyArray<HeaderField>
  readonly bodyStart: number
  /** whether the empty line between the fields and the body is missing */
  readonly isUnended: boolean
  /** whether every line belongs to a field, so that all readers read the same header */
  readonly isRegular: boolean
  readonly defect: string | null
}

/** Whether a DKIM signature (RFC 6376) or an ARC seal (RFC 8617) can be verified. */
export const isSigned = (fields: ReadonlyArray<HeaderField>): boolean =>
  fields.some(({ name }) => name === "dkim-signature" || name === "arc-seal")

const fieldName = /^([!-9;-~]+)[ \t]*:/

interface Line {
  readonly text: string
  readonly next: number
}

const lineAt = (raw: Buffer, start: number): Line => {
  const feed = raw.indexOf(0x0a, start)
  const end = feed === -1 ? raw.length : feed
  const trimmed = end > start && raw[end - 1] === 0x0d ? end - 1 : end
  const text = raw.toString("latin1", start, Math.min(trimmed, start + HEADER_MAX_BYTES))
  return { text, next: feed === -1 ? raw.length : feed + 1 }
}

/** The first byte after the next empty line. */
const afterEmptyLine = (raw: Buffer, start: number): number => {
  for (let at = start; at < raw.length;) {
    const feed = raw.indexOf(0x0a, at)
    if (feed === -1) return raw.length
    if (feed === at || (feed === at + 1 && raw[at] === 0x0d)) return feed + 1
    at = feed + 1
  }
  return raw.length
}

/**
 * Reads up to the empty line. Skips a leading mbox `From ` line. Skips a line that is no field when a field follows;
 * otherwise the body starts there, without an empty line before it.
 */
export const readHeaderBlock = (raw: Buffer): HeaderBlock => {
  const fields: Array<{ name: string; lines: Array<string>; start: number; end: number }> = []
  let defect: string | null = null
  const hasMailboxLine = /^>?From /.test(raw.toString("latin1", 0, 6))
  const done = (bodyStart: number, isUnended = false): HeaderBlock => ({
    fields: fields.map(({ name, lines, start, end }) => ({
      name,
      value: lines.join(" ").trim(),
      start,
      end,
    })),
    bodyStart,
    isUnended,
    isRegular: defect === null && !hasMailboxLine,
    defect,
  })
  let at = 0
  if (hasMailboxLine) at = lineAt(raw, 0).next
  while (at < raw.length) {
    if (at > HEADER_MAX_BYTES) {
      defect = `header larger than ${HEADER_MAX_BYTES} bytes`
      return done(afterEmptyLine(raw, at))
    }
    const { next, text } = lineAt(raw, at)
    if (text === "") return done(next)
    const name = fieldName.exec(text)?.[1]
    const field = fields.at(-1)
    if (field !== undefined && /^[ \t]/.test(text)) {
      field.lines.push(text.trim())
      field.end = next
    } else if (name !== undefined) {
      const value = text.slice(text.indexOf(":") + 1).trim()
      fields.push({ name: name.toLowerCase(), lines: [value], start: at, end: next })
    } else if (fieldName.test(lineAt(raw, next).text)) defect = "a line of the header is no field"
    else {
      defect = "no empty line between header and body"
      return done(at, true)
    }
    at = next
  }
  return done(at)
}
