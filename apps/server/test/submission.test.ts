/**
 * Mail clients and libraries as they are, against the server as it runs: what they submit arrives at the relay, signed and
 * with its body unchanged. Python, curl and swaks are tested where they are installed.
 */
import { describe, expect, layer } from "@effect/vitest"
import { certificate, privateKey, freePort, temporaryFolder } from "@mailroom/test-services"
import { Context, Effect, Layer, Schema } from "effect"
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { simpleParser } from "mailparser"
import { createTransport } from "nodemailer"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Account, linkToken, signUp } from "./support/account.js"
import { call, read } from "./support/http.js"
import { messages } from "./support/messages.js"
import { type RelaySink, relaySink } from "./support/relaySink.js"
import { SharedServer } from "./support/server.js"
import { isInstalled, run } from "./support/submitting.js"

const ADMIN_TOKEN = "the-operators-token-of-this-test"

class Submission extends Context.Tag("test/Submission")<
  Submission,
  {
    readonly relay: RelaySink
    /** with STARTTLS, and with TLS from the first byte */
    readonly ports: { readonly startTls: number; readonly tls: number }
    /** file of the server's certificate */
    readonly authority: string
  }
>() {}

const world = Layer.unwrapScoped(
  Effect.gen(function* () {
    const relay = yield* relaySink
    const folder = yield* temporaryFolder
    const [authority, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    yield* Effect.promise(() => Promise.all([writeFile(authority, certificate), writeFile(key, privateKey)]))
    const ports = { startTls: yield* freePort, tls: yield* freePort }
    return Layer.merge(
      Layer.succeed(Submission, { relay, ports, authority }),
      SharedServer.layer({
        OUTBOUND_URL: relay.url,
        BILLING: "none",
        DEFAULT_PLAN: "Scale",
        ADMIN_TOKEN,
        SUBMISSION_PORT: String(ports.startTls),
        SUBMISSIONS_PORT: String(ports.tls),
        SMTP_TLS_CERT: authority,
        SMTP_TLS_KEY: key,
      }),
    )
  }),
)

/** A verified owner. */
const owner = Effect.fn(function* (slug: string) {
  const server = yield* SharedServer
  const { relay } = yield* Submission
  const account = yield* signUp(server, slug)
  const { raw } = yield* relay.firstTo(account.email)
  const { text } = yield* Effect.promise(() => simpleParser(raw))
  yield* call(server, "POST /v1/auth/verify-email", { body: { token: linkToken(text) } })
  return account
})

const Dkim = Schema.Struct({
  dnsRecords: Schema.Struct({
    dkim: Schema.Array(Schema.Struct({ host: Schema.String, value: Schema.String })),
  }),
})

/** The mail that the relay got for an address. Its signature is checked. */
const relayedTo = Effect.fn(function* (to: string) {
  const { relay } = yield* Submission
  const server = yield* SharedServer
  const mail = yield* relay.firstTo(to)
  const records = read(Dkim, yield* call(server, "GET /admin/v1/dkim", { key: ADMIN_TOKEN })).dnsRecords.dkim
  const { results } = yield* Effect.promise(() =>
    dkimVerify(Buffer.from(mail.raw, "latin1"), {
      resolver: async (name) => records.flatMap(({ host, value }) => (host === name ? [[value]] : [])),
    }),
  )
  expect(results.map(({ status }) => status.result)).toEqual(["pass"])
  return { ...mail, parsed: yield* Effect.promise(() => simpleParser(Buffer.from(mail.raw, "latin1"))) }
})

/** The subjects of the account's sent messages. */
const sentBy = (account: Account) =>
  Effect.map(messages(account), (list) => list.map(({ subject }) => subject))

const pythonClient = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, tls_port, authority, user, key = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
def mail(subject, to, bcc):
    message = EmailMessage()
    message["From"], message["To"], message["Bcc"], message["Subject"] = user, to, bcc, subject
    message.set_content("Grüße\\n.\\nA dot alone.")
    message.add_attachment(b"bytes", maintype="application", subtype="octet-stream", filename="a.bin")
    return message
with smtplib.SMTP("localhost", int(port)) as client:
    client.starttls(context=context)
    client.login(user, key)
    client.send_message(mail("Python with STARTTLS", "python@partner.dev", "blind-python@partner.dev"))
    try:
        client.sendmail("eve@partner.dev", ["python@partner.dev"], "Subject: forged\\r\\n\\r\\n")
    except smtplib.SMTPSenderRefused as refusal:
        print(refusal.smtp_code, refusal.smtp_error.decode())
with smtplib.SMTP_SSL("localhost", int(tls_port), context=context) as client:
    client.login(user, key)
    client.send_message(mail("Python with TLS", "python-tls@partner.dev", ""))
try:
    smtplib.SMTP("localhost", int(port)).login(user, "mr_wrong")
except smtplib.SMTPAuthenticationError as refusal:
    print(refusal.smtp_code)
`

layer(world, { excludeTestServices: true })("submission", (it) => {
  it.scoped("nodemailer sends in a few lines, with blind copies and an image in the HTML", () =>
    Effect.gen(function* () {
      const { ports } = yield* Submission
      const account = yield* owner("sub-nodemailer")
      const auth = { user: account.address, pass: account.key }
      const tls = { ca: certificate, servername: "localhost" }
      const html = '<p>Hello <img src="cid:logo"></p>'
      const mail = {
        from: { name: "Agent Ä", address: account.address },
        to: "ann@partner.dev",
        bcc: "blind@partner.dev",
        subject: "Grüße",
        text: "Hello",
        html,
        attachments: [{ filename: "logo.png", content: Buffer.from("png"), cid: "logo" }],
      }
      const startTls = createTransport({
        host: "127.0.0.1",
        port: ports.startTls,
        requireTLS: true,
        auth,
        tls,
      })
      const sent = yield* Effect.promise(() => startTls.sendMail(mail))
      expect(sent.response).toMatch(/^250 2\.0\.0 sent as /)
      const relayed = yield* relayedTo("ann@partner.dev")
      expect(relayed.parsed).toMatchObject({
        subject: "Grüße",
        messageId: sent.messageId,
        from: { value: [{ name: "Agent Ä", address: account.address }] },
        attachments: [{ cid: "logo", filename: "logo.png" }],
      })
      expect(relayed.raw).not.toMatch(/blind@|^bcc:/im)
      expect((yield* relayedTo("blind@partner.dev")).raw).toBe(relayed.raw)
      const secure = createTransport({ host: "127.0.0.1", port: ports.tls, secure: true, auth, tls })
      const again = yield* Effect.promise(() => secure.sendMail({ ...mail, messageId: sent.messageId }))
      expect(again.response).toBe(sent.response)
      expect(yield* sentBy(account)).toEqual(["Grüße"])
    }),
  )

  it.scoped("a signed mail, as Thunderbird writes it, keeps every byte of its body", () =>
    Effect.gen(function* () {
      const { ports } = yield* Submission
      const account = yield* owner("sub-signed")
      const body = "--s\r\nContent-Type: text/plain; format=flowed\r\n\r\nsigned \r\n--s--\r\n"
      const raw = [
        "Message-ID: <signed@client.example>",
        `From: ${account.address}`,
        "To: signed@partner.dev",
        "User-Agent: Mozilla Thunderbird",
        'Content-Type: multipart/signed; boundary="s"; protocol="application/pgp-signature"',
        "",
        body,
      ].join("\r\n")
      const transport = createTransport({
        host: "127.0.0.1",
        port: ports.startTls,
        auth: { user: account.address, pass: account.key },
        tls: { ca: certificate, servername: "localhost" },
      })
      const envelope = { from: account.address, to: ["signed@partner.dev"] }
      yield* Effect.promise(() => transport.sendMail({ envelope, raw }))
      const relayed = yield* relayedTo("signed@partner.dev")
      expect(relayed.raw.slice(relayed.raw.indexOf("\r\n\r\n") + 4)).toBe(body)
      expect(relayed.raw).toContain("User-Agent: Mozilla Thunderbird")
    }),
  )

  describe.skipIf(!isInstalled("python3", "--version"))("(where python3 is installed)", () => {
    it.scoped("Python's smtplib sends with STARTTLS and with TLS, and names the refusals", () =>
      Effect.gen(function* () {
        const { ports, authority } = yield* Submission
        const account = yield* owner("sub-python")
        const args = [ports.startTls, ports.tls, authority, account.address, account.key].map(String)
        const { code, said } = yield* run("python3", ["-c", pythonClient, ...args])
        expect([code, said]).toEqual([
          0,
          `550 5.7.1 MAIL FROM must be ${account.address}, the mailbox that signed in, or empty\n535\n`,
        ])
        const { parsed, raw } = yield* relayedTo("python@partner.dev")
        expect(parsed.text?.replaceAll("\r\n", "\n").trim()).toBe("Grüße\n.\nA dot alone.")
        expect(parsed.attachments.map(({ filename, content }) => [filename, String(content)])).toEqual([
          ["a.bin", "bytes"],
        ])
        expect(raw).not.toContain("blind-python")
        yield* relayedTo("blind-python@partner.dev")
        yield* relayedTo("python-tls@partner.dev")
      }),
    )
  })

  describe.skipIf(!isInstalled("curl", "--version"))("(where curl is installed)", () => {
    it.scoped("curl uploads a mail, and shows the reply", () =>
      Effect.gen(function* () {
        const { ports, authority } = yield* Submission
        const account = yield* owner("sub-curl")
        const mail = `From: ${account.address}\r\nTo: curl@partner.dev\r\nSubject: curl\r\n\r\nHello\r\n`
        const { code, said } = yield* run(
          "curl",
          ["-sv", "--url", `smtp://localhost:${ports.startTls}`, "--ssl-reqd", "--cacert", authority].concat(
            ["--user", `${account.address}:${account.key}`, "--mail-from", account.address],
            ["--mail-rcpt", "curl@partner.dev", "--upload-file", "-"],
          ),
          mail,
        )
        expect([code, said]).toEqual([0, expect.stringMatching(/250 2\.0\.0 sent as /)])
        expect((yield* relayedTo("curl@partner.dev")).parsed.subject).toBe("curl")
      }),
    )
  })

  describe.skipIf(!isInstalled("swaks", "--version"))("(where swaks is installed)", () => {
    it.scoped("swaks signs in with PLAIN and with LOGIN", () =>
      Effect.gen(function* () {
        const { ports } = yield* Submission
        const account = yield* owner("sub-swaks")
        for (const mechanism of ["PLAIN", "LOGIN"]) {
          const to = `swaks-${mechanism.toLowerCase()}@partner.dev`
          const { code, said } = yield* run(
            "swaks",
            ["--server", `127.0.0.1:${ports.startTls}`, "--auth", mechanism, "--to", to].concat(
              ["--auth-user", account.address, "--auth-password", account.key, "--from", account.address],
              ["--header", `Subject: swaks ${mechanism}`, "--hide-all"],
            ),
          )
          expect([code, said]).toEqual([0, ""])
          expect((yield* relayedTo(to)).parsed.subject).toBe(`swaks ${mechanism}`)
        }
      }),
    )
  })

  it.scoped("the key is in no log line, and refusals are counted by their reply", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { ports } = yield* Submission
      const account = yield* owner("sub-logs")
      const transport = createTransport({
        host: "127.0.0.1",
        port: ports.startTls,
        ignoreTLS: true,
        auth: { user: account.address, pass: "mr_never_logged" },
      })
      const refused = yield* Effect.promise(() => transport.verify().then(() => "signed in", String))
      expect(refused).toMatch(/535 5\.7\.8/)
      const log = server.stdout()
      expect(log).toContain("submission refused")
      expect(log).not.toMatch(/mr_never_logged|bXJfbmV2ZXI/)
      expect(log).not.toContain(account.key)
      const { text } = yield* call(server, "GET /metrics", { key: ADMIN_TOKEN })
      expect(text).toMatch(/^mailroom_submissions_total\{reply="535 5\.7\.8"\} \d/m)
      expect(text).toMatch(/^mailroom_submissions_total\{reply="250 2\.0\.0"\} \d/m)
    }),
  )
})
