/** Addresses as reports write them: typed, encoded, bracketed, lower-case when they come out. */

/** Recipients that one report is believed to tell of. */
export const RECIPIENTS_MAX = 100

/** Not all that RFC 5321 allows, but all that is seen: no space, no quoting, a domain with a dot. */
export const ADDRESS =
  '[^\\s<>()\\[\\]",:;@]{1,64}@[a-z0-9\\u0080-\\uffff][a-z0-9.\\u0080-\\uffff-]{0,250}\\.[a-z0-9\\u0080-\\uffff-]{2,63}'

const whole = new RegExp(`^${ADDRESS}$`, "i")
const bracketed = new RegExp(`<(?:mailto:)?(${ADDRESS})>`, "i")

/** Redacted: the reporter says that it does not say (RFC 6590 §2). */
const redacted = /^(?:redacted|removed|hidden|undisclosed|x{3,})@|@redacted\b/

/** The address that a value is, in brackets or not; null when it is none. */
export const addressIn = (value: string): string | null => {
  const text = value.slice(0, 1000).trim()
  const found = bracketed.exec(text)?.[1] ?? (whole.test(text) ? text : null)
  const address = found?.toLowerCase() ?? null
  return address === null || redacted.test(address) ? null : address
}

const plain = /^[!-~]+$/

/**
 * xtext (RFC 3461 §4): `+` and two hex digits for a character. A `+` that encodes nothing comes from a server that
 * does not know xtext, and then nothing of the address is encoded.
 */
const decodedXtext = (address: string): string => {
  if (!address.includes("+") || /\+(?![0-9A-F]{2})/.test(address)) return address
  const decoded = address.replace(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return plain.test(decoded) ? decoded : address
}

/** `\x{E9}` for what is not ASCII (RFC 6533 §3). */
const decodedUnicode = (address: string): string =>
  address.replace(/\\x\{([0-9a-f]{1,6})\}/gi, (all, hex: string) => {
    const point = Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : all
  })

/**
 * `rfc822; ada@example.org` (RFC 3464 §2.3.1): the addresses it may mean. An xtext one is given as it stands, too:
 * whether `+41` is an encoded `A` or the tag of an address only whoever wrote to it knows.
 */
export const typedAddresses = (value: string): ReadonlyArray<string> => {
  const [, type = "rfc822", address = ""] = /^\s*(?:([a-z0-9-]{1,30})\s*;)?\s*(.*)$/is.exec(value) ?? []
  if (/^x-?(?:400|unix|local)|^(?:local|x400|system)$/i.test(type) && !address.includes("@")) return []
  const forms = [decodedXtext(decodedUnicode(address)), decodedUnicode(address)]
  return [...new Set(forms.map(addressIn).filter((form) => form !== null))]
}
