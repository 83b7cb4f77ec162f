/** The main path of a user on a running server, from signup to a conversation. */
import { expect, layer } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { createHmac } from "node:crypto"
import { createTransport } from "nodemailer"
import { type Account, signUp, verificationToken, verifiedAccount, verify } from "./support/account.js"
import { openStream } from "./support/eventStream.js"
import { call, read } from "./support/http.js"
import { arrived, arrivedAs, type Message, messages, OneMessage } from "./support/messages.js"
import { type Server, SharedServer } from "./support/server.js"
import { webhookReceiver } from "./support/webhookReceiver.js"

const report = "quarter;sum\r\nQ3;1200\r\n"
const logo = Buffer.from("89504e470d0a1a0a00ff00ff", "hex")

/** A mail as a mail program writes it: text, HTML with an inline image, an attachment with a name beyond ASCII. */
const mailFrom = (server: Server, from: string, account: Account) =>
  Effect.promise(() =>
    createTransport({ host: "127.0.0.1", port: server.smtpPort, secure: false, ignoreTLS: true }).sendMail({
      from: `"Zoë Bob" <${from}>`,
      to: account.address,
      subject: "The figures – Q3",
      messageId: `<figures@${account.slug}.dev>`,
      text: "Here they are: 1200 €.",
      html: `<p>Here they are: <b>1200 €</b><img src="cid:logo@corp"></p>`,
      attachments: [
        { filename: "übersicht.csv", content: report, contentType: "text/csv" },
        { filename: "logo.png", content: logo, cid: "logo@corp" },
      ],
    }),
  )

const reply = (account: Account, message: Message, to = message.fromAddress) =>
  account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
    body: { to: [to], subject: "Re: The figures – Q3", bodyText: "Thanks!", inReplyTo: message.id },
  })

const EventAttachments = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    filename: Schema.String,
    content_type: Schema.String,
    size_bytes: Schema.Int,
    content_id: Schema.NullOr(Schema.String),
    download_url: Schema.String,
  }),
)

const bytesOf = (url: string) =>
  Effect.promise(async () => Buffer.from(await (await fetch(url)).arrayBuffer()))

layer(SharedServer.layer({ WEBHOOK_ALLOW_PRIVATE: "true" }), { excludeTestServices: true })(
  "the user story",
  (it) => {
    it.scoped("a mail over SMTP is read over HTTP, its text, HTML and attachments as they were sent", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, "reader")
        yield* mailFrom(server, "zoe@corp.org", account)
        const [listed] = yield* arrived(account, 1)
        const answer = yield* account.call(`GET /v1/mailboxes/${account.mailboxId}/messages/${listed?.id}`)
        expect(answer.status).toBe(200)
        expect(answer.json).toMatchObject({
          message: {
            direction: "INBOUND",
            status: "RECEIVED",
            fromAddress: "zoe@corp.org",
            fromName: "Zoë Bob",
            toAddresses: [account.address],
            subject: "The figures – Q3",
            bodyHtml: `<p>Here they are: <b>1200 €</b><img src="cid:logo@corp"></p>`,
            hasAttachments: true,
          },
        })
        const { message } = read(OneMessage, answer)
        expect(message.bodyText?.trim()).toBe("Here they are: 1200 €.")
        expect(message.attachments.map(({ filename }) => filename).sort()).toEqual([
          "logo.png",
          "übersicht.csv",
        ])
      }),
    )

    it.scoped(
      "the event on the stream has the message, and links that lead to the bytes of its attachments",
      () =>
        Effect.gen(function* () {
          const server = yield* SharedServer
          const account = yield* signUp(server, "listener")
          const stream = yield* openStream(server, account.key)
          yield* mailFrom(server, "zoe@corp.org", account)
          const [frame] = yield* stream.received(1)
          expect(frame?.id).toMatch(/^\d{13}-\d+-[0-9a-f]{4}$/)
          const [stored] = yield* messages(account)
          expect(frame).toMatchObject({
            event: "message.received",
            data: {
              event: "message.received",
              data: { message_id: stored?.id, mailbox_address: account.address, from: "zoe@corp.org" },
            },
          })
          const attachments = Schema.decodeUnknownSync(EventAttachments)(frame?.data.data["attachments"])
          const contents = yield* Effect.forEach(
            attachments,
            ({ filename, content_id, size_bytes, download_url }) =>
              Effect.map(bytesOf(download_url), (bytes) => ({ filename, content_id, size_bytes, bytes })),
          )
          expect(contents).toContainEqual({
            filename: "übersicht.csv",
            content_id: null,
            size_bytes: report.length,
            bytes: Buffer.from(report),
          })
          expect(contents).toContainEqual({
            filename: "logo.png",
            content_id: "logo@corp",
            size_bytes: logo.length,
            bytes: logo,
          })
        }),
    )

    it.scoped("a webhook is posted once, with the stream's envelope and a signature over the raw body", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, "hooked")
        const receiver = yield* webhookReceiver
        const created = yield* account.call("POST /v1/webhooks", {
          body: { url: receiver.url, events: ["message.received"], headers: { "X-Agent": "seven" } },
        })
        const { webhook } = read(
          Schema.Struct({ webhook: Schema.Struct({ secret: Schema.String }) }),
          created,
        )
        const stream = yield* openStream(server, account.key)
        yield* mailFrom(server, "zoe@corp.org", account)
        const [delivery] = yield* receiver.received(1)
        const headers = delivery?.headers ?? {}
        const body = delivery?.body ?? ""
        expect(headers["x-service-signature"]).toBe(
          createHmac("sha256", webhook.secret).update(body).digest("hex"),
        )
        const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
        const key = Buffer.from(webhook.secret.replace("whsec_", ""), "base64")
        expect(headers["webhook-signature"]).toBe(
          `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
        )
        expect(headers).toMatchObject({
          "content-type": "application/json",
          "x-service-event": "message.received",
          "x-service-delivery-id": headers["webhook-id"],
          "x-agent": "seven",
        })
        const [frame] = yield* stream.received(1)
        const withoutLinks = (text: string) => text.replace(/"download_url":"[^"]*"/g, "")
        expect(withoutLinks(body)).toBe(withoutLinks(JSON.stringify(frame?.data)))
        // Another mail, another delivery: had the first one been posted twice, it would be among them.
        yield* deliver(server.smtpPort, account.address, plainMail("second"))
        const ids = (yield* receiver.received(2)).map((each) => each.headers["x-service-delivery-id"])
        expect(new Set(ids).size).toBe(2)
      }),
    )

    it.scoped("before the owner has verified, mail is received but a send is refused with 403", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, "unverified")
        yield* deliver(server.smtpPort, account.address, plainMail("early"))
        const message = yield* arrivedAs(account, "early")
        expect((yield* reply(account, message)).status).toBe(403)
      }),
    )

    it.scoped("the link of the verification mail shows a page, and verifies once its button is pressed", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, "owner-one")
        const token = yield* verificationToken(server, account)
        const state = Effect.map(account.call("GET /v1/account"), ({ json }) => json)
        expect((yield* call(server, `GET /v1/auth/verify-email?token=${token}`)).text).toContain("<button>")
        expect(yield* state).toMatchObject({ account: { emailVerified: false, state: "unverified" } })
        const verified = yield* verify(server, account)
        expect(verified.json).toMatchObject({ ok: true })
        expect(yield* state).toMatchObject({ account: { emailVerified: true, state: "trial" } })
        const other = yield* call(server, "POST /v1/auth/verify-email", { body: { token: `${token}x` } })
        expect(other.status).toBe(400)
      }),
    )

    it.scoped("a reply and its answers are one thread, and the reply names what it answers", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* verifiedAccount(server, "talker")
        yield* mailFrom(server, account.email, account)
        const [question] = yield* arrived(account, 1)
        if (question === undefined) return
        const sent = yield* reply(account, question)
        expect(sent.status).toBe(201)
        const { message: answer } = read(OneMessage, sent)
        expect(answer).toMatchObject({
          status: "SENT",
          direction: "OUTBOUND",
          inReplyTo: question.messageId,
          threadId: question.threadId,
        })
        yield* deliver(
          server.smtpPort,
          account.address,
          plainMail("Re:-figures", `In-Reply-To: ${answer.messageId}`, `References: ${answer.messageId}`),
        )
        const followUp = yield* arrivedAs(account, "Re:-figures")
        expect(followUp.threadId).toBe(question.threadId)
        const thread = yield* account.call(
          `GET /v1/mailboxes/${account.mailboxId}/threads/${question.threadId}`,
        )
        expect(thread.json).toMatchObject({
          thread: {
            messageCount: 3,
            messages: [{ id: question.id }, { id: answer.id }, { id: followUp.id }],
          },
        })
      }),
    )

    it.scoped("an account in its trial writes to anybody once the checkout is completed", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* verifiedAccount(server, "payer")
        yield* deliver(server.smtpPort, account.address, plainMail("offer"))
        const message = yield* arrivedAs(account, "offer")
        const locked = yield* reply(account, message)
        expect(locked.status).toBe(402)
        expect(locked.json).toMatchObject({ payment_required: true, code: "TRIAL_RECIPIENT_LOCKED" })
        const upgrade = yield* account.call("POST /v1/billing/upgrade")
        const { checkout_url } = read(Schema.Struct({ checkout_url: Schema.String }), upgrade)
        const path = checkout_url.replace(/^http:\/\/localhost:\d+/, "")
        expect((yield* call(server, `POST ${path}/complete`)).json).toEqual({ ok: true, plan: "Developer" })
        expect((yield* reply(account, message)).status).toBe(201)
        expect((yield* call(server, `POST ${path}/complete`)).status).toBe(410)
      }),
    )

    it.scoped("a lost key is replaced by signing in with the password", () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, "forgetful")
        const { email, password } = account
        const signedIn = yield* call(server, "POST /api/auth/sign-in/email", { body: { email, password } })
        const cookie = signedIn.headers.get("set-cookie") ?? ""
        expect(cookie).toMatch(/HttpOnly/i)
        const made = yield* call(server, "POST /v1/api-keys", {
          body: { name: "new" },
          headers: { cookie: cookie.split(";")[0] ?? "" },
        })
        expect(made.status).toBe(201)
        const { key } = read(Schema.Struct({ key: Schema.String }), made)
        const listed = yield* call(server, "GET /v1/api-keys", { key })
        const { keys } = read(
          Schema.Struct({ keys: Schema.Array(Schema.Struct({ id: Schema.String, prefix: Schema.String })) }),
          listed,
        )
        const lost = keys.find(({ prefix }) => account.key.startsWith(prefix))
        expect((yield* call(server, `DELETE /v1/api-keys/${lost?.id}`, { key })).status).toBe(200)
        expect((yield* account.call("GET /v1/account")).status).toBe(401)
      }),
    )
  },
)
