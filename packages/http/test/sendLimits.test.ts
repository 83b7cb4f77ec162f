/** Send and size limits beyond `messages.send.rule-5-*` and `-6-*`: Retry-After, hints, texts. */
import { describe } from "@effect/vitest"
import { DAY, MailboxId, type MailboxRecord } from "@mailroom/domain"
import { MailboxStore } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, setFacts } from "./support/accounts.js"
import { send } from "./support/sends.js"
import { inOneService, rule } from "./support/service.js"

const MB = 1024 * 1024

/** Stores other counts of sends. */
const pretend = Effect.fn(function* ({ mailboxId }: Owner, counts: Partial<MailboxRecord>) {
  const mailboxes = yield* MailboxStore
  for (const mailbox of yield* mailboxes.lock([MailboxId.make(mailboxId)]))
    yield* mailboxes.save({ ...mailbox, ...counts })
})

inOneService((shared) => {
  describe("POST /v1/mailboxes/{id}/messages", () => {
    rule(
      "answers 429 above the velocity, with when to come back and nothing to buy",
      () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          for (let sent = 0; sent < 2; sent++) expect((yield* send(account)).status).toBe(201)
          const answer = yield* send(account)
          expect([answer.status, answer.json]).toEqual([
            429,
            { error: expect.any(String), code: "SEND_VELOCITY_EXCEEDED" },
          ])
          expect(answer.headers.get("retry-after")).toBe("60")
        }),
      { sendVelocityPerMinute: 2 },
    )

    rule(
      "answers 429 at the daily limit, and where nothing is sold advises no upgrade",
      () =>
        Effect.gen(function* () {
          const account = yield* owner("trial")
          yield* pretend(account, { sentDay: { window: "1970-01-01", count: 99 } })
          expect((yield* send(account)).status).toBe(201)
          const answer = yield* send(account)
          expect([answer.status, answer.json]).toEqual([
            429,
            {
              error: expect.stringContaining("100"),
              code: "DAILY_SEND_LIMIT_REACHED",
            },
          ])
          yield* TestClock.adjust(DAY)
          expect((yield* send(account)).status).toBe(201)
        }),
      { billing: "none", sendVelocityPerMinute: 1000 },
    )

    shared("answers 429 with a hint to upgrade at the monthly limit", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* pretend(account, { sentMonth: { window: "1970-01", count: 15_000 } })
        const answer = yield* send(account)
        expect([answer.status, answer.json]).toEqual([
          429,
          {
            error: expect.stringContaining("15000"),
            code: "MONTHLY_SEND_LIMIT_REACHED",
            upgrade: "POST /v1/billing/upgrade for a checkout URL",
          },
        ])
      }),
    )

    for (const [what, sizes] of [["attachments above 25 MB together", [13 * MB, 13 * MB]]] as const)
      shared(`answers 413 to ${what}`, () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          const attachments = sizes.map((size) => ({
            filename: "a.bin",
            contentType: "application/octet-stream",
            content: Buffer.alloc(size).toString("base64"),
          }))
          const answer = yield* send(account, { attachments })
          expect([answer.status, answer.json]).toEqual([
            413,
            { error: expect.stringContaining("25 MB"), code: "SIZE_EXCEEDED" },
          ])
        }),
      )

    shared("refuses an inline attachment above the storage limit with 413 and a hint", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* setFacts(account, { storageUsedBytes: 10 * 1024 ** 3 })
        const attachments = [{ filename: "a.txt", contentType: "text/plain", content: "QQ==" }]
        const answer = yield* send(account, { attachments })
        expect(answer.status).toBe(413)
        expect(answer.json).toMatchObject({ code: "STORAGE_FULL", upgrade: expect.any(String) })
      }),
    )
  })
})
