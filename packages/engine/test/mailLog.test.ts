/** The log lines about mail and sign-ins (docs/operations.md, The log): ids, addresses and reasons, and no content. */
import { describe, expect } from "@effect/vitest"
import { unreadableMail } from "@mailroom/domain"
import { Authentication, Engine, MimeParser } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { logLinesOf } from "@mailroom/test-services"
import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { accepted, aMail, received, SENDER } from "./support/arrivals.js"
import { rule, ruleUnder, ruleWith } from "./support/mailroom.js"
import { aSignup, paying, unverified, verified } from "./support/owners.js"
import { newest } from "./support/reading.js"
import { deliveryReport, returned, returnPathOf } from "./support/reports.js"
import { RECIPIENT, send } from "./support/sends.js"

/** A parser whose threads no mail survives. */
const brokenParser = Layer.succeed(MimeParser, {
  parseFast: (raws) => Effect.succeed(raws.map(() => Option.none())),
  parse: (raws) => Effect.succeed(raws.map(() => unreadableMail("the parser stopped"))),
})

const id = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe("mail that comes in", () => {
  rule(
    "has a line when it is accepted and one when it is delivered, with the same raw id",
    Effect.gen(function* () {
      const owner = yield* verified()
      const lines = yield* logLinesOf(received(owner.address, { subject: "Private", text: "Secret text" }))
      expect(lines).toEqual([
        {
          level: "INFO",
          said: [
            "mail accepted",
            {
              rawId: id,
              from: SENDER,
              to: [owner.address],
              bytes: expect.any(Number),
              client: "203.0.113.9",
              helo: "mail.elsewhere.org",
              tls: true,
            },
          ],
        },
        {
          level: "INFO",
          said: [
            "mail delivered",
            {
              rawId: id,
              messageId: id,
              accountId: id,
              mailboxId: owner.mailboxId,
              from: SENDER,
              to: owner.address,
              afterMs: 0,
            },
          ],
        },
      ])
      expect(JSON.stringify(lines)).not.toMatch(/Private|Secret/)
    }),
  )

  ruleWith(brokenParser)(
    "has a warning when it is delivered without its body",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const lines = yield* logLinesOf(received(owner.address))
      expect(lines.filter(({ level }) => level === "WARN")).toEqual([
        {
          level: "WARN",
          said: [
            "A mail was delivered without its body",
            {
              rawId: id,
              messageId: (yield* newest(owner)).id,
              accountId: id,
              mailboxId: owner.mailboxId,
              reason: "the parser stopped",
            },
          ],
        },
      ])
    }),
  )

  rule(
    "has a line with the reason when it is discarded",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* received(owner.address, { id: "<same@elsewhere.org>" })
      yield* accepted(owner.address, aMail({ id: "<same@elsewhere.org>" }))
      const [line] = yield* logLinesOf(Engine.settle)
      expect(line?.said).toEqual([
        "mail discarded",
        {
          rawId: id,
          from: SENDER,
          to: [owner.address],
          reason: "stored already, or no recipient has a mailbox any more",
        },
      ])
    }),
  )

  ruleUnder({ postmasterEmail: "ops@provider.dev" })(
    "is not called discarded when it is passed on to the operator",
    Effect.gen(function* () {
      yield* accepted("postmaster@mailroom.localhost", aMail({ id: "<help@elsewhere.org>" }))
      const lines = yield* logLinesOf(Engine.settle)
      expect(lines.map(({ said }) => said[0])).not.toContain("mail discarded")
    }),
  )

  rule(
    "is explained at the log level debug",
    Effect.gen(function* () {
      const owner = yield* verified()
      const lines = yield* logLinesOf(received(owner.address)).pipe(
        Effect.provide(Logger.minimumLogLevel(LogLevel.Debug)),
      )
      expect(lines.filter(({ level }) => level === "DEBUG")).toMatchObject([
        { said: ["why a mail was delivered this way", { messageId: id, gate: "none", files: 0 }] },
      ])
    }),
  )
})

describe("mail that leaves", () => {
  rule(
    "has a line for each recipient, with the answer of the relay",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { answer } = yield* MemoryRelay
      yield* answer("gone@elsewhere.org", "550 5.1.1 No such user")
      const to = [RECIPIENT, "gone@elsewhere.org", owner.address]
      const lines = yield* logLinesOf(send(owner, { to }))
      const about = {
        messageId: id,
        accountId: id,
        mailboxId: owner.mailboxId,
        from: owner.address,
      }
      expect(lines.map(({ said }) => said)).toEqual([
        ["mail sent", { ...about, to: RECIPIENT, answer: expect.stringMatching(/^250 /), tookMs: 0 }],
        [
          "mail refused by the relay",
          { ...about, to: "gone@elsewhere.org", answer: "550 5.1.1 No such user", tookMs: 0 },
        ],
        ["mail bounced", expect.objectContaining({ to: "gone@elsewhere.org", suppressed: "BOUNCE" })],
        ["mail sent", { ...about, to: [owner.address], answer: "delivered inside" }],
      ])
    }),
  )

  rule(
    "has a warning with the reason when the relay is unavailable",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* (yield* MemoryRelay).reachable(false)
      const lines = yield* logLinesOf(Effect.exit(send(owner)))
      expect(lines).toMatchObject([
        {
          level: "WARN",
          said: [
            "the relay is unavailable; the mail was not sent",
            { answer: "no connection to the relay", to: RECIPIENT },
          ],
        },
        {
          level: "INFO",
          said: ["send refused", { reason: "RelayUnavailable", code: "RELAY_UNAVAILABLE", to: [RECIPIENT] }],
        },
      ])
    }),
  )

  rule(
    "and bounces has one line with the status of the report",
    Effect.gen(function* () {
      const owner = yield* paying()
      const { content } = yield* send(owner)
      const returnPath = yield* returnPathOf()
      const twice = Effect.repeatN(returned(returnPath, deliveryReport({})), 1)
      const bounces = (yield* logLinesOf(twice)).filter(({ said }) => said[0] === "mail bounced")
      expect(bounces.map(({ said }) => said)).toEqual([
        [
          "mail bounced",
          {
            messageId: content.id,
            accountId: id,
            mailboxId: owner.mailboxId,
            to: RECIPIENT,
            status: "5.1.1",
            diagnostic: "550 5.1.1 No such user",
            suppressed: "BOUNCE",
          },
        ],
      ])
    }),
  )
})

describe("a sign-in", () => {
  rule(
    "has a line with the account; a refused one names neither email nor password",
    Effect.gen(function* () {
      yield* verified()
      const { signIn } = yield* Authentication
      const { email, password } = aSignup("acme")
      const right = yield* logLinesOf(signIn(email, password, "192.0.2.7"))
      const wrong = yield* logLinesOf(Effect.exit(signIn(email, "not it", "192.0.2.7")))
      expect([...right, ...wrong].map(({ said }) => said)).toEqual([
        ["signed in", { client: "192.0.2.7", accountId: id }],
        ["sign-in refused", { client: "192.0.2.7", reason: "wrong email or password" }],
      ])
    }),
  )
})
