/** Decodes bytes to Unicode, also when their charset is missing, unknown or wrong. The text is safe in JSON and SQL. */
import iconv from "iconv-lite"
import { TextDecoder } from "node:util"

/** Labels seen in mail that neither the WHATWG Encoding Standard nor iconv-lite lists. */
const aliases: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  cp950: "big5",
  uhc: "euc-kr",
  ms949: "euc-kr",
  "x-windows-949": "euc-kr",
  "x-mac-ce": "maccenteuro",
  "x-mac-greek": "macgreek",
  "x-mac-turkish": "macturkish",
}

/**
 * Encodings that `TextDecoder` of Node 20 decodes differently from the standard, with their names in iconv-lite. It reads Windows-1252 as Latin-1; its ICU lacks two Belarusian letters of KOI8-U, the Korean
 * syllables beyond KS X 1001 and the Hong Kong characters of Big5; UTF-16 is little-endian to it despite a byte order mark.
 */
const byIconv: Readonly<Record<string, string>> = {
  "windows-1252": "windows-1252",
  "koi8-u": "koi8-ru",
  "euc-kr": "cp949",
  big5: "big5-hkscs",
  "utf-16le": "utf-16",
}

/** Encodings to decode as another one. */
const byDecoder: Readonly<Record<string, string>> = { gbk: "gb18030" }

/** Encodings of iconv-lite that are no charsets. */
const noCharset = /^(?:base64|hex|binary)/

type Decode = (bytes: Uint8Array) => string

const iconvDecode =
  (encoding: string): Decode =>
  (bytes) =>
    iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), encoding)

/** The standard's name of the encoding for a label; null when the standard does not list the label. */
const standardName = (label: string): string | null => {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** The decoder for a charset, by the WHATWG Encoding Standard; null for an unknown charset. */
const decoderOf = (charset: string): Decode | null => {
  const label = charset.trim().toLowerCase()
  const known = label.startsWith("iso-2022-jp") ? "iso-2022-jp" : (aliases[label] ?? label)
  const name = standardName(known)
  if (name === null) return !noCharset.test(known) && iconv.encodingExists(known) ? iconvDecode(known) : null
  const table = byIconv[name]
  if (table !== undefined) return iconvDecode(table)
  const decoder = new TextDecoder(byDecoder[name] ?? name)
  return (bytes) => decoder.decode(bytes)
}

export const isUtf8Label = (charset: string): boolean => /^utf-?8$/i.test(charset.trim())

/** Whether a charset is ASCII, which is wrong for text with 8-bit bytes. */
export const isAsciiLabel = (charset: string): boolean => /^(?:us-?)?ascii$|^ansi_x3/i.test(charset.trim())

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })
const windows1252 = iconvDecode("windows-1252")

/**
 * Decodes bytes without a charset: as UTF-8 when they are valid UTF-8, which text in another charset hardly ever is; else
 * as `hint`; else as Windows-1252, as mail clients do.
 */
export const decodeUndeclared = (bytes: Uint8Array, hint: string | null = null): string => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return ((hint === null || isUtf8Label(hint) ? null : decoderOf(hint)) ?? windows1252)(bytes)
  }
}

/** Never fails: guesses a charset that is missing, unknown or wrong (US-ASCII with 8-bit bytes). */
export const decodeBytes = (bytes: Uint8Array, charset: string | null): string => {
  const decode = charset === null || isAsciiLabel(charset) || isUtf8Label(charset) ? null : decoderOf(charset)
  return decode === null ? decodeUndeclared(bytes) : decode(bytes)
}

/** Removes NUL characters and replaces lone surrogates, because JSON and SQL cannot carry them. */
export const wellFormed = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed()

/**
 * Decodes text that a library read from 8-bit bytes as Latin-1, by `decodeUndeclared`. Text with a character beyond
 * Latin-1 was decoded before and stays as it is.
 */
export const redecoded = (text: string, hint: string | null): string =>
  /[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text)
    ? decodeUndeclared(Buffer.from(text, "latin1"), hint)
    : text
