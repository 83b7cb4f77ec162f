/** Accounts, created and used through the API and the links in mails, as agents and owners do. */
import { Effect } from "effect"
import { type Answer, listAt, numberAt, textAt, valueAt } from "./Answer.js"
import { compose, type Draft, type Mail, plainMail } from "./mail.js"
import { type Call, World } from "./World.js"

export const PASSWORD = "correct horse battery"

export interface Agent {
  readonly slug: string
  /** the owner's address */
  readonly email: string
  readonly key: string
  /** id of the default mailbox */
  readonly mailboxId: string
  readonly address: string
  /** Sends a request with the account's first key. */
  readonly call: (target: string, call?: Call) => Effect.Effect<Answer>
}

/** An unused client address, because signups are limited per address. */
const freshAddress = (number: number): string =>
  `10.${number & 255}.${(number >> 8) & 255}.${(number >> 16) & 255}`

/** Body and headers of a valid signup. */
export const newcomer = Effect.gen(function* () {
  const { next } = yield* World
  const number = yield* next
  const slug = `ada-${number}`
  return {
    slug,
    body: { email: `owner@${slug}.dev`, password: PASSWORD, slug },
    headers: { "x-forwarded-for": freshAddress(number) },
  }
})

/**
 * Repeats `attempt` if a new minute or hour has begun meanwhile, because counters of the window have started again.
 */
export const withinOne = <A, R>(
  window: "minute" | "hour",
  attempt: Effect.Effect<A, never, R>,
): Effect.Effect<A, never, R | World> =>
  Effect.gen(function* () {
    const { now } = yield* World
    const size = window === "minute" ? 60_000 : 3_600_000
    const started = Math.floor((yield* now) / size)
    const done = yield* attempt
    return Math.floor((yield* now) / size) === started ? done : yield* attempt
  })

/** An unverified account whose first mailbox is provisioned. `more` adds fields to the signup. */
export const signUp = (more: Readonly<Record<string, unknown>> = {}): Effect.Effect<Agent, never, World> =>
  Effect.gen(function* () {
    const { call, eventually } = yield* World
    const { slug, body, headers } = yield* newcomer
    const signedUp = yield* call("POST /v1/signup", { body: { ...body, ...more }, headers })
    const key = textAt(signedUp.json, "api_key.key")
    const listed = yield* eventually(
      "the first mailbox is provisioned",
      call("GET /v1/mailboxes", { key }),
      ({ json }) => valueAt(json, "mailboxes.0.mailServerProvisioned") === true,
    )
    return {
      slug,
      email: body.email,
      key,
      mailboxId: textAt(listed.json, "mailboxes.0.id"),
      address: textAt(listed.json, "mailboxes.0.fullAddress"),
      call: (target, options) => call(target, { key, ...options }),
    }
  })

/** The token in the newest verification mail to an address. */
export const verificationToken = (email: string): Effect.Effect<string, never, World> =>
  Effect.gen(function* () {
    const { outbox, eventually } = yield* World
    const tokens = Effect.map(outbox(email), (mails) =>
      mails.flatMap(({ text }) => /verify-email\?token=(\S+)/.exec(text ?? "")?.[1] ?? []),
    )
    const found = yield* eventually("the verification mail is sent", tokens, ({ length }) => length > 0)
    return found.at(-1) ?? ""
  })

/** Verifies the address by the token from the mail. */
export const verify = ({ email }: Pick<Agent, "email">): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const { call } = yield* World
    return yield* call("POST /v1/auth/verify-email", { body: { token: yield* verificationToken(email) } })
  })

/** Path and query of a link to the service. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

export type PaidPlan = "Developer" | "Growth" | "Scale"

/** The path of a checkout's page. */
export const checkout = (
  agent: Agent,
  body: { readonly plan?: PaidPlan; readonly period?: "monthly" | "annual" } = {},
): Effect.Effect<string> =>
  Effect.map(agent.call("POST /v1/billing/upgrade", { body }), ({ json }) =>
    pathOf(textAt(json, "checkout_url")),
  )

/** Completes a checkout. */
export const pay = (agent: Agent, plan: PaidPlan = "Developer"): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const { visit } = yield* World
    return yield* visit(`POST ${yield* checkout(agent, { plan })}/complete`, { body: {} })
  })

/** A valid body of a send. */
export const sendBody = (to: string, more: Readonly<Record<string, unknown>> = {}) => ({
  to: [to],
  subject: "Hello",
  bodyText: "How are you?",
  ...more,
})

/** Sends from the agent's first mailbox. */
export const send = (
  agent: Agent,
  to: string,
  more?: Readonly<Record<string, unknown>>,
): Effect.Effect<Answer> =>
  agent.call(`POST /v1/mailboxes/${agent.mailboxId}/messages`, { body: sendBody(to, more) })

/** The states of an account that need no operator. */
export type State = "unverified" | "trial" | "payment_required" | "active"

/** An account in a state. The trial is spent by its ten sends. */
export const agent = (state: State = "unverified"): Effect.Effect<Agent, never, World> =>
  Effect.gen(function* () {
    const made = yield* signUp()
    if (state === "unverified") return made
    yield* verify(made)
    if (state === "active") yield* pay(made)
    if (state === "payment_required")
      yield* Effect.forEach(Array.from({ length: 10 }), () => send(made, made.email), { discard: true })
    return made
  })

export interface ScopedKey {
  readonly id: string
  readonly key: string
  readonly call: Agent["call"]
}

/** Another key; `mailboxIds` makes it a scoped one. */
export const newKey = ({ call }: Agent, mailboxIds?: ReadonlyArray<string>): Effect.Effect<ScopedKey> =>
  Effect.map(call("POST /v1/api-keys", { body: { name: "another", mailboxIds } }), ({ json }) => {
    const key = textAt(json, "key")
    return { id: textAt(json, "id"), key, call: (target, options) => call(target, { key, ...options }) }
  })

/** A key for the agent's first mailbox only. */
export const scopedKey = (owner: Agent): Effect.Effect<ScopedKey> => newKey(owner, [owner.mailboxId])

/** Creates a mailbox and waits until it is provisioned. */
export const newMailbox = (
  { call }: Agent,
  address: string,
): Effect.Effect<{ readonly id: string; readonly address: string }, never, World> =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    const made = yield* call("POST /v1/mailboxes", { body: { address } })
    const id = textAt(made.json, "mailbox.id")
    yield* eventually(
      "the mailbox is provisioned",
      call(`GET /v1/mailboxes/${id}`),
      ({ json }) => valueAt(json, "mailbox.mailServerProvisioned") === true,
    )
    return { id, address: textAt(made.json, "mailbox.fullAddress") }
  })

/** The account from `GET /v1/account`. */
export const accountOf = ({ call }: Pick<Agent, "call">): Effect.Effect<unknown> =>
  Effect.map(call("GET /v1/account"), ({ json }) => valueAt(json, "account"))

const receivedToday = ({ call }: Agent) =>
  Effect.map(call("GET /v1/account"), ({ json }) => numberAt(json, "account.receivedToday"))

const arrive = (owner: Agent, mails: ReadonlyArray<Mail>): Effect.Effect<void, never, World> =>
  Effect.gen(function* () {
    const { deliver, eventually } = yield* World
    const before = yield* receivedToday(owner)
    yield* deliver(mails)
    yield* eventually("the mail has arrived", receivedToday(owner), (count) => count >= before + mails.length)
  })

/** Delivers mail to the agent's first mailbox; returns when it has arrived. */
export const receive = (
  owner: Agent,
  drafts: ReadonlyArray<Draft> = [{}],
  to = owner.address,
): Effect.Effect<void, never, World> =>
  Effect.flatMap(
    Effect.forEach(drafts, (draft) => compose(to, draft)),
    (mails) => arrive(owner, mails),
  )

/** Delivers `count` mails that differ only in their number: `Mail 1`, `Mail 2`. */
export const receiveMany = (
  owner: Agent,
  count: number,
  to = owner.address,
): Effect.Effect<void, never, World> =>
  arrive(
    owner,
    Array.from({ length: count }, (_, index) => plainMail(to, index + 1)),
  )

/** The messages of the agent's first mailbox, newest first. */
export const listMessages = (owner: Agent, query = ""): Effect.Effect<Answer> =>
  owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages${query}`)

/** The messages of the agent's first mailbox, when there are at least `count`. */
export const arrived = (owner: Agent, count = 1): Effect.Effect<Answer, never, World> =>
  Effect.flatMap(World, ({ eventually }) =>
    eventually(
      `${count} messages are there`,
      listMessages(owner),
      ({ json }) => listAt(json, "messages").length >= count,
    ),
  )

export const subjectsOf = (messages: Answer): ReadonlyArray<string> =>
  listAt(messages.json, "messages").map((one) => textAt(one, "subject"))

/** Sends a message from another account inside the service, which proves the sender, and waits until it has arrived. */
export const sendInside = (from: Agent, to: Agent, subject: string): Effect.Effect<void, never, World> =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    yield* send(from, to.address, { subject })
    const all = Effect.map(listMessages(to, "?include=quarantined"), subjectsOf)
    yield* eventually("the message has arrived", all, (found) => found.includes(subject))
  })

/** The id of the newest message of the agent's first mailbox. */
export const newestId = (owner: Agent): Effect.Effect<string> =>
  Effect.map(listMessages(owner), ({ json }) => textAt(json, "messages.0.id"))

/** `name=value` of the session cookie of an owner who signs in. */
export const signIn = ({ email }: Pick<Agent, "email">): Effect.Effect<string, never, World> =>
  Effect.gen(function* () {
    const { call } = yield* World
    const answer = yield* call("POST /api/auth/sign-in/email", { body: { email, password: PASSWORD } })
    return answer.headers.get("set-cookie")?.split(";")[0] ?? ""
  })

/** Changes the plan with a session of the owner. */
export const changePlan = (
  owner: Agent,
  body: { readonly plan: PaidPlan | "Free"; readonly period?: "monthly" | "annual" },
): Effect.Effect<Answer, never, World> =>
  Effect.gen(function* () {
    const { call } = yield* World
    return yield* call("POST /v1/billing/change-plan", { cookie: yield* signIn(owner), body })
  })

/** Suppresses an address. */
export const suppress = ({ call }: Pick<Agent, "call">, email: string): Effect.Effect<Answer> =>
  call("POST /v1/suppressions", { body: { email } })

/** Uploads a file. */
export const upload = (
  { call }: Pick<Agent, "call">,
  filename: string,
  content: string | Uint8Array<ArrayBuffer>,
  type = "text/plain",
): Effect.Effect<Answer> => {
  const form = new FormData()
  form.append("file", new Blob([content], { type }), filename)
  return call("POST /v1/attachments", { body: form })
}
