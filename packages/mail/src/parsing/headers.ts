/** Decodes header fields: to a map of strings, to addresses, to message ids. */
import type { HeaderMap, ParsedAddress } from "@mailroom/domain"
import { HEADER_ADDRESS_MAX_LENGTH } from "@mailroom/domain/limits"
import { plainAddressOf } from "@mailroom/domain/mailboxes/plainAddress"
import { keptAddresses, keptText } from "@mailroom/domain/messages/headerBounds"
import addressparser from "nodemailer/lib/addressparser"
import { decodeBytes, decodeUndeclared, wellFormed } from "./charsets.js"
import type { HeaderField } from "./headerBlock.js"

/** `=?charset?B|Q?…?=` (RFC 2047 §2); the language of RFC 2231 §5 is ignored. */
const word = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

const payload = (encoding: string, text: string): Buffer =>
  encoding.toLowerCase() === "b"
    ? Buffer.from(text, "base64")
    : Buffer.from(
        text
          .replace(/_/g, " ")
          .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      )

/**
 * Charsets with escape sequences: each word returns to ASCII at its end, so words are decoded one by one; joined, two
 * escapes in a row would decode to a replacement character.
 */
const isStateful = (charset: string): boolean => charset.startsWith("iso-2022")

/**
 * Decodes the encoded words of a header value. White space between two encoded words is dropped (RFC 2047 §6.2), and
 * adjacent words of one charset are decoded together, because some senders split a character between them.
 */
const decodeWords = (value: string): string => {
  if (!value.includes("=?")) return value
  const out: Array<string> = []
  let pending: { readonly charset: string; readonly bytes: Array<Buffer> } | null = null
  const flush = () => {
    if (pending !== null) out.push(decodeBytes(Buffer.concat(pending.bytes), pending.charset))
    pending = null
  }
  let end = 0
  for (const match of value.matchAll(word)) {
    const [whole, charset = "", encoding = "", text = ""] = match
    const between = value.slice(end, match.index)
    if (pending === null || between.trim() !== "") {
      flush()
      out.push(between)
    }
    const label = charset.toLowerCase()
    if (pending !== null && (pending.charset !== label || isStateful(label))) flush()
    pending ??= { charset: label, bytes: [] }
    pending.bytes.push(payload(encoding, text))
    end = match.index + whole.length
  }
  flush()
  out.push(value.slice(end))
  return out.join("")
}

/** Decodes raw 8-bit bytes, which are in `value` as Latin-1: UTF-8, else the charset of the body, else Windows-1252. */
const text = (value: string, charset: string | null): string =>
  /[\u0080-\u00ff]/.test(value) ? decodeUndeclared(Buffer.from(value, "latin1"), charset) : value

const clean = (value: string): string =>
  wellFormed(value)
    .replace(/[\r\n\t]+/g, " ")
    .trim()

/** Whether a value needs no decoding, as most: printable ASCII without encoded words. */
const isPlain = (value: string): boolean => /^[ -~]*$/.test(value) && !value.includes("=?")

const decoded = (value: string): string => (isPlain(value) ? value : clean(decodeWords(value)))

export interface Headers {
  readonly map: HeaderMap
  /** every value of a field, decoded */
  readonly all: (name: string) => ReadonlyArray<string>
  /** the first addresses of all fields of this name */
  readonly addresses: (name: string) => ReadonlyArray<ParsedAddress>
}

const addressesIn = (value: string): ReadonlyArray<ParsedAddress> =>
  addressparser(value, { flatten: true }).flatMap((entry) => {
    const address = plainAddressOf(clean(entry.address).toLowerCase())
    const name = keptText(clean(decodeWords(entry.name)))
    // An encoded word is never an address (RFC 2047 §5). Decoded to one, it would show another sender than other readers see.
    return address === "" || address.includes("=?") || address.length > HEADER_ADDRESS_MAX_LENGTH
      ? []
      : [{ address, name: name === "" ? null : name }]
  })

/** `charset` is the one that the body declares, the likely charset of raw 8-bit headers. */
export const readHeaders = (fields: ReadonlyArray<HeaderField>, charset: string | null): Headers => {
  const all = new Map<string, Array<string>>()
  for (const field of fields) {
    const value = decoded(text(field.value, charset))
    const values = all.get(field.name)
    if (values === undefined) all.set(field.name, [value])
    else values.push(value)
  }
  return {
    map: Object.fromEntries(
      [...all].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
    ),
    all: (name) => all.get(name) ?? [],
    // Split addresses before decoding names: a decoded name may hold a comma or an angle bracket.
    addresses: (name) =>
      keptAddresses(
        fields.flatMap((field) => (field.name === name ? addressesIn(text(field.value, charset)) : [])),
      ),
  }
}

/**
 * Message ids with angle brackets, each once. Text between bracketed ids is ignored. A value without brackets counts when
 * it holds ids only.
 */
export const messageIds = (values: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ids = values.flatMap((value) => {
    const bracketed = [...value.matchAll(/<([^<>]+)>/g)].map(([, id = ""]) => id.replace(/\s/g, ""))
    if (bracketed.length > 0) return bracketed
    const bare = value.split(/[\s,;<>]+/).filter((token) => token !== "")
    return bare.length === 1 || bare.every((token) => token.includes("@")) ? bare : []
  })
  return [...new Set(ids.filter((id) => id !== "" && id.length <= 996).map((id) => `<${id}>`))]
}
