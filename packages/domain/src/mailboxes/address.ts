/** Mail addresses: local parts we give out, and addresses we send to (decisions §2, §5, §6). */
import { Schema } from "effect"

/** 1-64 of `[a-z0-9._-]`, without a leading, trailing or doubled dot; stored lower-case. */
export const LocalPart = Schema.Lowercase.pipe(
  Schema.pattern(/^(?!\.)(?!.*\.\.)(?!.*\.$)[a-z0-9._-]{1,64}$/, {
    message: () =>
      "an address has 1 to 64 letters, digits, dots, hyphens and underscores, without a leading, trailing or doubled dot",
  }),
).annotations({ identifier: "LocalPart" })

/** Case never distinguishes two addresses (decisions §2). */
export const normalizeAddress = (address: string): string => address.trim().toLowerCase()

const atom = '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029()<>\\[\\]:;@\\\\,"]+'
const label = "[a-z0-9\\u00a1-\\u{10ffff}](?:[a-z0-9\\u00a1-\\u{10ffff}-]{0,61}[a-z0-9\\u00a1-\\u{10ffff}])?"
const mailAddress = new RegExp(`^${atom}@(?:${label}\\.)*${label}$`, "iu")

/**
 * An address that can be put into an envelope and a header: one mailbox, no display name, no comment, no quoting,
 * no control or line-separator character. At most 254 characters, 64 before the @ (RFC 5321 §4.5.3.1).
 */
export const EmailAddress = Schema.String.pipe(
  Schema.filter(
    (value) =>
      (value.length <= 254 && value.lastIndexOf("@") <= 64 && mailAddress.test(value)) ||
      "must be one plain email address, such as ada@example.org",
  ),
).annotations({ identifier: "EmailAddress", jsonSchema: { type: "string", format: "email", maxLength: 254 } })

/** `agent+tag@host` is delivered to `agent@host` (decisions §6). */
export const withoutTag = (address: string): string => address.replace(/^([^+@]+)\+[^@]*@/, "$1@")

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

/** The address of a mailbox on the shared platform domain: `{address}@{slug}.{platform_domain}`. */
export const platformAddress = (localPart: string, slug: string, platformDomain: string): string =>
  `${localPart}@${slug}.${platformDomain}`

/** Whether an address lives on the shared platform domain, whoever owns it. */
export const onPlatform = (address: string, platformDomain: string): boolean => {
  const domain = domainOf(address)
  return domain === platformDomain || domain.endsWith(`.${platformDomain}`)
}
