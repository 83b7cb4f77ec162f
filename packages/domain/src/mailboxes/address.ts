/** Mail addresses: the local parts of mailboxes, and the addresses that mail is sent to. */
import { Schema } from "effect"
import { DISPLAY_NAME_MAX_LENGTH } from "../limits.js"
import { oneLine } from "../messages/oneLine.js"
import { parseUrl } from "../parseUrl.js"
import { normalForm, truncated } from "../unicode.js"

/** 1-64 of `[a-z0-9._-]`, without a leading, trailing or doubled dot; stored lower-case. */
export const LocalPart = Schema.String.annotations({
  identifier: "LocalPart",
  jsonSchema: {
    type: "string",
    pattern: String.raw`^(?!\.)(?!.*\.\.)(?!.*\.$)[A-Za-z0-9._-]{1,64}$`,
    description: "1 to 64 letters, digits, dots, hyphens and underscores, which become lower-case",
  },
}).pipe(
  Schema.compose(Schema.Lowercase),
  Schema.pattern(/^(?!\.)(?!.*\.\.)(?!.*\.$)[a-z0-9._-]{1,64}$/, {
    message: () =>
      "an address has 1 to 64 letters, digits, dots, hyphens and underscores, without a leading, trailing or doubled dot",
  }),
)

const label = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}\\p{M}-]{0,61}[\\p{L}\\p{N}\\p{M}])?"
const domainName = new RegExp(`^(?:${label}\\.)*${label}$`, "u")

/** The domain name as DNS has it, international labels as A-labels (RFC 5890); null when it has no such form. */
const asciiDomain = (name: string): string | null => {
  return domainName.test(name) ? (parseUrl(`http://${name}`)?.hostname ?? null) : null
}

export const isAscii = (text: string): boolean => /^[\0-\u007f]*$/.test(text)

/** UTF-16 units of the longest address (RFC 5321 §4.5.3.1), and more than any domain has. */
export const ADDRESS_MAX_LENGTH = 254

/** An address as SMTP carries it: an international domain becomes A-labels, all else stays. */
export const withAsciiDomain = (address: string): string => {
  const at = address.lastIndexOf("@") + 1
  const domain = address.slice(at)
  const stays = domain.length > ADDRESS_MAX_LENGTH || isAscii(domain)
  return address.slice(0, at) + ((stays ? null : asciiDomain(domain)) ?? domain)
}

/**
 * The form in which addresses are compared (spec: decisions.values.addresses): lower case, composed accents (NFC,
 * RFC 6532 §3.1), domain in A-labels. Text that is not an address is lower-cased too.
 */
export const normalizeAddress = (address: string): string => {
  const trimmed = address.trim()
  // Most addresses are ASCII, which NFC and A-labels leave as it is.
  return isAscii(trimmed) ? trimmed.toLowerCase() : normalForm(withAsciiDomain(trimmed).toLowerCase(), "NFC")
}

const atom = "[a-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+"
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`, "iu")

/** Characters that are composed, complete and visible, so that no address looks like another. */
const isPlain = (text: string): boolean =>
  text === normalForm(text, "NFKC") && !/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)

/** A number as the last label makes the whole an IPv4 address (WHATWG URL §3.5). */
const isNumeric = (domain: string): boolean => /(?:^|\.)(?:\p{N}+|0x[0-9a-f]*)$/iu.test(domain)

const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  if (at > 64 || text.length > ADDRESS_MAX_LENGTH) return false
  const [local, domain] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  const ascii = asciiDomain(domain)
  return (
    isPlain(text) &&
    dotAtom.test(local) &&
    !isNumeric(domain) &&
    ascii !== null &&
    at + 1 + ascii.length <= ADDRESS_MAX_LENGTH &&
    ascii.split(".").every((part) => part.length <= 63)
  )
}

/**
 * An address that can be put into an envelope and a header: one mailbox, no display name, no comment, no quoting, no
 * address literal, no invisible character, one way to write it (NFKC). At most 254 characters, 64 before the @
 * (RFC 5321 §4.5.3.1), also with the domain in A-labels.
 */
export const EmailAddress = Schema.String.pipe(
  Schema.filter((value) => isAddress(value) || "must be one plain email address, such as ada@corp.org"),
).annotations({
  identifier: "EmailAddress",
  jsonSchema: { type: "string", format: "email", maxLength: 254, description: "one plain mail address" },
})

export const isEmailAddress = Schema.is(EmailAddress)

export interface NamedAddress {
  readonly address: string
  /** null without a display name */
  readonly name: string | null
}

/** Control characters and line separators, which a name must not contain. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * UTF-16 units of an address with its name: a quoted name of 255 characters, each after a backslash, an address of 254, and
 * some white space.
 */
const NAMED_ADDRESS_MAX_LENGTH = 1_100

/**
 * `Ada <ada@example.org>` or `"Doe, Ada" <ada@example.org>` (RFC 5322 §3.4). Any other text is read as an address, and so is
 * a text of more than 1,100 UTF-16 units, which is none.
 */
export const parseNamed = (text: string): NamedAddress => {
  const addressOnly = { address: text, name: null }
  if (text.length > NAMED_ADDRESS_MAX_LENGTH) return addressOnly
  const [start, trimmed] = [text.lastIndexOf("<"), text.trimEnd()]
  if (start === -1 || !trimmed.endsWith(">") || unprintable.test(text)) return addressOnly
  const [written, address] = [text.slice(0, start).trim(), trimmed.slice(start + 1, -1)]
  const isQuoted = /^"(?:[^"\\]|\\.)*"$/s.test(written)
  if (!isAddress(address) || (!isQuoted && /["<>]/.test(written))) return addressOnly
  const name = isQuoted ? written.slice(1, -1).replace(/\\(.)/gs, "$1") : written
  return { address, name: name === "" ? null : name }
}

/**
 * The text of an address with its display name, which `parseNamed` reads back: the name is a quoted string of at most 255
 * characters, with spaces for those that a name must not contain.
 */
export const writtenAddress = (address: string, name: string | null): string =>
  name === null
    ? address
    : `"${truncated(name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), DISPLAY_NAME_MAX_LENGTH).replace(/["\\]/g, "\\$&")}" <${address}>`

/** The address in `Name <address>` or in a bare address, in the form for comparison. */
export const addressIn = (text: string): string => normalizeAddress(parseNamed(text).address)

/** A recipient: an address, with or without a display name of at most 255 characters. */
export const Recipient = Schema.String.pipe(
  oneLine,
  Schema.filter((text) => {
    const { address, name } = parseNamed(text)
    return (
      (isAddress(address) && (name ?? "").length <= DISPLAY_NAME_MAX_LENGTH) ||
      "must be one email address, such as ada@corp.org or Ada <ada@corp.org>"
    )
  }),
).annotations({
  identifier: "Recipient",
  jsonSchema: {
    type: "string",
    description: "a mail address, as `ada@corp.org` or `Ada <ada@corp.org>`",
  },
})

/** An address with its display name, for people to read. */
export const namedAddress = (address: string, name: string | null): string =>
  name === null ? address : `${name} <${address}>`

/** `agent+tag@host` is delivered to `agent@host` (spec: decisions.smtp.tag). */
export const withoutTag = (address: string): string =>
  address.includes("+") ? address.replace(/^([^+@]+)\+[^@]*@/, "$1@") : address

/** The full address of the mailbox for a recipient: normalized, without a tag. */
export const mailboxAddress = (recipient: string): string => withoutTag(normalizeAddress(recipient))

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

/** The address of a mailbox on the shared platform domain: `{address}@{slug}.{platform_domain}`. */
export const platformAddress = (localPart: string, slug: string, platformDomain: string): string =>
  `${localPart}@${slug}.${platformDomain}`

/** Whether an address is on the platform domain or one of its subdomains, of any account. */
export const onPlatform = (address: string, platformDomain: string): boolean => {
  const domain = domainOf(address)
  return domain === platformDomain || domain.endsWith(`.${platformDomain}`)
}
