/** Reads Content-Type fields (RFC 2045 §5.1), also malformed ones, and writes them by the grammar. */

export interface ContentType {
  /** `type/subtype` in lower case; null when the field has none */
  readonly type: string | null
  readonly charset: string | null
  readonly boundary: string | null
  /** the parameters of RFC 3676, in lower case */
  readonly format: string | null
  readonly delSp: string | null
  /** all other parameters, as in the field */
  readonly rest: ReadonlyArray<string>
  /** whether a strict reader of the grammar reads the same */
  readonly isRegular: boolean
}

/** Characters of the field in which the type is searched. */
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

/** Parameters that are recognized without a semicolon before them. */
const knownParameter =
  /(?:boundary|charset|delsp|format|method|name|protocol|report-type|start|type)(?:\*\d*\*?)?[ \t]{0,4}=/iy

const startsParameter = (value: string, at: number): boolean => {
  knownParameter.lastIndex = at
  return knownParameter.test(value)
}

/** The type and the parameters. `isRegular`: all were separated by semicolons. */
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

/** A parameter value without quotes, backslashes, a comment after it or the charset of RFC 2231 before it. */
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

/** Cache by field value: most mails have the same few values without a boundary. */
const cache = new Map<string, ContentType>()
/** Entries; one more clears the cache. */
const CACHE_MAX = 200
/** A longer value (characters) is not cached. */
const CACHE_MAX_LENGTH = 60

export const readContentType = (value: string): ContentType => {
  if (value.length > CACHE_MAX_LENGTH) return read(value)
  const cached = cache.get(value)
  if (cached !== undefined) return cached
  if (cache.size === CACHE_MAX) cache.clear()
  const type = read(value)
  cache.set(value, type)
  return type
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** Writes the field by the grammar with the given charset, without the parameters of RFC 3676. */
export const writeContentType = ({ type, boundary, rest }: ContentType, charset: string | null): string =>
  [
    type ?? "text/plain",
    ...rest,
    ...(charset === null ? [] : [`charset=${quoted(charset)}`]),
    ...(boundary === null ? [] : [`boundary=${quoted(boundary)}`]),
  ].join("; ")
