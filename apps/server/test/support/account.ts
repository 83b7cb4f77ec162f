/** What an agent and its owner do. */
import { eventually } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import { type Answer, call, type CallOptions, read } from "./http.js"
import type { Server } from "./server.js"

export interface Account {
  readonly email: string
  readonly password: string
  readonly slug: string
  readonly key: string
  readonly mailboxId: string
  /** of the mailbox that came with the account */
  readonly address: string
  /** Calls the API with the account's key. */
  readonly call: (endpoint: string, options?: CallOptions) => Effect.Effect<Answer>
}

const SignedUp = Schema.Struct({
  user: Schema.Struct({ slug: Schema.String, platform_domain: Schema.String }),
  api_key: Schema.Struct({ key: Schema.String }),
})
const MailboxList = Schema.Struct({
  mailboxes: Schema.Array(
    Schema.Struct({ id: Schema.String, fullAddress: Schema.String, mailServerProvisioned: Schema.Boolean }),
  ),
})
const Outbox = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ text: Schema.NullOr(Schema.String) })),
})

export const PASSWORD = "a rather long passphrase"

/** The same account, seen from another start of the server. */
export const at = (server: Pick<Server, "url">, account: Account): Account => ({
  ...account,
  call: (endpoint, options) => call(server, endpoint, { key: account.key, ...options }),
})

/** Each owner has an address of its own: the signup limit is per IP. */
const addressOf = (slug: string): string =>
  ["10", ...createHash("sha256").update(slug).digest().subarray(0, 3)].join(".")

const emailOf = (slug: string): string => `owner@${slug}.dev`

const create = (server: Server, slug: string): Effect.Effect<Answer> =>
  call(server, "POST /v1/signup", {
    body: { email: emailOf(slug), password: PASSWORD, slug },
    headers: { "x-forwarded-for": addressOf(slug) },
  })

/** Signs up and waits until the mailbox takes mail. A test that runs once more finds its slug taken, and adds to it. */
export const signUp = (server: Server, slug: string): Effect.Effect<Account> =>
  Effect.gen(function* () {
    const first = yield* create(server, slug)
    const answer = first.status === 409 ? yield* create(server, `${slug}-again`) : first
    const { api_key, user } = read(SignedUp, answer)
    const listed = yield* eventually(
      "the mailbox is provisioned",
      Effect.map(call(server, "GET /v1/mailboxes", { key: api_key.key }), (list) => read(MailboxList, list)),
      ({ mailboxes }) => mailboxes.some((mailbox) => mailbox.mailServerProvisioned),
    )
    const [mailbox] = listed.mailboxes
    if (mailbox === undefined) return yield* Effect.dieMessage("no mailbox")
    return at(server, {
      email: emailOf(user.slug),
      password: PASSWORD,
      slug: user.slug,
      key: api_key.key,
      mailboxId: mailbox.id,
      address: mailbox.fullAddress,
      call: () => Effect.dieMessage("not connected"),
    })
  })

export const linkToken = (text: string | null | undefined): string | null =>
  /token=(\S+)/.exec(text ?? "")?.[1] ?? null

/** The token in the verification mail, from the development outbox. */
export const verificationToken = (server: Server, account: Account): Effect.Effect<string> =>
  eventually(
    "the verification mail is in the outbox",
    Effect.map(call(server, `GET /dev/outbox?to=${account.email}`), (answer) =>
      linkToken(read(Outbox, answer).messages[0]?.text),
    ),
    (token) => token !== null,
  ).pipe(Effect.map((token) => token ?? ""))

/** The owner follows the link of the verification mail. */
export const verify = (server: Server, account: Account): Effect.Effect<Answer> =>
  Effect.flatMap(verificationToken(server, account), (token) =>
    call(server, "POST /v1/auth/verify-email", { body: { token } }),
  )

/** A verified owner. */
export const verifiedAccount = (server: Server, slug: string): Effect.Effect<Account> =>
  Effect.tap(signUp(server, slug), (account) => verify(server, account))
