/** Sending a message (spec, Send rules; decisions §3, §5). */
import { describe } from "@effect/vitest"
import { MessagesPage } from "@mailroom/api"
import { SuppressionId } from "@mailroom/domain"
import { AccountStore, SuppressionStore } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { One, send } from "./support/sends.js"
import { rule } from "./support/service.js"

const list = ({ key, mailboxId }: Owner, query = "") =>
  ask(`GET /v1/mailboxes/${mailboxId}/messages${query}`, { key })
const subjects = (account: Owner, query = "") =>
  Effect.map(list(account, query), (answer) => read(MessagesPage)(answer).messages.map((one) => one.subject))

describe("POST /v1/mailboxes/{id}/messages", () => {
  rule("answers 201 with the message SENT, once the relay has it", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const answer = yield* send(account, {
        cc: ["eve@partner.dev"],
        bcc: ["dan@partner.dev"],
        labels: ["x"],
      })
      expect(answer.status).toBe(201)
      expect(read(One)(answer).message).toMatchObject({
        mailboxId: account.mailboxId,
        direction: "OUTBOUND",
        status: "SENT",
        messageId: expect.stringMatching(/^<.+@acme\.mailroom\.localhost>$/),
        fromAddress: account.address,
        toAddresses: ["bob@partner.dev"],
        ccAddresses: ["eve@partner.dev"],
        bccAddresses: ["dan@partner.dev"],
        labels: ["x"],
        sentAt: "1970-01-01T00:00:00.000Z",
        attachments: [],
      })
      const relayed = (yield* (yield* MemoryRelay).sent).slice(-3)
      expect(relayed.map(({ envelope }) => envelope.to)).toEqual([
        ["bob@partner.dev"],
        ["eve@partner.dev"],
        ["dan@partner.dev"],
      ])
    }),
  )

  rule("writes to display names, and shows an image where the HTML names its content id", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const answer = yield* send(account, {
        to: ["Bob <bob@partner.dev>"],
        cc: ['"Doe, Eve" <Eve@partner.dev>'],
        replyTo: "Desk <desk@acme.dev>",
        bodyHtml: '<img src="cid:logo">',
        attachments: [
          { filename: "logo.png", contentType: "image/png", content: "iVBORw0KGgo=", contentId: "<logo>" },
        ],
      })
      expect(answer.status).toBe(201)
      expect(read(One)(answer).message).toMatchObject({
        toAddresses: ["bob@partner.dev"],
        ccAddresses: ["eve@partner.dev"],
        replyTo: "desk@acme.dev",
        attachments: [{ filename: "logo.png", contentId: "logo" }],
      })
      const mail = (yield* (yield* MemoryRelay).sent).at(-1)
      const text = new TextDecoder().decode(mail?.raw)
      expect(text).toMatch(/^To: Bob <bob@partner\.dev>\r$/m)
      expect(text).toMatch(/^Cc: "Doe, Eve" <Eve@partner\.dev>\r$/m)
      expect(text).toMatch(/^Reply-To: Desk <desk@acme\.dev>\r$/m)
      expect(text).toMatch(/^Content-Id: <logo>\r$/im)
      expect(text).toContain("multipart/related")
    }),
  )

  for (const [path, value] of [
    ["to", undefined],
    ["to", []],
    ["to", "bob@partner.dev"],
    ["to.0", ["Bob <bob@partner.dev>, eve@partner.dev"]],
    ["to", Array.from({ length: 51 }, (_, index) => `bob${index}@partner.dev`)],
    ["subject", undefined],
    ["subject", ""],
    ["subject", "s".repeat(999)],
    ["subject", "Hello\r\nBcc: eve@evil.dev"],
    ["bodyText", ""],
    ["bodyText", 7],
    ["inReplyTo", "not an id"],
    ["replyTo", "nobody"],
    ["headers.X-Mailer", { "X-Mailer": "mine" }],
    ["labels.0", [""]],
  ] as const)
    rule(`answers 400 to ${path}: ${JSON.stringify(value)?.slice(0, 40)}`, () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const answer = yield* send(account, { [path.split(".")[0] ?? ""]: value })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        expect(answer.json).toMatchObject({
          issues: expect.arrayContaining([expect.objectContaining({ path })]),
        })
      }),
    )

  rule("takes a subject of 998 characters", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      expect((yield* send(account, { subject: "s".repeat(998) })).status).toBe(201)
    }),
  )

  rule("answers 403 before the owner's address is verified", () =>
    Effect.gen(function* () {
      const answer = yield* Effect.flatMap(signUp(), send)
      expect([answer.status, answer.json]).toEqual([
        403,
        { error: expect.any(String), code: "EMAIL_NOT_VERIFIED" },
      ])
    }),
  )

  rule("in the trial answers 402 to any recipient but the owner", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const answer = yield* send(account)
      expect(answer.status).toBe(402)
      expect(answer.json).toEqual({
        error: expect.stringContaining(account.email),
        payment_required: true,
        code: "TRIAL_RECIPIENT_LOCKED",
        upgrade: {
          browserUrl: expect.any(String),
          apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
          hint: expect.any(String),
        },
      })
    }),
  )

  rule("answers 402 once the trial's 10 sends are used", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      for (let sent = 0; sent < 10; sent++)
        expect((yield* send(account, { to: [account.email] })).status).toBe(201)
      const answer = yield* send(account, { to: [account.email] })
      expect(answer.status).toBe(402)
      expect(answer.json).toMatchObject({ code: "PAYMENT_REQUIRED", payment_required: true })
    }),
  )

  rule("answers 400 when the mailbox is not ACTIVE", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      yield* ask(`PATCH /v1/mailboxes/${account.mailboxId}`, { key: account.key, body: { status: "paused" } })
      const answer = yield* send(account)
      expect([answer.status, answer.json]).toEqual([
        400,
        { error: expect.stringContaining("paused"), code: "MAILBOX_NOT_ACTIVE" },
      ])
    }),
  )

  for (const address of ["ada@example.com", "ada@shop.test", "ada@mailinator.com"])
    rule(`answers 400 to ${address}, where nobody reads mail`, () =>
      Effect.gen(function* () {
        const answer = yield* Effect.flatMap(owner("active"), (account) => send(account, { to: [address] }))
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "RECIPIENT_NOT_ALLOWED", address })
      }),
    )

  rule("answers 400 to a suppressed recipient, and names the address", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { id: accountId } = Option.getOrThrow(yield* (yield* AccountStore).byEmail(account.email))
      const id = SuppressionId.make(ABSENT)
      const suppression = { id, accountId, email: "bob@partner.dev", reason: "BOUNCE", createdAt: 0 } as const
      yield* (yield* SuppressionStore).insert(suppression)
      const answer = yield* send(account)
      expect(answer.status).toBe(400)
      expect(answer.json).toEqual({
        error: expect.stringContaining("bob@partner.dev"),
        code: "RECIPIENT_SUPPRESSED",
        address: "bob@partner.dev",
      })
    }),
  )

  rule("answers 400 to an attachment that is not there", () =>
    Effect.gen(function* () {
      const answer = yield* Effect.flatMap(owner("active"), (account) =>
        send(account, { attachments: [ABSENT] }),
      )
      expect([answer.status, answer.json]).toEqual([
        400,
        { error: expect.stringContaining(ABSENT), code: "ATTACHMENT_NOT_FOUND" },
      ])
    }),
  )

  rule("answers 404 to a message of ours that it answers and that is not there", () =>
    Effect.gen(function* () {
      const answer = yield* Effect.flatMap(owner("active"), (account) => send(account, { inReplyTo: ABSENT }))
      expect(answer.json).toMatchObject({ code: "MESSAGE_NOT_FOUND" })
    }),
  )

  rule("answers 400 when the relay refuses the addresses, 503 when it is away", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const relay = yield* MemoryRelay
      yield* relay.answer("bob@partner.dev", "550 5.1.1 no such user")
      expect((yield* send(account)).json).toMatchObject({ code: "RELAY_REFUSED" })
      yield* relay.reachable(false)
      const away = yield* send(account, { to: ["dan@partner.dev"] })
      expect(away.status).toBe(503)
      expect(away.json).toMatchObject({ code: "RELAY_UNAVAILABLE" })
      expect(yield* subjects(account)).toEqual([])
    }),
  )
})
