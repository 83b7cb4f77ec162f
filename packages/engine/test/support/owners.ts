/** Creates accounts by signup, the link in the verification mail, and a checkout. */
import type { MailboxId, PaidPlan, Principal, Unauthenticated } from "@mailroom/domain"
import { Accounts, Authentication, Billing, Engine, Mailboxes, type Signup } from "@mailroom/engine"
import { Effect } from "effect"
import { lastMailTo } from "./outbox.js"

export const aSignup = (slug: string, over: Partial<Signup> = {}): Signup => ({
  email: `owner@${slug}.dev`,
  password: "correct horse battery staple",
  slug,
  name: null,
  plan: null,
  period: null,
  invitation: null,
  ...over,
})

/** Signs up from a client address of its own. */
export const signUp = (slug: string, over: Partial<Signup> = {}) =>
  Effect.flatMap(Accounts, (accounts) => accounts.signup(aSignup(slug, over), `client of ${slug}`))

export interface Owner {
  readonly email: string
  readonly key: string
  /** the default mailbox */
  readonly mailboxId: MailboxId
  readonly address: string
}

/** A principal with full access and the current account. */
export const as = ({ key }: Pick<Owner, "key">): Effect.Effect<Principal, Unauthenticated, Authentication> =>
  Effect.flatMap(Authentication, (authentication) => authentication.byKey(key))

/** An account with a provisioned mailbox and a sent verification mail. */
export const unverified = (slug = "acme", over: Partial<Signup> = {}) =>
  Effect.gen(function* () {
    const { account, key } = yield* signUp(slug, over)
    yield* Engine.settle
    const mailboxes = yield* Mailboxes
    const [mailbox] = yield* mailboxes.list(yield* as({ key }))
    if (mailbox === undefined) return yield* Effect.dieMessage("an account has no mailbox")
    return { email: account.email, key, mailboxId: mailbox.id, address: mailbox.fullAddress } satisfies Owner
  })

/** The link in the newest verification mail to an address. */
const verificationLink = (email: string) =>
  Effect.flatMap(lastMailTo(email), ({ mail }) => {
    const link = mail.text?.split("\n").find((line) => line.startsWith("http"))
    return link === undefined ? Effect.dieMessage("a mail carries no link") : Effect.succeed(new URL(link))
  })

export const verificationToken = (email: string) =>
  Effect.map(verificationLink(email), (link) => link.searchParams.get("token") ?? "")

export const verifyEmail = (token: string) =>
  Effect.flatMap(Accounts, (accounts) => accounts.verifyEmail(token))

/** A verified account: in its trial, or active with `billing: "none"`. */
export const verified = (slug = "acme", over: Partial<Signup> = {}) =>
  Effect.gen(function* () {
    const owner = yield* unverified(slug, over)
    yield* verifyEmail(yield* verificationToken(owner.email))
    return owner
  })

/** The token in a checkout's URL. */
export const tokenIn = (url: string): string => url.slice(url.lastIndexOf("/") + 1)

export const pay = (owner: Owner, plan: PaidPlan = "Developer") =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const { url } = yield* billing.upgrade(yield* as(owner), { plan, period: "monthly" })
    yield* billing.complete(tokenIn(url))
  })

/** A verified account on a paid plan. */
export const paying = (slug = "acme", plan: PaidPlan = "Developer") =>
  Effect.tap(verified(slug), (owner) => pay(owner, plan))
