/** Accounts to start a test from, made the way an agent makes them. */
import { AccountsPage, CheckoutLink, CreatedKey, SignedUp } from "@mailroom/api"
import {
  type AccountRecord,
  type AccountState,
  Mailbox,
  type PaidPlan,
  TRIAL_DURATION,
} from "@mailroom/domain"
import { AccountStore, Engine } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { ADMIN_TOKEN, type Answer, type Call, InMemoryHttp } from "@mailroom/testing"
import { Context, Effect, Option, Schema, TestClock } from "effect"
import { ask, read } from "./contract.js"

export const PASSWORD = "correct horse battery"

export interface Owner {
  readonly slug: string
  readonly email: string
  readonly key: string
  readonly mailboxId: string
  readonly address: string
}

export const Mailboxes = Schema.Struct({ mailboxes: Schema.Array(Mailbox) })

/** What the slugs of a test end with where tests share a service. */
export class SlugSuffix extends Context.Reference<SlugSuffix>()("@mailroom/http/test/SlugSuffix", {
  defaultValue: () => "",
}) {}

/** An account with its first mailbox provisioned, and its address not yet verified. */
export const signUp = Effect.fn(function* (name = "acme") {
  const slug = `${name}${yield* SlugSuffix}`
  const email = `ada@${slug}.dev`
  const signedUp = yield* ask("POST /v1/signup", {
    body: { email, password: PASSWORD, slug },
    // Signups are counted by address; each account of a test has one of its own.
    headers: { "x-forwarded-for": `198.18.0.${slug}` },
  })
  yield* Engine.settle
  const { key } = read(SignedUp)(signedUp).api_key
  const [mailbox] = read(Mailboxes)(yield* ask("GET /v1/mailboxes", { key })).mailboxes
  return {
    slug,
    email,
    key,
    mailboxId: mailbox?.id ?? "",
    address: mailbox?.fullAddress ?? "",
  } satisfies Owner
})

/** The token in the newest verification mail to an address. */
export const verificationToken = Effect.fn(function* (email: string) {
  const { sent } = yield* MemoryRelay
  const mail = (yield* sent).findLast(({ envelope }) => envelope.to.includes(email))
  const text = new TextDecoder().decode(mail?.raw).replace(/=\r\n/g, "").replace(/=3D/g, "=")
  return /verify-email\?token=([0-9a-f]+)/.exec(text)?.[1] ?? ""
})

export const verify = Effect.fn(function* ({ email }: Owner) {
  return yield* ask("POST /v1/auth/verify-email", { body: { token: yield* verificationToken(email) } })
})

/** The path of a link to this service. */
export const pathOf = (url: string): string => url.replace("http://mailroom.test", "")

/** A checkout for a plan, as a path. */
export const checkout = Effect.fn(function* ({ key }: Owner, plan: PaidPlan = "Developer") {
  const link = read(CheckoutLink)(yield* ask("POST /v1/billing/upgrade", { key, body: { plan } }))
  return pathOf(link.checkout_url)
})

export const pay = Effect.fn(function* (owner: Owner, plan: PaidPlan = "Developer") {
  const { call } = yield* InMemoryHttp
  return yield* call(`POST ${yield* checkout(owner, plan)}/complete`, { body: {} })
})

/** What only the operator does to an account. */
export const operate = Effect.fn(function* (
  { slug }: Pick<Owner, "slug">,
  action: "suspend" | "unsuspend" | "plan",
  body?: Call["body"],
) {
  const { accounts } = read(AccountsPage)(
    yield* ask(`GET /admin/v1/accounts?q=${slug}`, { key: ADMIN_TOKEN }),
  )
  const id = accounts.find((account) => account.slug === slug)?.id ?? ""
  return yield* ask(`POST /admin/v1/accounts/${id}/${action}`, { key: ADMIN_TOKEN, body })
})

/** Changes what is stored of an account: for states that take weeks to come about. */
export const setFacts = Effect.fn(function* ({ email }: Owner, facts: Partial<AccountRecord>) {
  const accounts = yield* AccountStore
  const account = Option.getOrThrow(yield* accounts.byEmail(email))
  yield* accounts.save({ ...account, ...facts })
})

export const bringTo = Effect.fn(function* (owner: Owner, state: AccountState) {
  switch (state) {
    case "unverified":
      return
    case "trial":
      yield* verify(owner)
      return
    case "payment_required":
      yield* verify(owner)
      yield* TestClock.adjust(TRIAL_DURATION)
      return
    case "active":
      yield* verify(owner)
      yield* pay(owner)
      return
    case "suspended":
      yield* operate(owner, "suspend", { reason: "complaints" })
  }
})

/** An account in a state. */
export const owner = Effect.fn(function* (state: AccountState = "unverified", slug?: string) {
  const made = yield* signUp(slug)
  yield* bringTo(made, state)
  return made
})

/** A key for the owner's first mailbox only. */
export const scopedKey = Effect.fn(function* ({ key, mailboxId }: Owner) {
  const body = { name: "scoped", mailboxIds: [mailboxId] }
  return read(CreatedKey)(yield* ask("POST /v1/api-keys", { key, body }))
})

/** `name=value` of the session cookie in an answer. */
export const cookieIn = (answer: Answer): string => answer.headers.get("set-cookie")?.split(";")[0] ?? ""

export const signIn = Effect.fn(function* ({ email }: Owner) {
  return cookieIn(yield* ask("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } }))
})
