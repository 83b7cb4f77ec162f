/** Which domains an account may claim, and how many (spec: mailboxes.create.403-domains). */
import { Either, Schema } from "effect"
import { plans, type Plan } from "../billing/plans.js"
import { CustomDomainLimitReached } from "../errors.js"
import { domainOf, EmailAddress, normalizeAddress, onPlatform } from "../mailboxes/address.js"
import { isTestDomain } from "../sending/recipientDomains.js"

/** Leaves room for `{selector}._domainkey.` before the name, within the 253 characters of RFC 1035 §2.3.4. */
const MAX_LENGTH = 253 - "mr00000000._domainkey.".length

const isAddress = Schema.is(EmailAddress)

/** The name in A-labels as it is stored, or a text that says what is wrong. */
export const domainName = (text: string): Either.Either<string, string> => {
  const given = `postmaster@${text}`
  // A domain is valid when it can be the domain of an address.
  if (!isAddress(given)) return Either.left("must be a domain name, such as agents.acme.dev")
  const name = domainOf(normalizeAddress(given))
  if (!name.includes(".")) return Either.left("must have two labels or more, such as acme.dev")
  if (name.length > MAX_LENGTH) return Either.left(`must have ${MAX_LENGTH} characters or fewer`)
  return Either.right(name)
}

/** As `domainName`, for a name that an account may claim. */
export const claimableDomain = (text: string, platformDomain: string): Either.Either<string, string> =>
  Either.flatMap(domainName(text), (name) => {
    const address = `postmaster@${name}`
    if (onPlatform(address, platformDomain)) return Either.left("must not be on the platform's own domain")
    if (isTestDomain(address)) return Either.left("must not be a domain reserved for tests")
    return Either.right(name)
  })

/** Whether the plan allows one more domain in addition to `owned`. */
export const admitDomain = (plan: Plan, owned: number): Either.Either<void, CustomDomainLimitReached> => {
  const limit = plans[plan].customDomains
  return limit !== null && owned >= limit
    ? Either.left(new CustomDomainLimitReached({ plan, limit }))
    : Either.void
}
