/** Structured header fields: a value and its parameters, however they are written (RFC 2045 §5.1, RFC 2231). */
import { decodeBytes, decodeUndeclared } from "./charsets.js"
import { decodeWords } from "./encodedWords.js"

export interface StructuredField {
  /** lower-case; empty when there is none */
  readonly value: string
  /** a parameter as bytes in Latin-1, its continuations joined */
  readonly parameter: (name: string) => string | null
  /** a parameter as text, for a reader */
  readonly text: (name: string) => string | null
}

/** Absurdly many parameters are cut. */
const PARAMETERS_MAX = 200

/** File names are written without quotes and with spaces nevertheless. */
const mayHoldSpaces = (name: string): boolean => /^(?:file)?name\b/.test(name)

/** A quoted string from its opening quote on; a backslash escapes quotes only, for it also stands in Windows paths. */
const quoted = (text: string, start: number): { readonly value: string; readonly next: number } | null => {
  let value = ""
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return { value, next: at + 1 }
    if (character === "\\" && /["\\]/.test(text.charAt(at + 1))) value += text.charAt(++at)
    else value += character
  }
  return null
}

/** Names, lower-case, and values as they are written, the first of each name. */
const pairs = (text: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (let [at, count] = [0, 0]; at < text.length && count < PARAMETERS_MAX; count++) {
    const equals = text.indexOf("=", at)
    if (equals === -1) break
    const separator = text.lastIndexOf(";", equals)
    const name =
      text
        .slice(Math.max(at, separator + 1), equals)
        .trim()
        .split(/\s+/)
        .at(-1) ?? ""
    at = equals + 1
    while (/\s/.test(text.charAt(at))) at++
    const string = text.charAt(at) === '"' ? quoted(text, at) : null
    const end = text.indexOf(";", at)
    const bare = text
      .slice(at, end === -1 ? undefined : end)
      .replace(/^"/, "")
      .trim()
    const key = name.toLowerCase()
    const value = string?.value ?? (mayHoldSpaces(key) ? bare : (bare.split(/\s/, 1)[0] ?? ""))
    if (key !== "" && !found.has(key)) found.set(key, value)
    at = string?.next ?? (end === -1 ? text.length : end + 1)
  }
  return found
}

const withoutPercent = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

interface Extended {
  /** Latin-1 */
  readonly bytes: string
  readonly charset: string | null
}

/** `name*` in one or `name*0*` in many pieces: the charset stands in front of the first (RFC 2231 §3, §4). */
const extended = (found: ReadonlyMap<string, string>, name: string): Extended | null => {
  const pieces = [...found]
    .flatMap(([key, value]) => {
      const [, index, encoded] = /^\*(?:(\d{1,4})(\*?))?$/.exec(key.slice(name.length)) ?? []
      if (!key.startsWith(`${name}*`) || (index === undefined && key !== `${name}*`)) return []
      return [{ index: Number(index ?? -1), isEncoded: encoded !== "", value }]
    })
    .sort((a, b) => a.index - b.index)
  const [first] = pieces
  if (first === undefined) return null
  const [whole, charset = ""] = (first.isEncoded && /^([^']*)'[^']*'/.exec(first.value)) || ["", ""]
  const bytes = pieces.map(({ value, isEncoded }, at) => {
    const content = at === 0 ? value.slice(whole.length).replace(/^"(.*)"$/, "$1") : value
    return isEncoded ? withoutPercent(content) : content
  })
  return { bytes: bytes.join(""), charset: charset === "" ? null : charset }
}

/** What some write without the asterisk that RFC 2231 asks for, or as in a URL. */
const misplacedPercent = (text: string): string => {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*%[0-9a-f]{2}.*)$/i.exec(text) ?? []
  if (charset !== undefined && encoded !== undefined)
    return decodeBytes(Buffer.from(withoutPercent(encoded), "latin1"), charset)
  if (!/%[89a-f][0-9a-f]/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Encoded words have no place in parameters (RFC 2047 §5); half of the world's mail has them there, quoted or not. */
const plainText = (bytes: string): string => {
  const text = /[\u0080-\u00ff]/.test(bytes) ? decodeUndeclared(Buffer.from(bytes, "latin1")) : bytes
  return misplacedPercent(decodeWords(text))
}

/** `field` is the unfolded value as Latin-1. */
export const readStructured = (field: string): StructuredField => {
  const [value = ""] = field.trim().split(/[;\s(]/, 1)
  const found = pairs(field.trim().slice(value.length))
  return {
    value: value.replace(/^"(.*)"$/, "$1").toLowerCase(),
    parameter: (name) => extended(found, name)?.bytes ?? found.get(name) ?? null,
    text: (name) => {
      const long = extended(found, name)
      if (long !== null && long.charset !== null)
        return decodeBytes(Buffer.from(long.bytes, "latin1"), long.charset)
      const bytes = long?.bytes ?? found.get(name)
      return bytes === undefined ? null : plainText(bytes)
    },
  }
}
