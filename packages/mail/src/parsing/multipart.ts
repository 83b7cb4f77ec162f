/**
 * The parts of a mail (RFC 2046 §5.1), read in one pass over its lines, however they are nested. A boundary ends
 * every multipart inside the one that it belongs to, closed or not (§5.1.2).
 */
import { type HeaderField, readHeaderBlock } from "./headerBlock.js"
import { readStructured } from "./parameters.js"

/** Parts beyond this are not read, those that hold others included. */
const PARTS_MAX = 500
/** What may stand behind a boundary on its line. */
const REST_OF_LINE_MAX = 1000

export interface Leaf {
  readonly fields: ReadonlyArray<HeaderField>
  /** as it is in the mail, still encoded */
  readonly content: Buffer
  /** the type of the multipart around it; empty when there is none */
  readonly within: string
  /** the first part in that multipart */
  readonly isFirst: boolean
  /** a multipart in which no part was found: its content is taken for text */
  readonly isPartless: boolean
}

export interface Leaves {
  readonly leaves: ReadonlyArray<Leaf>
  /** why some of the mail was not read as it says */
  readonly defect: string | null
}

interface Entity {
  readonly fields: ReadonlyArray<HeaderField>
  readonly start: number
  readonly within: string
  readonly isFirst: boolean
}

interface Multipart extends Entity {
  /** the line before each of its parts */
  readonly delimiter: string
  readonly type: string
  parts: number
}

/** The first value of a field as Latin-1; empty when there is none. */
export const fieldOf = (fields: ReadonlyArray<HeaderField>, name: string): string =>
  fields.find((field) => field.name === name)?.value ?? ""

const asMultipart = (entity: Entity): Multipart | null => {
  const { value: type, parameter } = readStructured(fieldOf(entity.fields, "content-type"))
  if (!type.startsWith("multipart/")) return null
  const boundary = parameter("boundary") ?? ""
  return boundary.trim() === "" ? null : { ...entity, type, delimiter: `--${boundary}`, parts: 0 }
}

/** Where the next line begins that starts with two hyphens, `from` being the start of a line. */
const nextHyphens = (raw: Buffer, from: number): number => {
  if (raw[from] === 0x2d && raw[from + 1] === 0x2d) return from
  const feed = raw.indexOf("\n--", from, "latin1")
  return feed === -1 ? -1 : feed + 1
}

/** The line end in front of a boundary belongs to the boundary. */
const withoutLineEnd = (raw: Buffer, start: number, end: number): number => {
  const feed = end > start && raw[end - 1] === 0x0a ? end - 1 : end
  return feed < end && feed > start && raw[feed - 1] === 0x0d ? feed - 1 : feed
}

/** `fields` are those of the mail itself, whose body starts at `bodyStart`. */
export const readLeaves = (raw: Buffer, fields: ReadonlyArray<HeaderField>, bodyStart: number): Leaves => {
  const leaves: Array<Leaf> = []
  const open: Array<Multipart> = []
  /** how many multiparts with this delimiter are open: careless senders use one twice */
  const delimiters = new Map<string, number>()
  let longest = 0
  let current: Entity | null = null
  let defect: string | null = null
  let parts = 0

  const leave = (entity: Entity, end: number, isPartless: boolean): void => {
    const { fields: own, start, within, isFirst } = entity
    leaves.push({
      fields: own,
      content: raw.subarray(start, Math.max(start, end)),
      within,
      isFirst,
      isPartless,
    })
  }
  const enter = (entity: Entity): void => {
    const multipart = asMultipart(entity)
    current = multipart === null ? entity : null
    if (multipart === null) return
    open.push(multipart)
    longest = Math.max(longest, multipart.delimiter.length)
    delimiters.set(multipart.delimiter, (delimiters.get(multipart.delimiter) ?? 0) + 1)
  }
  /** Ends what is open down to `depth`. */
  const closeTo = (depth: number, end: number): void => {
    if (current !== null) leave(current, end, /^multipart\//i.test(fieldOf(current.fields, "content-type")))
    current = null
    for (const multipart of open.splice(depth).reverse()) {
      const count = delimiters.get(multipart.delimiter) ?? 0
      if (count > 1) delimiters.set(multipart.delimiter, count - 1)
      else delimiters.delete(multipart.delimiter)
      if (multipart.parts === 0) leave(multipart, end, true)
    }
  }
  /** Which open boundary a line is: exactly, or with spaces and what else is ignored behind it (RFC 2046 §5.1.1). */
  const boundaryIn = (line: string): { readonly delimiter: string; readonly closes: boolean } | null => {
    const readings = /[ \t]/.test(line) ? [line, line.trimEnd(), line.split(/[ \t]/, 1)[0] ?? ""] : [line]
    for (const delimiter of readings) if (delimiters.has(delimiter)) return { delimiter, closes: false }
    for (const reading of readings) {
      const delimiter = reading.endsWith("--") ? reading.slice(0, -2) : ""
      if (delimiters.has(delimiter)) return { delimiter, closes: true }
    }
    return null
  }
  const isBoundary = (line: string): boolean => boundaryIn(line) !== null

  enter({ fields, start: bodyStart, within: "", isFirst: true })
  for (let at = nextHyphens(raw, bodyStart); at !== -1 && open.length > 0; at = nextHyphens(raw, at)) {
    const feed = raw.indexOf(0x0a, at)
    const next = feed === -1 ? raw.length : feed + 1
    const end = feed === -1 ? raw.length : withoutLineEnd(raw, at, next)
    const found = boundaryIn(raw.toString("latin1", at, Math.min(end, at + longest + REST_OF_LINE_MAX)))
    // A multipart has at least one part: what ends it before is the text of one that is none.
    if (
      found === null ||
      (found.closes && open.findLast(({ delimiter }) => delimiter === found.delimiter)?.parts === 0)
    ) {
      // Not behind the line: its end is where the next search begins.
      at = feed === -1 ? raw.length : feed
      continue
    }
    const depth = open.findLastIndex(({ delimiter }) => delimiter === found.delimiter)
    closeTo(depth + 1, withoutLineEnd(raw, bodyStart, at))
    at = next
    const parent = open[depth]
    if (found.closes || parent === undefined) {
      closeTo(depth, at)
      continue
    }
    parts++
    if (parts > PARTS_MAX) {
      defect = `more than ${PARTS_MAX} parts`
      open.length = 0
      continue
    }
    const block = readHeaderBlock(raw, { start: at, isBoundary })
    const isFirst = parent.parts === 0
    parent.parts++
    enter({ fields: block.fields, start: block.bodyStart, within: parent.type, isFirst })
    at = block.bodyStart
  }
  if (defect === null) closeTo(0, raw.length)
  const [only] = leaves
  if (leaves.length === 1 && only?.isPartless === true && only.content.toString("latin1").trim() !== "")
    defect = "multipart without parts"
  return { leaves, defect }
}
