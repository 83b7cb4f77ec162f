/** TLS before a relay gets a mail or a password (RFC 3207, RFC 4954). */
import { MINUTE } from "@mailroom/domain"
import { SmtpRelay } from "@mailroom/mail"
import { OutboundMail } from "@mailroom/engine"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { certificate, privateKey } from "./support/certificate.js"
import { sink } from "./support/sink.js"

const mail = Buffer.from("Subject: x\r\n\r\nhello\r\n")

const tls = { cert: certificate, key: privateKey, hideSTARTTLS: false } satisfies SMTPServerOptions

/** An address of this machine that the certificate does not name, and that we do not treat as loopback. */
const ELSEWHERE = "[::ffff:127.0.0.1]"

/** Sends one mail to a relay, and records whether it got TLS and the password. */
const sendTo = Effect.fnUntraced(function* (options: SMTPServerOptions, url: string, authorities?: string) {
  const seen: Array<{ readonly secure: boolean; readonly login: string }> = []
  const relay = yield* sink({
    ...options,
    allowInsecureAuth: true,
    onAuth: ({ method, password, username }, { secure }, callback) => {
      seen.push({ secure, login: `${method} ${username} ${password}` })
      callback(null, { user: username ?? "" })
    },
    onMailFrom: (_, { secure, user }, callback) => {
      if (typeof user !== "string") seen.push({ secure, login: "none" })
      callback()
    },
  })
  const outcome = yield* Effect.flatMap(OutboundMail, ({ send }) =>
    send({ from: "agent@mailroom.test", to: ["ada@example.org"], envelopeId: null }, mail, MINUTE),
  ).pipe(
    Effect.provide(
      SmtpRelay.layer({
        url: Redacted.make(url.replace("PORT", String(relay.port))),
        ...(authorities !== undefined && { authorities }),
      }),
    ),
    Effect.either,
  )
  return { outcome, seen, mails: relay.received.length }
})

const untrusted = {
  left: { _tag: "RelayUnavailable", reason: expect.stringContaining("certificate is not trusted") },
}

describe("TLS", () => {
  it.scopedLive("uses STARTTLS where the relay offers it", () =>
    Effect.gen(function* () {
      const { mails, seen } = yield* sendTo(tls, "smtp://localhost:PORT", certificate)
      expect([mails, seen]).toEqual([1, [{ secure: true, login: "none" }]])
    }),
  )

  it.scopedLive("is implicit with smtps:", () =>
    Effect.gen(function* () {
      const { mails, seen } = yield* sendTo({ ...tls, secure: true }, "smtps://localhost:PORT", certificate)
      expect([mails, seen]).toEqual([1, [{ secure: true, login: "none" }]])
    }),
  )

  for (const [protocol, secure] of [
    ["smtp", false],
    ["smtps", true],
  ] as const)
    it.scopedLive(
      `${protocol}: a certificate that nobody vouches for is not trusted, and not tried again`,
      () =>
        Effect.gen(function* () {
          const { mails, outcome, seen } = yield* sendTo(
            { ...tls, secure },
            `${protocol}://u:p@localhost:PORT`,
          )
          expect(outcome).toMatchObject(untrusted)
          expect([mails, seen]).toEqual([0, []])
        }),
    )

  it.scopedLive("does not trust a certificate of another host", () =>
    Effect.gen(function* () {
      const { mails, outcome } = yield* sendTo(tls, `smtp://${ELSEWHERE}:PORT`, certificate)
      expect(outcome).toMatchObject(untrusted)
      expect(mails).toBe(0)
    }),
  )
})

describe("a login", () => {
  for (const method of ["PLAIN", "LOGIN"])
    it.scopedLive(`goes as AUTH ${method}, after STARTTLS`, () =>
      Effect.gen(function* () {
        const options = { ...tls, authMethods: [method] }
        const { mails, seen } = yield* sendTo(options, "smtp://us%40er:p%3Ass@localhost:PORT", certificate)
        expect([mails, seen]).toEqual([1, [{ secure: true, login: `${method} us@er p:ss` }]])
      }),
    )

  it.scopedLive("needs TLS, except to a loopback address", () =>
    Effect.gen(function* () {
      const { mails, outcome, seen } = yield* sendTo({}, `smtp://user:hunter2@${ELSEWHERE}:PORT`)
      expect(outcome).toMatchObject({ left: { _tag: "RelayUnavailable" } })
      expect([mails, seen]).toEqual([0, []])
    }),
  )
})
