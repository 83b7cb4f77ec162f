/** Header fields as values: a map of decoded strings, addresses, message ids. */
import type { HeaderMap, ParsedAddress } from "@mailroom/domain"
import addressparser from "nodemailer/lib/addressparser"
import { decodeUndeclared, wellFormed } from "./charsets.js"
import { decodeWords } from "./encodedWords.js"
import type { HeaderField } from "./headerBlock.js"

/** Latin-1 bytes of a field as text: raw 8-bit is UTF-8, or the charset of the body, or Windows-1252. */
const text = (value: string, charset: string | null): string =>
  /[\u0080-\u00ff]/.test(value) ? decodeUndeclared(Buffer.from(value, "latin1"), charset) : value

const clean = (value: string): string =>
  wellFormed(value)
    .replace(/[\r\n\t]+/g, " ")
    .trim()

/** Whether a value is what it says: printable ASCII without encoded words. Most values are. */
const isPlain = (value: string): boolean => /^[ -~]*$/.test(value) && !value.includes("=?")

const decoded = (value: string): string => (isPlain(value) ? value : clean(decodeWords(value)))

export interface Headers {
  readonly map: HeaderMap
  /** every value of a field, decoded */
  readonly all: (name: string) => ReadonlyArray<string>
  readonly addresses: (name: string) => ReadonlyArray<ParsedAddress>
}

const addressesIn = (value: string): ReadonlyArray<ParsedAddress> =>
  addressparser(value, { flatten: true }).flatMap((entry) => {
    const address = clean(entry.address).toLowerCase()
    const name = clean(decodeWords(entry.name))
    // RFC 2047 §5: an encoded word is never an address; taking it for one would let a sender hide who is named.
    return address === "" || address.includes("=?") ? [] : [{ address, name: name === "" ? null : name }]
  })

/** `charset` is the one the body declares: what raw 8-bit headers are most likely written in. */
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
    // Addresses are taken apart before their names are decoded: a name may spell a comma or an angle bracket.
    addresses: (name) =>
      fields.flatMap((field) => (field.name === name ? addressesIn(text(field.value, charset)) : [])),
  }
}

/**
 * Message ids, with angle brackets, each once. Whatever stands between bracketed ids is ignored; without any bracket
 * a value that is nothing but ids is understood.
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
