/** Which domains an account may claim, and how many (spec, Plans; decisions §3). */
import { Either, Schema } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { CustomDomainLimitReached } from "../errors.js"
import { domainOf, EmailAddress, normalizeAddress, onPlatform } from "../mailboxes/address.js"
import { isTestDomain } from "../messages/recipientDomains.js"

/** A name has 253 characters at most (RFC 1035 §2.3.4), with `{selector}._domainkey.` in front of it. */
const MAX_LENGTH = 253 - "mr00000000._domainkey.".length

const isAddress = Schema.is(EmailAddress)

/** The name as it is stored, in A-labels; or what is wrong with it, for people. */
export const claimableDomain = (text: string, platformDomain: string): Either.Either<string, string> => {
  const given = `postmaster@${text}`
  // What may stand behind the @ of an address is a domain; mail addresses there are what it is for.
  if (!isAddress(given)) return Either.left("must be a domain name, such as agents.acme.dev")
  const address = normalizeAddress(given)
  const name = domainOf(address)
  if (!name.includes(".")) return Either.left("must have two labels or more, such as acme.dev")
  if (name.length > MAX_LENGTH) return Either.left(`must have ${MAX_LENGTH} characters or fewer`)
  if (onPlatform(address, platformDomain)) return Either.left("must not be on the platform's own domain")
  if (isTestDomain(address)) return Either.left("must not be a domain reserved for tests")
  return Either.right(name)
}

/** Whether the plan has room for one more domain beside `owned`. */
export const admitDomain = (plan: Plan, owned: number): Either.Either<void, CustomDomainLimitReached> => {
  const limit = plans[plan].customDomains
  return limit !== null && owned >= limit
    ? Either.left(new CustomDomainLimitReached({ plan, limit }))
    : Either.void
}
