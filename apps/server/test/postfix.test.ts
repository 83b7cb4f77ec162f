/**
 * Mail goes out through a real Postfix, set up as docs/operations.md says, and its bounces come back. Runs where Postfix is
 * installed and may be started.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  eventually,
  freePort,
  postfixAvailable,
  postfixServer,
  WORLD_ADDRESS,
  WORLD_DOMAIN,
} from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { simpleParser } from "mailparser"
import { spawnSync } from "node:child_process"
import { linkToken, PASSWORD } from "./support/account.js"
import { call, read } from "./support/http.js"
import { OneMessage } from "./support/messages.js"
import { freshServer } from "./support/server.js"

const ADMIN_TOKEN = "the-operators-token-of-this-test"

const SignedUp = Schema.Struct({ api_key: Schema.Struct({ key: Schema.String }) })
const Mailboxes = Schema.Struct({ mailboxes: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Dkim = Schema.Struct({
  dnsRecords: Schema.Struct({
    dkim: Schema.Array(Schema.Struct({ host: Schema.String, value: Schema.String })),
  }),
})
const Events = Schema.Struct({
  events: Schema.Array(Schema.Struct({ event: Schema.String, data: Schema.Unknown })),
})

const PYTHON = "/usr/bin/python3"
const hasDkimpy = spawnSync(PYTHON, ["-c", "import dkim"]).status === 0
const verifyWithDkimpy = `
import dkim, sys
key = sys.argv[1].encode()
print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: key))
`

/** The mail as it was signed: a Maildir has the line ends of files, and trace fields in front. */
const asSent = (mail: Buffer): Buffer =>
  Buffer.from(mail.toString("latin1").replace(/\r?\n/g, "\r\n"), "latin1")

describe.skipIf(!postfixAvailable)("mail through Postfix", () => {
  it.scopedLive(
    "arrives signed and is DELIVERED; to a user that nobody knows it bounces, and is not tried again",
    () =>
      Effect.gen(function* () {
        const smtpPort = yield* freePort
        const postfix = yield* postfixServer({
          mailroom: { domains: ["mailroom.localhost"], port: smtpPort },
        })
        const server = yield* freshServer({
          OUTBOUND_URL: `smtp://127.0.0.1:${postfix.port}`,
          SMTP_PORT: String(smtpPort),
          BILLING: "none",
          DEFAULT_PLAN: "Scale",
          ADMIN_TOKEN,
        })
        const arrived = (count: number) =>
          eventually(`${count} mails`, postfix.mailbox, ({ length }) => length >= count)

        const signedUp = yield* call(server, "POST /v1/signup", {
          body: { email: WORLD_ADDRESS, password: PASSWORD, slug: "acme" },
        })
        const { key } = read(SignedUp, signedUp).api_key
        const [verification] = yield* arrived(1)
        const { text } = yield* Effect.promise(() => simpleParser(verification ?? ""))
        yield* call(server, "POST /v1/auth/verify-email", { body: { token: linkToken(text) } })
        const [mailbox] = read(Mailboxes, yield* call(server, "GET /v1/mailboxes", { key })).mailboxes
        const path = `/v1/mailboxes/${mailbox?.id}/messages`

        const send = (to: string) =>
          Effect.map(
            call(server, `POST ${path}`, {
              key,
              body: {
                to: [to],
                subject: "Grüße aus dem Büro 👋",
                bodyText: ".\nA dot alone.",
                bodyHtml: "<p>Hello.</p>",
                attachments: [
                  {
                    filename: "日本語.txt",
                    contentType: "text/plain",
                    content: Buffer.from("bytes").toString("base64"),
                  },
                ],
              },
            }),
            (answer) => read(OneMessage, answer).message,
          )
        const known = yield* send(WORLD_ADDRESS)
        const unknown = yield* send(`nobody@${WORLD_DOMAIN}`)

        const mails = yield* arrived(2)
        const delivered = asSent(mails.find((mail) => mail.includes(known.messageId)) ?? Buffer.alloc(0))
        const operator = { key: ADMIN_TOKEN }
        const [record] = read(Dkim, yield* call(server, "GET /admin/v1/dkim", operator)).dnsRecords.dkim
        const { results } = yield* Effect.promise(() =>
          dkimVerify(delivered, {
            resolver: async (name) => (name === record?.host ? [[record.value]] : []),
          }),
        )
        expect(results.map(({ signingDomain, status }) => [signingDomain, status.result])).toEqual([
          ["mailroom.localhost", "pass"],
        ])
        if (hasDkimpy) {
          const dkimpy = spawnSync(PYTHON, ["-c", verifyWithDkimpy, record?.value ?? ""], {
            input: delivered,
          })
          expect(dkimpy.stdout.toString().trim()).toBe("True")
        }

        const statusOf = (id: string) =>
          Effect.map(
            call(server, `GET ${path}/${id}`, { key }),
            (answer) => read(OneMessage, answer).message.status,
          )
        yield* eventually("the report of delivery", statusOf(known.id), (status) => status === "DELIVERED")
        yield* eventually("the bounce", statusOf(unknown.id), (status) => status === "BOUNCED")
        const { events } = read(Events, yield* call(server, "GET /v1/events/log", { key }))
        const reports = events
          .filter(({ event }) => /delivered|bounced/.test(event))
          .sort((one, other) => (one.event < other.event ? -1 : 1))
        expect(reports).toMatchObject([
          {
            event: "message.bounced",
            data: {
              message_id: unknown.id,
              bounces: [{ recipient: `nobody@${WORLD_DOMAIN}`, status: "5.1.1", permanent: true }],
            },
          },
          { event: "message.delivered", data: { message_id: known.id, recipients: [WORLD_ADDRESS] } },
        ])
        const again = yield* call(server, `POST ${path}`, {
          key,
          body: { to: [`nobody@${WORLD_DOMAIN}`], subject: "Again", bodyText: "?" },
        })
        expect([again.status, again.json]).toMatchObject([400, { code: "RECIPIENT_SUPPRESSED" }])
      }),
  )
})
