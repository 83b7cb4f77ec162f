/** Bytes to Unicode, whatever the mail claims about its charset, and text that JSON and SQL can carry. */
import { TextDecoder } from "node:util"

/** Names seen in mail that the WHATWG Encoding Standard does not list. */
const aliases: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  cp950: "big5",
  "win-1250": "windows-1250",
  "win-1251": "windows-1251",
  "win-1252": "windows-1252",
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })
const windows1252 = new TextDecoder("windows-1252")

const decoderFor = (charset: string): TextDecoder | null => {
  const label = charset.trim().toLowerCase()
  try {
    return new TextDecoder(aliases[label] ?? label)
  } catch {
    return null
  }
}

/**
 * Bytes that declare no charset: UTF-8 if that is what they are, which text of another charset hardly ever is by
 * accident; else `hint`; else Windows-1252, as mail clients do.
 */
export const decodeUndeclared = (bytes: Uint8Array, hint: string | null = null): string => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return ((hint === null ? null : decoderFor(hint)) ?? windows1252).decode(bytes)
  }
}

/** Never fails: a charset that is missing, unknown or a lie (US-ASCII with 8-bit bytes) is guessed. */
export const decodeBytes = (bytes: Uint8Array, charset: string | null): string => {
  const decoder =
    charset === null || /^(?:us-?ascii|ansi_x3|utf-?8$)/i.test(charset.trim()) ? null : decoderFor(charset)
  return decoder === null ? decodeUndeclared(bytes) : decoder.decode(bytes)
}

/** Without NUL characters, and with lone surrogates replaced: neither survives JSON and SQL. */
export const wellFormed = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed()

/**
 * Text whose characters are really bytes (a library read 8-bit input as Latin-1), decoded after all.
 * Text with any other character was decoded properly and stays as it is.
 */
export const repaired = (text: string): string =>
  /[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text)
    ? decodeUndeclared(Buffer.from(text, "latin1"))
    : text
