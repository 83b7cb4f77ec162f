/** POST …/messages beyond `messages.send.*`: display names, inline images, paths of issues, texts of refusals. */
import { describe } from "@effect/vitest"
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { One, send } from "./support/sends.js"
import { inOneService, rule } from "./support/service.js"

inOneService((shared) => {
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
      ["to.0", ["Bob <bob@partner.dev>, eve@partner.dev"]],
      ["subject", "Hello\r\nBcc: eve@evil.dev"],
      ["bodyText", 7],
      ["headers.X-Mailer", { "X-Mailer": "mine" }],
      ["labels.0", [""]],
    ] as const)
      shared(`answers 400 to ${path}: ${JSON.stringify(value)?.slice(0, 40)}`, () =>
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

    shared("answers 400 when the mailbox is not ACTIVE", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* ask(`PATCH /v1/mailboxes/${account.mailboxId}`, {
          key: account.key,
          body: { status: "paused" },
        })
        const answer = yield* send(account)
        expect([answer.status, answer.json]).toEqual([
          400,
          { error: expect.stringContaining("paused"), code: "MAILBOX_NOT_ACTIVE" },
        ])
      }),
    )

    shared("answers 400 to an attachment that is not there", () =>
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
  })
})
