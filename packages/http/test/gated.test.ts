/**
 * Gated messages beyond `errors.inbound.*` and `decisions.gated.*`: exact headers, reply-all, limitHint, no upgrade
 * where nothing is sold.
 */
import { describe } from "@effect/vitest"
import { DAY, MailboxId, MessageId } from "@mailroom/domain"
import { AccountStore, EventStore, MessageStore } from "@mailroom/engine"
import { Effect, Option, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, pay, setFacts, signUp, verify } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"

const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
const upgrade = {
  browserUrl: "http://mailroom.test/dashboard/billing",
  apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
  hint: expect.any(String),
}
const MONTH_END = "1970-02-01T00:00:00.000Z"

const Stub = Schema.parseJson(Schema.Struct({ data: Schema.Struct({ message_id: Schema.String }) }))
const AttachmentIds = Schema.Struct({
  message: Schema.Struct({ attachments: Schema.Array(Schema.Struct({ id: Schema.String })) }),
})

/** The newest message's id, which a stub tells. */
const newestId = Effect.fn(function* ({ email }: Owner) {
  const { id } = Option.getOrThrow(yield* (yield* AccountStore).byEmail(email))
  const events = yield* EventStore
  const newest = Option.getOrThrow(yield* events.bySeq(id, yield* events.lastSeq(id)))
  return Schema.decodeUnknownSync(Stub)(newest.envelope).data.message_id
})

/** An unverified account at the end of its 100, and one mail more. */
const overTheMonth = Effect.gen(function* () {
  const account = yield* signUp()
  yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 100 } })
  yield* receive(account.address, [{ subject: "secret subject", attachment }])
  const id = yield* newestId(account)
  return { account, id, target: `GET /v1/mailboxes/${account.mailboxId}/messages/${id}` }
})

const overTheTrial = Effect.gen(function* () {
  const account = yield* owner("trial")
  yield* setFacts(account, { trialReceives: 10 })
  yield* receive(account.address, [{ subject: "secret subject", attachment }])
  const id = yield* newestId(account)
  return { account, id, target: `GET /v1/mailboxes/${account.mailboxId}/messages/${id}` }
})

inOneService((shared) => {
  describe("a message above the monthly limit", () => {
    rule(
      "does not advise to upgrade where nothing is sold",
      () =>
        Effect.gen(function* () {
          const { account, id, target } = yield* overTheMonth
          const answer = yield* ask(target, { key: account.key })
          expect([answer.status, answer.json]).toEqual([
            402,
            {
              error: "This arrived above the monthly inbound limit. It unlocks at the monthly reset",
              code: "INBOUND_LIMIT_EXCEEDED",
              resource: { type: "message", id },
              resetAt: MONTH_END,
            },
          ])
          const list = yield* ask(`GET /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key })
          expect(list.json).toMatchObject({ metadata: { overLimitCount: 1 } })
          expect(list.text).not.toContain('"upgrade"')
          for (const address of ["two", "three", "four"]) {
            const created = yield* ask("POST /v1/mailboxes", { key: account.key, body: { address } })
            if (address !== "four") expect(created.status).toBe(201)
            else expect([created.status, created.text.includes("upgrade")]).toEqual([403, false])
          }
        }),
      { billing: "none" },
    )

    rule("answers with the five headers", () =>
      Effect.gen(function* () {
        const { account, target } = yield* overTheMonth
        yield* TestClock.adjust(DAY)
        const { headers } = yield* ask(target, { key: account.key })
        expect(headers.get("retry-after")).toBe(String((30 * DAY) / 1000))
        expect(headers.get("x-service-retriable")).toBe("false")
        expect(headers.get("x-service-reset-at")).toBe(MONTH_END)
        expect(headers.get("x-service-inbound-quota")).toBe("101/100")
        expect(headers.get("x-service-inbound-warning")).toBe("reached")
      }),
    )

    rule("unlocks in place at the turn of the month, its attachment with it", () =>
      Effect.gen(function* () {
        const { account, target } = yield* overTheMonth
        yield* TestClock.adjust(31 * DAY)
        const answer = yield* ask(target, { key: account.key })
        expect(answer.json).toMatchObject({ message: { subject: "secret subject", overLimit: false } })
        const [file] = read(AttachmentIds)(answer).message.attachments
        expect((yield* ask(`GET /v1/attachments/${file?.id}`, { key: account.key })).status).toBe(200)
      }),
    )

    shared("is counted in the account", () =>
      Effect.gen(function* () {
        const { account } = yield* overTheMonth
        expect((yield* ask("GET /v1/account", { key: account.key })).json).toMatchObject({
          account: { overLimitMessageCount: 1, monthlyInboundCount: 101, monthlyInboundLimit: 100 },
        })
      }),
    )
  })

  describe("its labels, its source, its deletion, an answer to it", () => {
    for (const [method, suffix, body] of [["POST", "/reply-all", { bodyText: "Yes." }]] as const)
      shared(`${method} …${suffix} answers the same 402 as reading it`, () =>
        Effect.gen(function* () {
          const { account, target } = yield* overTheMonth
          const { key } = account
          const shown = yield* ask(target, { key })
          const answer = yield* ask(`${target.replace("GET", method)}${suffix}`, {
            key,
            ...(body !== undefined && { body }),
          })
          expect(answer.status).toBe(402)
          expect(answer.json).toEqual(shown.json)
          yield* pay(account)
          expect((yield* ask(target, { key })).json).toMatchObject({ message: { readAt: null } })
        }),
      )
  })

  describe("its attachment", () => {
    shared("answers 402 too, as itself", () =>
      Effect.gen(function* () {
        const { account, id } = yield* overTheMonth
        const record = yield* (yield* MessageStore).byId(
          MailboxId.make(account.mailboxId),
          MessageId.make(id),
        )
        const file = Option.getOrThrow(record).content.attachments[0]?.id
        const answer = yield* ask(`GET /v1/attachments/${file}`, { key: account.key })
        expect(answer.status).toBe(402)
        expect(answer.json).toMatchObject({
          code: "INBOUND_LIMIT_EXCEEDED",
          resource: { type: "attachment", id: file },
          upgrade,
          resetAt: MONTH_END,
        })
        expect(answer.headers.get("x-service-retriable")).toBe("false")
        expect(answer.headers.get("retry-after")).toBe(String((31 * DAY) / 1000))
      }),
    )
  })

  describe("a message above the trial's limit", () => {
    shared("answers without Retry-After and Reset-At", () =>
      Effect.gen(function* () {
        const { account, target } = yield* overTheTrial
        const { headers } = yield* ask(target, { key: account.key })
        expect(headers.has("retry-after")).toBe(false)
        expect(headers.has("x-service-reset-at")).toBe(false)
        expect(headers.get("x-service-retriable")).toBe("false")
        expect(headers.get("x-service-inbound-quota")).toBe("11/10")
        expect(headers.get("x-service-inbound-warning")).toBe("reached")
      }),
    )
  })

  describe("lists", () => {
    for (const kind of ["messages", "threads"] as const)
      shared(`of ${kind} answer 200, hide it, count it and say how to unlock it`, () =>
        Effect.gen(function* () {
          const { account } = yield* overTheMonth
          const target = `GET /v1/mailboxes/${account.mailboxId}/${kind}`
          const answer = yield* ask(target, { key: account.key })
          expect(answer.status).toBe(200)
          expect(answer.json).toMatchObject({
            [kind]: [],
            metadata: {
              overLimitCount: 1,
              upgrade,
              limitHint: {
                current: 101,
                limit: 100,
                percentage: 101,
                reset_date: MONTH_END,
                status: "limit_reached",
              },
            },
          })
          expect(answer.text).not.toContain("secret subject")
        }),
      )

    shared("say from 50 % on how full the quota is, and nothing below", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const look = ask(`GET /v1/mailboxes/${account.mailboxId}/threads`, { key: account.key })
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 49 } })
        expect((yield* look).text).not.toContain("limitHint")
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 50 } })
        expect((yield* look).json).toMatchObject({ metadata: { limitHint: { status: "approaching" } } })
      }),
    )

    shared("leave out a thread that holds only gated messages; its own read is 404 until it unlocks", () =>
      Effect.gen(function* () {
        const { account, id } = yield* overTheTrial
        const record = yield* (yield* MessageStore).byId(
          MailboxId.make(account.mailboxId),
          MessageId.make(id),
        )
        const { threadId } = Option.getOrThrow(record)
        const target = `GET /v1/mailboxes/${account.mailboxId}/threads/${threadId}`
        expect((yield* ask(target, { key: account.key })).status).toBe(404)
        yield* pay(account)
        expect((yield* ask(target, { key: account.key })).json).toMatchObject({ thread: { messageCount: 1 } })
      }),
    )
  })

  describe("after the trial", () => {
    shared("whatever arrives is gated, and the account answers 402 before all else", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* verify(account)
        yield* setFacts(account, { trialSends: 10 })
        yield* receive(account.address)
        const target = `GET /v1/mailboxes/${account.mailboxId}/messages/${yield* newestId(account)}`
        expect((yield* ask(target, { key: account.key })).json).toMatchObject({ code: "PAYMENT_REQUIRED" })
      }),
    )
  })
})
