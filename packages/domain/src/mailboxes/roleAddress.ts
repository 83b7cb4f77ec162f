/**
 * Role addresses, which every mail domain accepts even without a mailbox: `postmaster` (RFC 5321 §4.5.1) and `abuse`
 * (RFC 2142 §2). docs/decisions/0056.
 */
import { domainOf, mailboxAddress } from "./address.js"

export interface RoleAddress {
  /** lower-case, with its domain, without a tag */
  readonly address: string
  /** lower-case */
  readonly domain: string
}

const roles: ReadonlySet<string> = new Set(["postmaster", "abuse"])

/**
 * The role address of an envelope recipient; null when it is not one. `postmaster` without a domain is that of the
 * platform domain (RFC 5321 §4.1.1.3).
 */
export const roleAddress = (text: string, platformDomain: string): RoleAddress | null => {
  const given = mailboxAddress(text)
  const address = given === "postmaster" ? `postmaster@${platformDomain}` : given
  const at = address.lastIndexOf("@")
  return at > 0 && roles.has(address.slice(0, at)) ? { address, domain: domainOf(address) } : null
}

/** The slug of a subdomain of the platform domain; null for another domain. */
export const slugOf = (domain: string, platformDomain: string): string | null =>
  domain.endsWith(`.${platformDomain}`) ? domain.slice(0, -platformDomain.length - 1) : null

/** Mails an hour that the role addresses of one domain accept. Further mails get a 4xx reply. */
export const ROLE_MAIL_PER_HOUR = 60

/** Bytes up to which a mail is passed on whole. Of a larger mail, only the header and the beginning are. */
export const PASSED_ON_MAX_BYTES = 10 * 1024 * 1024

/** Bytes that are passed on of a mail larger than that. */
export const PASSED_ON_START_BYTES = 256 * 1024

/** The sender of the service's own mail. The service accepts no mail for this address. */
export const serviceAddress = (platformDomain: string): string => `no-reply@${platformDomain}`

/** The notice to which a mail for a role address is attached. `isWhole`: whether the whole mail is attached. */
export const passedOnMail = (
  address: string,
  subject: string,
  isWhole: boolean,
): { readonly subject: string; readonly text: string } => ({
  subject: `[${address}] ${subject}`.slice(0, 250).toWellFormed(),
  text: [
    `This mail was sent to ${address}.`,
    "",
    "Each domain that takes mail has this address, for those who have to report a problem with its mail. There is no",
    "mailbox of this name, so the mail goes to you.",
    "",
    isWhole
      ? "The mail is attached as it came. An answer to this mail goes to its author."
      : "The mail is too large to be passed on: its beginning is attached. An answer to this mail goes to its author.",
    "",
  ].join("\n"),
})
