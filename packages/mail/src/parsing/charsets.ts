/** Bytes to Unicode, whatever the mail claims about its charset, and text that JSON and SQL can carry. */
import iconv from "iconv-lite"
import { isUtf8 } from "node:buffer"
import { TextDecoder } from "node:util"

/** Names seen in mail that neither the WHATWG Encoding Standard nor iconv-lite lists. */
const aliases: Readonly<Record<string, string>> = {
  cp932: "shift_jis",
  cp936: "gbk",
  cp949: "euc-kr",
  cp950: "big5",
  "iso-2022-jp-1": "iso-2022-jp",
  "iso-2022-jp-2": "iso-2022-jp",
  "iso-2022-jp-3": "iso-2022-jp",
  "iso-2022-jp-2004": "iso-2022-jp",
  "iso-2022-jp-ms": "iso-2022-jp",
  "win-1250": "windows-1250",
  "win-1251": "windows-1251",
  "win-1252": "windows-1252",
}

/** The standard takes this for little-endian; in mail the byte order mark decides, and without one the look of it. */
const notAsTheStandardSays = new Set(["utf-16", "utf16", "unicode", "ucs-2", "iso-10646-ucs-2"])

const strictUtf8 = new TextDecoder("utf-8", { fatal: true })
const lenientUtf8 = new TextDecoder("utf-8")
const iso2022jp = new TextDecoder("iso-2022-jp")

type Decode = (bytes: Uint8Array) => string

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** What Windows-1252 has in place of the C1 control characters. */
const windowsOnly = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

/** By hand: Node's decoder of this name leaves the C1 control characters (nodejs/node#56542). */
const windows1252: Decode = (bytes) =>
  asBuffer(bytes)
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (control) => windowsOnly.charAt(control.charCodeAt(0) - 0x80))

/** What browsers decode, and beyond that what mail of the last decades is written in: UTF-7, code pages of DOS. */
const decoderFor = (charset: string): Decode | null => {
  const label = charset.trim().toLowerCase()
  const known = aliases[label] ?? label
  try {
    if (notAsTheStandardSays.has(known)) return (bytes) => iconv.decode(asBuffer(bytes), "utf-16")
    const decoder = new TextDecoder(known)
    return decoder.encoding === "windows-1252" ? windows1252 : (bytes) => decoder.decode(bytes)
  } catch {
    return iconv.encodingExists(known) ? (bytes) => iconv.decode(asBuffer(bytes), known) : null
  }
}

/** UTF-8, or what was UTF-8 before something cut or broke it; null when it never was. */
const asUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    const text = lenientUtf8.decode(bytes)
    let [whole, broken] = [0, 0]
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit === 0xfffd) broken++
      else if (unit > 0x7f) whole++
    }
    return whole > 0 && whole >= broken ? text : null
  }
}

/** Japanese mail of old says nothing of its charset: the escape sequences that begin its characters do. */
const isJapanese = (bytes: Uint8Array): boolean =>
  asBuffer(bytes).includes("\x1b$B") || asBuffer(bytes).includes("\x1b$@")

/**
 * Bytes that declare no charset: UTF-8 if that is what they are, which text of another charset hardly ever is by
 * accident; else `hint`; else Windows-1252, as mail clients do.
 */
export const decodeUndeclared = (bytes: Uint8Array, hint: string | null = null): string => {
  const text = asUtf8(bytes)
  if (text === null) return (hint === null ? null : decoderFor(hint))?.(bytes) ?? windows1252(bytes)
  return isJapanese(bytes) ? iso2022jp.decode(bytes) : text
}

/** A charset of 7 bits that shifts with escape sequences, of which there are none, but bytes of 8 bits. */
const isLie = (charset: string, bytes: Uint8Array): boolean =>
  /^iso-2022/i.test(charset.trim()) && !bytes.includes(0x1b) && bytes.some((byte) => byte > 0x7f)

/** Never fails: a charset that is missing, unknown or a lie (US-ASCII with 8-bit bytes) is guessed. */
export const decodeBytes = (bytes: Uint8Array, charset: string | null): string => {
  const isGuess =
    charset === null || /^(?:us-?ascii|ascii|ansi_x3|utf-?8$)/i.test(charset.trim()) || isLie(charset, bytes)
  const decode = isGuess ? null : decoderFor(charset)
  if (decode === null) return decodeUndeclared(bytes)
  const text = decode(bytes)
  return text.includes("\ufffd") && isUtf8(bytes) ? decodeUndeclared(bytes) : text
}

/** Without NUL characters, and with lone surrogates replaced: neither survives JSON and SQL. */
export const wellFormed = (text: string): string =>
  (text.includes("\0") ? text.replaceAll("\0", "") : text).toWellFormed()
