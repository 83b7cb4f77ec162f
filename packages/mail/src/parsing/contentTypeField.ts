/** The Content-Type field of a part (RFC 2045 §5.1), read as its sender meant it. */

export interface ContentType {
  /** `type/subtype` in lower case; null when nothing of that kind stands there */
  readonly type: string | null
  readonly charset: string | null
  readonly boundary: string | null
  /** the parameters of RFC 3676, in lower case */
  readonly format: string | null
  readonly delSp: string | null
  /** all other parameters, as they were written */
  readonly rest: ReadonlyArray<string>
  /** whether a reader that knows only the grammar reads the same */
  readonly isRegular: boolean
}

/** Characters of a type that are looked at. */
const TYPE_MAX_LENGTH = 200

const token = "[a-z0-9!#$&^_.+-]+"
const regularType = new RegExp(`^${token}/${token}$`)
const looseType = new RegExp(
  `^"?(text|image|audio|video|font|model|application|multipart|message)(?![a-z0-9-])(?:[ \\t]*[ \\t/][ \\t]*(${token}))?`,
)
const usualSubtypes: Readonly<Record<string, string>> = { text: "plain", multipart: "mixed" }

const typeIn = (written: string): string | null => {
  const text = (written.slice(0, TYPE_MAX_LENGTH).split("(")[0] ?? "").trim().toLowerCase()
  if (regularType.test(text)) return text
  if (text === "plain" || text === "html") return `text/${text}`
  const [, type, subtype] = looseType.exec(text) ?? []
  const named = type === undefined ? undefined : (subtype ?? usualSubtypes[type])
  return type === undefined || named === undefined ? null : `${type}/${named}`
}

/** Parameters that are recognised where the semicolon in front of them is missing. */
const knownParameter =
  /(?:boundary|charset|delsp|format|method|name|protocol|report-type|start|type)(?:\*\d*\*?)?[ \t]{0,4}=/iy

const startsParameter = (value: string, at: number): boolean => {
  knownParameter.lastIndex = at
  return knownParameter.test(value)
}

/** The type and the parameters, and whether a semicolon stood between each two of them. */
const piecesOf = (value: string): { readonly pieces: ReadonlyArray<string>; readonly isRegular: boolean } => {
  const pieces: Array<string> = []
  let isRegular = true
  let isQuoted = false
  let start = 0
  const cut = (at: number, next: number) => {
    pieces.push(value.slice(start, at).trim())
    start = next
  }
  for (let at = 0; at < value.length; at++) {
    const character = value[at]
    if (isQuoted && character === "\\") at++
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === ";") cut(at, at + 1)
    else if (
      (character === " " || character === "\t" || character === ",") &&
      startsParameter(value, at + 1) &&
      value.slice(start, at).trim() !== ""
    ) {
      isRegular = false
      cut(at, at + 1)
    }
  }
  cut(value.length, value.length)
  return { pieces, isRegular: isRegular && !isQuoted }
}

const parameter = /^(boundary|charset|delsp|format)(\*\d*\*?)?[ \t]*=[ \t]*/i

/** A value with quotes, backslashes, a comment behind it or the charset of RFC 2231 in front, without them. */
const plainValue = (name: string, written: string): string => {
  if (written.startsWith('"')) return (/^"((?:[^"\\]|\\.)*)/.exec(written)?.[1] ?? "").replace(/\\(.)/g, "$1")
  if (name === "boundary") return /[ \t]\(/.test(written) ? (written.split(/[ \t]\(/)[0] ?? "") : written
  return /^[^\s(",]*/.exec(written)?.[0] ?? ""
}

const isPlain = (written: string): boolean => /^(?:"[^"\\]+"|[^\s"\\(),]+)$/.test(written)

const read = (value: string): ContentType => {
  const { pieces, isRegular: isSeparated } = piecesOf(value)
  const values = new Map<string, string>()
  const rest: Array<string> = []
  const isTyped = !parameter.test(pieces[0] ?? "")
  let isRegular = isSeparated && isTyped && regularType.test((pieces[0] ?? "").toLowerCase())
  for (const piece of isTyped ? pieces.slice(1) : pieces) {
    const [start = "", name, star] = parameter.exec(piece) ?? []
    if (name === undefined) {
      if (piece !== "") rest.push(piece)
      continue
    }
    const key = name.toLowerCase()
    const written = piece.slice(start.length)
    const plain = plainValue(key, written)
    isRegular &&= star === undefined && isPlain(written)
    if (star === undefined) values.set(key, plain)
    else values.set(key, (values.get(key) ?? "") + plain.replace(/^[^']*'[^']*'/, ""))
  }
  const valueOf = (name: string) => values.get(name) || null
  return {
    type: isTyped ? typeIn(pieces[0] ?? "") : null,
    charset: valueOf("charset"),
    boundary: valueOf("boundary"),
    format: valueOf("format")?.trim().toLowerCase() ?? null,
    delSp: valueOf("delsp")?.trim().toLowerCase() ?? null,
    rest,
    isRegular,
  }
}

/** Values that were read before: those without a boundary are the same in most mail. */
const seen = new Map<string, ContentType>()
/** How many values are kept; one more empties the map. */
const SEEN_MAX = 200
/** A longer value (characters) is not kept. */
const SEEN_MAX_LENGTH = 60

export const readContentType = (value: string): ContentType => {
  if (value.length > SEEN_MAX_LENGTH) return read(value)
  const before = seen.get(value)
  if (before !== undefined) return before
  if (seen.size === SEEN_MAX) seen.clear()
  const type = read(value)
  seen.set(value, type)
  return type
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** The field by the grammar; `charset` instead of the one it has. RFC 3676's parameters are left out. */
export const writeContentType = ({ type, boundary, rest }: ContentType, charset: string | null): string =>
  [
    type ?? "text/plain",
    ...rest,
    ...(charset === null ? [] : [`charset=${quoted(charset)}`]),
    ...(boundary === null ? [] : [`boundary=${quoted(boundary)}`]),
  ].join("; ")
