/** Bytes to Unicode, whatever the mail claims about its charset, and text that JSON and SQL can carry. */
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
 * Encodings of the standard that `TextDecoder` decodes otherwise than the standard says, with the name that iconv-lite
 * has for them. Node 20 reads Windows-1252 as Latin-1; its ICU lacks two Belarusian letters of KOI8-U, the Korean
 * syllables beyond KS X 1001 and the Hong Kong characters of Big5; UTF-16 is little-endian to it despite a byte order mark.
 */
const byIconv: Readonly<Record<string, string>> = {
  "windows-1252": "windows-1252",
  "koi8-u": "koi8-ru",
  "euc-kr": "cp949",
  big5: "big5-hkscs",
  "utf-16le": "utf-16",
}

/** Encodings of the standard that decode as another one. */
const byDecoder: Readonly<Record<string, string>> = { gbk: "gb18030" }

/** What iconv-lite has besides charsets. */
const noCharset = /^(?:base64|hex|binary)/

type Decode = (bytes: Uint8Array) => string

const iconvDecode =
  (encoding: string): Decode =>
  (bytes) =>
    iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), encoding)

/** The name that the standard has for what a label means; null when it lists no such label. */
const standardName = (label: string): string | null => {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** How bytes of a charset are decoded, by the WHATWG Encoding Standard; null when nobody knows the charset. */
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

/** Whether a charset says no more than that the text is ASCII, which text with 8-bit bytes is not. */
export const isAsciiLabel = (charset: string): boolean => /^(?:us-?)?ascii$|^ansi_x3/i.test(charset.trim())

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })
const windows1252 = iconvDecode("windows-1252")

/**
 * Bytes that declare no charset: UTF-8 if that is what they are, which text of another charset hardly ever is by
 * accident; else `hint`; else Windows-1252, as mail clients do.
 */
export const decodeUndeclared = (bytes: Uint8Array, hint: string | null = null): string => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return ((hint === null || isUtf8Label(hint) ? null : decoderOf(hint)) ?? windows1252)(bytes)
  }
}

/** Never fails: a charset that is missing, unknown or a lie (US-ASCII with 8-bit bytes) is guessed. */
export const decodeBytes = (bytes: Uint8Array, charset: string | null): string => {
  const decode = charset === null || isAsciiLabel(charset) || isUtf8Label(charset) ? null : decoderOf(charset)
  return decode === null ? decodeUndeclared(bytes) : decode(bytes)
}

/** Without NUL characters, and with lone surrogates replaced: neither survives JSON and SQL. */
export const wellFormed = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed()

/**
 * Text whose characters are really bytes (a library read 8-bit input as Latin-1), decoded after all, see
 * `decodeUndeclared`. Text with any other character was decoded properly and stays as it is.
 */
export const repaired = (text: string, hint: string | null): string =>
  /[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text)
    ? decodeUndeclared(Buffer.from(text, "latin1"), hint)
    : text
