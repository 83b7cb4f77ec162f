/** The values of the variables in the examples of the reference, made anew for each example. */
import { Effect, Schema } from "effect"
import { read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"
import { figures, invitation } from "./mails.js"
import { mailedToken, type Message, newReader, paying, type Reader, received, verified } from "./reader.js"

/** By the name in the shell. `MAILROOM_API_KEY` only where the example needs an account of its own. */
export type Values = Readonly<Record<string, string>>

const Id = Schema.Struct({ id: Schema.String })
const Held = Schema.Struct({ draft: Schema.Struct({ id: Schema.String, digest: Schema.String }) })
const Claimed = Schema.Struct({ claim: Schema.Struct({ token: Schema.String }) })
const WithFiles = Schema.Struct({ message: Schema.Struct({ attachments: Schema.Array(Id) }) })
const Link = Schema.Struct({ url: Schema.String })

let last = 0
const next = (): number => (last += 1)

const freshName = (): string => `reader-${next()}`

const mail = (reader: Reader): Effect.Effect<Message> => received(reader, figures(reader.address, next()))

const Fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** Posts, and reads the id of what was made: in the field of the answer, or null in the answer itself. */
const made = (reader: Reader, path: string, field: string | null, body: unknown) =>
  Effect.map(reader.call(`POST ${path}`, { body }), (answer) => {
    const fields = read(Fields, answer)
    const json = field === null ? fields : fields[field]
    return read(Id, { ...answer, json }).id
  })

const claimed = (reader: Reader) =>
  Effect.gen(function* () {
    const { id } = yield* mail(reader)
    const path = `/v1/mailboxes/${reader.mailboxId}/messages/${id}/claim`
    const { claim } = read(Claimed, yield* reader.call(`POST ${path}`, { body: {} }))
    return { MESSAGE: id, TOKEN: claim.token }
  })

/** A draft that waits for a person. */
const held = (reader: Reader) =>
  Effect.gen(function* () {
    const mailbox = yield* made(reader, "/v1/mailboxes", "mailbox", {
      address: freshName(),
      outboundPolicy: "review",
    })
    const body = { to: ["bob@corp.org"], subject: "Your offer", bodyText: "It costs 100 euros." }
    const { draft } = read(Held, yield* reader.call(`POST /v1/mailboxes/${mailbox}/messages`, { body }))
    return { DRAFT: draft.id, DIGEST: draft.digest }
  })

const attachment = (reader: Reader) =>
  Effect.gen(function* () {
    const { id } = yield* mail(reader)
    const answer = yield* reader.call(`GET /v1/mailboxes/${reader.mailboxId}/messages/${id}`)
    const [file] = read(WithFiles, answer).message.attachments
    return file?.id ?? ""
  })

const upload = (reader: Reader) => {
  const body = new FormData()
  body.append("file", new Blob(["quarter,sales\n"], { type: "text/csv" }), "figures.csv")
  return Effect.map(reader.call("POST /v1/attachments", { body }), (answer) => read(Id, answer).id)
}

const webhook = (reader: Reader) =>
  made(reader, "/v1/webhooks", "webhook", { url: "https://example.com/hook", events: ["message.received"] })

const delivered = (reader: Reader) =>
  Effect.gen(function* () {
    const WEBHOOK = yield* webhook(reader)
    return { WEBHOOK, DELIVERY: yield* made(reader, `/v1/webhooks/${WEBHOOK}/test`, "delivery", {}) }
  })

const as = (reader: Reader): Values => ({
  MAILROOM_API_KEY: reader.key,
  MAILBOX: reader.mailboxId,
  SLUG: reader.slug,
  EMAIL: reader.email,
})

type Make = (reader: Reader) => Effect.Effect<Values>

/** Another account for the example, in the state before it. */
const other =
  (prepare: (fresh: Reader) => Effect.Effect<Values>): Make =>
  ({ server }) =>
    Effect.gen(function* () {
      const fresh = yield* newReader(server, freshName())
      return { ...as(fresh), ...(yield* prepare(fresh)) }
    })

const resetToken = (fresh: Reader) =>
  Effect.gen(function* () {
    yield* verified(fresh)
    yield* fresh.call("POST /api/auth/request-password-reset", { body: { email: fresh.email } })
    return { TOKEN: yield* mailedToken(fresh.server, fresh.email, "reset-password") }
  })

/** Examples that need more, or other, than their group. */
const byOperation: Readonly<Record<string, Make>> = {
  "signup.signup": () =>
    Effect.sync(() => {
      const SLUG = freshName()
      return { SLUG, EMAIL: `owner@${SLUG}.example` }
    }),
  "signup.verifyEmail": other((fresh) =>
    Effect.map(mailedToken(fresh.server, fresh.email, "verify-email"), (TOKEN) => ({ TOKEN })),
  ),
  "session.signIn": ({ email }) => Effect.succeed({ EMAIL: email }),
  "session.resetPassword": other(resetToken),
  "account.remove": other(() => Effect.succeed({})),
  "billing.upgrade": other((fresh) => Effect.as(verified(fresh), {})),
  "mailboxes.remove": (reader) =>
    Effect.map(made(reader, "/v1/mailboxes", "mailbox", { address: freshName() }), (MAILBOX) => ({
      MAILBOX,
    })),
  "mailboxes.create": other((fresh) => Effect.as(Effect.flatMap(verified(fresh), paying), {})),
  "mailboxes.update": (reader) =>
    Effect.map(made(reader, "/v1/mailboxes", "mailbox", { address: freshName() }), (MAILBOX) => ({
      MAILBOX,
    })),
  "messages.rsvp": (reader) =>
    Effect.map(received(reader, invitation(reader.address, next())), ({ id }) => ({ MESSAGE: id })),
  "claims.one": (reader) => Effect.map(mail(reader), ({ id }) => ({ MESSAGE: id })),
  "claims.next": (reader) => Effect.as(mail(reader), {}),
  "attachments.remove": (reader) => Effect.map(upload(reader), (ATTACHMENT) => ({ ATTACHMENT })),
  "attachments.download": (reader) =>
    Effect.gen(function* () {
      const ATTACHMENT = yield* attachment(reader)
      const { url } = read(Link, yield* reader.call(`GET /v1/attachments/${ATTACHMENT}`))
      return { ATTACHMENT, DOWNLOAD_URL: url }
    }),
  "domains.create": () => Effect.sync(() => ({ DOMAIN_NAME: `${freshName()}.dev` })),
  "webhooks.delivery": delivered,
  "webhooks.redeliver": delivered,
  "webhooks.deliveries": delivered,
  "addressLists.removeFromMailbox": (reader) =>
    Effect.map(
      made(reader, `/v1/mailboxes/${reader.mailboxId}/lists/receive/block`, "entry", {
        entry: `${freshName()}@corp.org`,
      }),
      (ENTRY) => ({ ENTRY }),
    ),
}

const byGroup: Readonly<Record<string, Make>> = {
  messages: (reader) => Effect.map(mail(reader), ({ id }) => ({ MESSAGE: id })),
  waits: (reader) => Effect.as(mail(reader), {}),
  threads: (reader) => Effect.map(mail(reader), ({ threadId }) => ({ THREAD: threadId })),
  drafts: (reader) =>
    Effect.map(
      made(reader, `/v1/mailboxes/${reader.mailboxId}/drafts`, "draft", {
        to: ["bob@corp.org"],
        subject: "Your order",
        bodyText: "It will leave tomorrow.",
      }),
      (DRAFT) => ({ DRAFT }),
    ),
  reviews: held,
  claims: claimed,
  keys: (reader) => Effect.map(made(reader, "/v1/api-keys", null, { name: freshName() }), (KEY) => ({ KEY })),
  attachments: (reader) => Effect.map(attachment(reader), (ATTACHMENT) => ({ ATTACHMENT })),
  domains: (reader) =>
    Effect.map(made(reader, "/v1/domains", "domain", { domain: `${freshName()}.dev` }), (DOMAIN) => ({
      DOMAIN,
    })),
  suppressions: (reader) =>
    Effect.map(
      made(reader, "/v1/suppressions", "suppression", { email: `${freshName()}@corp.org` }),
      (SUPPRESSION) => ({ SUPPRESSION }),
    ),
  addressLists: (reader) =>
    Effect.map(
      made(reader, "/v1/lists/receive/block", "entry", { entry: `@${freshName()}.example` }),
      (ENTRY) => ({ ENTRY }),
    ),
  webhooks: (reader) => Effect.map(webhook(reader), (WEBHOOK) => ({ WEBHOOK })),
}

const nothing: Make = () => Effect.succeed({})

/** What the variables of an operation's example stand for. */
export const valuesFor = (reader: Reader, operationId: string): Effect.Effect<Values> => {
  const [group = ""] = operationId.split(".")
  const make = byOperation[operationId] ?? byGroup[group] ?? nothing
  return Effect.map(make(reader), (values) => ({ ...as(reader), ...values }))
}

/** A reader whose account can do everything. */
export const wholeReader = (server: Server, slug: string): Effect.Effect<Reader> =>
  newReader(server, slug).pipe(Effect.flatMap(verified), Effect.flatMap(paying))
