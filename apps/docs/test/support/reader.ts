/** A reader of the documentation: an account at a service that pays, so that every example may work. */
import { deliver, eventually } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { type Answer, call, type CallOptions, read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"

export const PASSWORD = "correct horse battery"

export interface Reader {
  readonly server: Server
  readonly slug: string
  readonly email: string
  readonly key: string
  readonly mailboxId: string
  readonly address: string
  readonly call: (endpoint: string, options?: CallOptions) => Effect.Effect<Answer>
}

const SignedUp = Schema.Struct({ api_key: Schema.Struct({ key: Schema.String }) })
const Mailboxes = Schema.Struct({
  mailboxes: Schema.Array(
    Schema.Struct({ id: Schema.String, fullAddress: Schema.String, mailServerProvisioned: Schema.Boolean }),
  ),
})
const Outbox = Schema.Struct({
  messages: Schema.Array(Schema.Struct({ text: Schema.NullOr(Schema.String) })),
})
const Checkout = Schema.Struct({ checkout_url: Schema.String })
const Message = Schema.Struct({ id: Schema.String, threadId: Schema.String })
export type Message = typeof Message.Type
const Waited = Schema.Struct({ message: Schema.NullOr(Message) })

const tokenIn = (outbox: Answer, page: string): string | undefined =>
  read(Outbox, outbox)
    .messages.map(({ text }) => new RegExp(`/${page}\\?token=([0-9a-f]+)`).exec(text ?? "")?.[1])
    .find((token) => token !== undefined)

/** The token in the link to a page, in the newest mail to an owner that has one. */
export const mailedToken = (
  server: Server,
  email: string,
  page: "verify-email" | "reset-password",
): Effect.Effect<string> =>
  eventually(
    "the mail with the link is in the outbox",
    Effect.map(call(server, `GET /dev/outbox?to=${email}`), (outbox) => tokenIn(outbox, page)),
    (token) => token !== undefined,
  ).pipe(Effect.map((token) => token ?? ""))

/** Signs up, and waits until the mailbox takes mail. */
export const newReader = (server: Server, slug: string): Effect.Effect<Reader> =>
  Effect.gen(function* () {
    const email = `owner@${slug}.example`
    const body = { email, password: PASSWORD, slug }
    const { api_key } = read(SignedUp, yield* call(server, "POST /v1/signup", { body }))
    const as = (endpoint: string, options: CallOptions = {}) =>
      call(server, endpoint, { key: api_key.key, ...options })
    const { mailboxes } = yield* eventually(
      "the mailbox is provisioned",
      Effect.map(as("GET /v1/mailboxes"), (answer) => read(Mailboxes, answer)),
      (listed) => listed.mailboxes.every((mailbox) => mailbox.mailServerProvisioned),
    )
    const [mailbox] = mailboxes
    if (mailbox === undefined) return yield* Effect.dieMessage("no mailbox")
    return {
      server,
      slug,
      email,
      key: api_key.key,
      mailboxId: mailbox.id,
      address: mailbox.fullAddress,
      call: as,
    }
  })

export const verified = (reader: Reader): Effect.Effect<Reader> =>
  Effect.gen(function* () {
    const token = yield* mailedToken(reader.server, reader.email, "verify-email")
    yield* reader.call("POST /v1/auth/verify-email", { body: { token } })
    return reader
  })

/** Pays by the built-in checkout. */
export const paying = (reader: Reader): Effect.Effect<Reader> =>
  Effect.gen(function* () {
    const body = { plan: "Scale", period: "monthly" }
    const answer = yield* reader.call("POST /v1/billing/upgrade", { body })
    const { checkout_url } = read(Checkout, answer)
    const { pathname } = new URL(checkout_url)
    yield* call(reader.server, `POST ${pathname}/complete`, { body: {} })
    return reader
  })

/** Another server delivers a mail to the mailbox; it is there when this returns. */
export const received = (reader: Reader, mail: string): Effect.Effect<Message> =>
  Effect.gen(function* () {
    const since = new Date().toISOString()
    yield* eventually(
      "the mail is accepted",
      deliver(reader.server.smtpPort, reader.address, mail.replaceAll("\n", "\r\n")),
      (reply) => reply.startsWith("250"),
    )
    const path = `/v1/mailboxes/${reader.mailboxId}/messages/wait?since=${since}&timeout=20`
    const { message } = read(Waited, yield* reader.call(`GET ${path}`))
    return message ?? (yield* Effect.dieMessage("the mail was not delivered"))
  })
