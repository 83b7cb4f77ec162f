/** An account that may receive without limit, made the way its owner would make it. */
import { Effect, Schedule, Schema } from "effect"
import { call } from "./http.js"
import { MailboxRow } from "./mailroom.js"
import { BenchFailure } from "./processes.js"

export interface Account {
  readonly baseUrl: string
  readonly key: string
}

export interface Mailbox {
  readonly id: string
  readonly address: string
}

const SignedUp = Schema.Struct({ api_key: Schema.Struct({ key: Schema.String }) })
const Checkout = Schema.Struct({ checkout_url: Schema.String })

/** Asks again, because what is asked for happens a moment later. */
const soon = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(effect, Schedule.intersect(Schedule.spaced(50), Schedule.recurs(200)))

const verificationToken = (baseUrl: string, email: string) =>
  call({ method: "GET", url: `${baseUrl}/dev/outbox?to=${encodeURIComponent(email)}` }, Schema.Unknown).pipe(
    Effect.map((outbox) => /verify-email\?token=([\w.~%-]+)/.exec(JSON.stringify(outbox))?.[1]),
    Effect.flatMap((token) =>
      token === undefined
        ? Effect.fail(new BenchFailure({ message: "no verification mail in the development outbox" }))
        : Effect.succeed(decodeURIComponent(token)),
    ),
    soon,
  )

/** Signs up and verifies the owner's address. */
export const verifiedAccount = (baseUrl: string, slug: string): Effect.Effect<Account, BenchFailure> =>
  Effect.gen(function* () {
    const email = `owner@${slug}.example`
    const signup = yield* call(
      {
        method: "POST",
        url: `${baseUrl}/v1/signup`,
        body: { email, password: "long enough for a bench", slug },
      },
      SignedUp,
    )
    const token = yield* verificationToken(baseUrl, email)
    yield* call({ method: "POST", url: `${baseUrl}/v1/auth/verify-email`, body: { token } }, Schema.Unknown)
    return { baseUrl, key: signup.api_key.key }
  })

/** A verified account that paid for the plan Scale, whose inbound mail is unlimited. */
export const unlimitedAccount = (baseUrl: string, slug = "bench"): Effect.Effect<Account, BenchFailure> =>
  Effect.gen(function* () {
    const account = yield* verifiedAccount(baseUrl, slug)
    const { checkout_url } = yield* call(
      { method: "POST", url: `${baseUrl}/v1/billing/upgrade`, key: account.key, body: { plan: "Scale" } },
      Checkout,
    )
    // The address that the link has may be that of a proxy.
    const checkout = `${baseUrl}${new URL(checkout_url).pathname}`
    yield* call({ method: "POST", url: `${checkout}/complete`, body: {} }, Schema.Unknown)
    return account
  })

const provisioned = (account: Account, id: string) =>
  call(
    { method: "GET", url: `${account.baseUrl}/v1/mailboxes/${id}`, key: account.key },
    Schema.Struct({ mailbox: MailboxRow }),
  ).pipe(
    Effect.flatMap(({ mailbox }) =>
      mailbox.mailServerProvisioned
        ? Effect.succeed<Mailbox>({ id: mailbox.id, address: mailbox.fullAddress })
        : Effect.fail(new BenchFailure({ message: `${mailbox.fullAddress} is not provisioned` })),
    ),
    soon,
  )

/** A new mailbox that receives. */
export const newMailbox = (account: Account, address: string): Effect.Effect<Mailbox, BenchFailure> =>
  call(
    { method: "POST", url: `${account.baseUrl}/v1/mailboxes`, key: account.key, body: { address } },
    Schema.Struct({ mailbox: MailboxRow }),
  ).pipe(Effect.flatMap(({ mailbox }) => provisioned(account, mailbox.id)))

/** How many messages the mailbox has received. */
export const received = (account: Account, mailbox: Mailbox): Effect.Effect<number, BenchFailure> =>
  call(
    { method: "GET", url: `${account.baseUrl}/v1/mailboxes/${mailbox.id}`, key: account.key },
    Schema.Struct({ mailbox: MailboxRow }),
  ).pipe(Effect.map(({ mailbox }) => mailbox.receivedThisMonth))

/** Between two looks, milliseconds: each costs what some mails cost. */
const POLL = 40

/** Returns when the mailbox has received `count` messages; fails after `timeout` milliseconds. */
export const untilReceived = (
  account: Account,
  mailbox: Mailbox,
  count: number,
  timeout: number,
): Effect.Effect<void, BenchFailure> =>
  received(account, mailbox).pipe(
    Effect.repeat({ schedule: Schedule.spaced(POLL), until: (seen) => seen >= count }),
    Effect.timeoutFail({
      duration: timeout,
      onTimeout: () => new BenchFailure({ message: `${mailbox.address} did not receive ${count} messages` }),
    }),
    Effect.asVoid,
  )
