/** What the relay of OUTBOUND_URL gets. */
import { expect, layer } from "@effect/vitest"
import { eventually } from "@mailroom/test-services"
import { Context, Effect, Layer } from "effect"
import { simpleParser } from "mailparser"
import { linkToken, signUp } from "./support/account.js"
import { call } from "./support/http.js"
import { type RelaySink, relaySink } from "./support/relaySink.js"
import { SharedServer } from "./support/server.js"

class Relay extends Context.Tag("test/Relay")<Relay, RelaySink>() {}

const relayed = Layer.unwrapScoped(
  Effect.map(relaySink, (sink) =>
    Layer.merge(
      Layer.succeed(Relay, sink),
      SharedServer.layer({ OUTBOUND_URL: sink.url, BILLING: "none", DEFAULT_PLAN: "Scale" }),
    ),
  ),
)

/** An account that is verified with the link in the mail to the relay. */
const owner = Effect.fn(function* (slug: string) {
  const server = yield* SharedServer
  const relay = yield* Relay
  const account = yield* signUp(server, slug)
  const mail = yield* relay.firstTo(account.email)
  const { text } = yield* Effect.promise(() => simpleParser(mail.raw))
  yield* call(server, "POST /v1/auth/verify-email", { body: { token: linkToken(text) } })
  return account
})

layer(relayed, { excludeTestServices: true })("sending through a relay", (it) => {
  it.scoped("the verification mail goes through the relay, and nothing is kept for /dev/outbox", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* owner("relay-one")
      expect((yield* account.call("GET /v1/account")).json).toMatchObject({
        account: { emailVerified: true, plan: "Scale", state: "active" },
      })
      expect((yield* call(server, "GET /dev/outbox")).status).toBe(404)
    }),
  )

  it.scoped("the relay gets one envelope for each recipient, and bcc appears in no header", () =>
    Effect.gen(function* () {
      const relay = yield* Relay
      const account = yield* owner("relay-two")
      const sent = yield* account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
        body: {
          to: ["ann@partner.dev"],
          cc: ["cy@partner.dev"],
          bcc: ["secret@partner.dev"],
          subject: "Grüße",
          bodyText: "Hello.\n.\nA dot alone.",
          bodyHtml: "<p>Hello.</p>",
          headers: { "X-Custom-Run": "17" },
          attachments: [
            {
              filename: "a.txt",
              contentType: "text/plain",
              content: Buffer.from("bytes").toString("base64"),
            },
          ],
        },
      })
      expect(sent.status).toBe(201)
      const recipients = ["ann@partner.dev", "cy@partner.dev", "secret@partner.dev"]
      const [mail, ...others] = yield* Effect.forEach(recipients, relay.firstTo)
      expect([mail?.to, ...others.map(({ to }) => to)]).toEqual(recipients.map((to) => [to]))
      expect(others.map(({ raw }) => raw)).toEqual([mail?.raw, mail?.raw])
      if (mail === undefined) return
      expect(mail.raw).not.toMatch(/secret@partner\.dev|^bcc:/im)
      const parsed = yield* Effect.promise(() => simpleParser(mail.raw))
      expect(parsed.from?.text).toContain(account.address)
      expect(parsed.subject).toBe("Grüße")
      expect(parsed.text?.replaceAll("\r\n", "\n").trim()).toBe("Hello.\n.\nA dot alone.")
      expect(parsed.headers.get("x-custom-run")).toBe("17")
      expect(parsed.attachments.map(({ filename, content }) => [filename, content.toString()])).toEqual([
        ["a.txt", "bytes"],
      ])
      expect(sent.json).toMatchObject({ message: { status: "SENT", messageId: parsed.messageId } })
    }),
  )

  it.scoped("a mailbox on the platform is reached without the relay", () =>
    Effect.gen(function* () {
      const relay = yield* Relay
      const account = yield* owner("relay-three")
      const sent = yield* account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
        body: { to: [account.address, "far@partner.dev"], subject: "to both", bodyText: "x" },
      })
      expect(sent.status).toBe(201)
      expect((yield* relay.firstTo("far@partner.dev")).to).toEqual(["far@partner.dev"])
      const inbound = `GET /v1/mailboxes/${account.mailboxId}/messages?direction=INBOUND`
      const listed = yield* eventually("the mail is there", account.call(inbound), ({ text }) =>
        text.includes("to both"),
      )
      expect(listed.json).toMatchObject({ messages: [{ subject: "to both", fromAddress: account.address }] })
    }),
  )
})
