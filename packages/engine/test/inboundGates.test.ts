/** Messages above an inbound limit are stored and hidden (docs/specification/limits.md). */
import { describe, expect } from "@effect/vitest"
import type { MessageId } from "@mailroom/domain"
import { Attachments, Messages, MessageStore } from "@mailroom/engine"
import { Effect, TestClock } from "effect"
import { received, receivedMany } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, type Owner, pay, paying, unverified, verified } from "./support/owners.js"
import {
  accountOf,
  eventsOf,
  itemsOf,
  listed,
  mailboxOf,
  page,
  subjectsOf,
  threadsOf,
} from "./support/reading.js"
import { refused } from "./support/refused.js"

const APRIL = Date.UTC(2026, 3, 1)

const get = (owner: Owner, id: MessageId) =>
  Effect.gen(function* () {
    const messages = yield* Messages
    return yield* messages.get(yield* as(owner), owner.mailboxId, id)
  })

/** The stubs among an account's events. */
const stubsOf = (owner: Owner) =>
  Effect.map(eventsOf(owner), (events) => events.flatMap(({ data }) => ("over_limit" in data ? [data] : [])))

const firstStub = (owner: Owner) =>
  Effect.flatMap(stubsOf(owner), ([stub]) =>
    stub === undefined ? Effect.dieMessage("nothing was gated") : Effect.succeed(stub),
  )

/** An unverified account at its limit of 100, and the mail that arrived after it. */
const overTheCap = (more = 2) => Effect.tap(unverified(), ({ address }) => receivedMany(address, 100 + more))

describe("the monthly limit", () => {
  rule(
    "shows no hidden mail in a thread, not even when hidden mail joins two threads",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 99)
      yield* received(owner.address, { subject: "seen", id: "<seen@x>" })
      yield* TestClock.adjust("1 minute")
      yield* received(owner.address, { subject: "hidden", id: "<hidden@x>" })
      yield* received(owner.address, {
        subject: "both",
        id: "<both@x>",
        references: ["<seen@x>", "<hidden@x>"],
      })
      const { threads } = yield* threadsOf(owner)
      expect(threads.find(({ subject }) => subject === "seen")).toMatchObject({
        messageCount: 1,
        lastMessageAt: "2026-03-10T12:00:00.000Z",
      })
    }),
  )

  rule(
    "hides messages that arrive above it, and lists and threads count them",
    Effect.gen(function* () {
      const owner = yield* overTheCap()
      const shown = yield* listed(owner)
      expect(shown).toHaveLength(100)
      expect(shown[0]?.subject).toBe("Mail 100")
      expect((yield* page(owner)).limits).toEqual({
        overLimitCount: 2,
        upgrade: {
          browserUrl: "http://mailroom.test/dashboard/billing",
          apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
          hint: "POST /v1/billing/upgrade for a checkout URL",
        },
        limitHint: {
          current: 102,
          limit: 100,
          percentage: 102,
          reset_date: "2026-04-01T00:00:00.000Z",
          status: "limit_reached",
        },
      })
      const { threads, limits } = yield* threadsOf(owner)
      expect(limits.overLimitCount).toBe(2)
      expect(subjectsOf(threads)).not.toContain("Mail 101")
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundCount: 102, overLimitMessageCount: 2 })
      expect((yield* mailboxOf(owner)).receivedThisMonth).toBe(102)
    }),
  )

  rule(
    "emits a stub event without the content of the mail",
    Effect.gen(function* () {
      const owner = yield* overTheCap(1)
      const stub = yield* firstStub(owner)
      expect(stub).toEqual({
        over_limit: true,
        message_id: stub.message_id,
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        received_at: "2026-03-10T12:00:00.000Z",
        account: {
          inbound_usage: {
            current: 101,
            limit: 100,
            percentage: 101,
            reset_date: "2026-04-01T00:00:00.000Z",
            status: "limit_reached",
          },
          upgrade: {
            browser_url: "http://mailroom.test/dashboard/billing",
            api_endpoint: { method: "POST", path: "/v1/billing/upgrade" },
            hint: "POST /v1/billing/upgrade for a checkout URL",
          },
        },
      })
    }),
  )

  rule(
    "refuses to read the message, and says when it unlocks",
    Effect.gen(function* () {
      const owner = yield* overTheCap(1)
      const { message_id } = yield* firstStub(owner)
      expect(yield* refused(get(owner, message_id))).toMatchObject({
        _tag: "OverInboundLimit",
        gate: "INBOUND_LIMIT_EXCEEDED",
        resource: { type: "message", id: message_id },
        quota: { current: 101, limit: 100 },
        resetAt: "2026-04-01T00:00:00.000Z",
        retryAfter: (APRIL - NOON) / 1000,
      })
    }),
  )

  rule(
    "refuses to read its attachments",
    Effect.gen(function* () {
      const owner = yield* overTheCap(0)
      yield* received(owner.address, { files: [{ name: "a.bin", bytes: Buffer.alloc(10) }] })
      const { message_id } = yield* firstStub(owner)
      const stored = yield* Effect.flatMap(MessageStore, (store) => store.byId(owner.mailboxId, message_id))
      const { content } = yield* stored
      const attachments = yield* Attachments
      for (const { id } of content.attachments)
        expect(yield* refused(attachments.get(yield* as(owner), id))).toMatchObject({
          gate: "INBOUND_LIMIT_EXCEEDED",
          resource: { type: "attachment", id },
        })
      expect(content.attachments).toHaveLength(1)
    }),
  )

  rule(
    "is announced from half of it on, in events and lists",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const statuses: Array<string | undefined> = []
      for (const more of [49, 1, 29, 1, 19, 1]) {
        yield* receivedMany(owner.address, more, `Round${statuses.length}`)
        const hint = (yield* page(owner)).limits.limitHint
        const last = (yield* eventsOf(owner)).at(-1)?.data
        const told = last !== undefined && "account" in last ? last.account?.inbound_usage : undefined
        expect(told ?? null).toEqual(hint)
        statuses.push(hint?.status)
      }
      expect(statuses).toEqual([undefined, "approaching", "approaching", "near", "near", "limit_reached"])
      expect(yield* stubsOf(owner)).toEqual([])
    }),
  )

  rule(
    "does not exist on Scale",
    Effect.gen(function* () {
      const owner = yield* paying("acme", "Scale")
      yield* receivedMany(owner.address, 120)
      expect(yield* accountOf(owner)).toMatchObject({ monthlyInboundLimit: null, overLimitMessageCount: 0 })
      expect((yield* page(owner)).limits).toEqual({ overLimitCount: 0, upgrade: null, limitHint: null })
    }),
  )

  rule(
    "hides a message in a thread whose other messages are visible",
    Effect.gen(function* () {
      const owner = yield* overTheCap(0)
      yield* received(owner.address, {
        subject: "Hidden",
        id: "<h@elsewhere.org>",
        references: ["<Mail-1@elsewhere.org>"],
      })
      const first = (yield* listed(owner)).find(({ subject }) => subject === "Mail 1")
      const messages = yield* Messages
      if (first === undefined) return yield* Effect.dieMessage("Mail 1 is not there")
      const found = yield* messages.thread(yield* as(owner), owner.mailboxId, first.threadId)
      expect(found.thread.messageCount).toBe(1)
      expect(subjectsOf(itemsOf(found.messages))).toEqual(["Mail 1"])
    }),
  )
})

describe("the limit of the trial", () => {
  rule(
    "is ten messages after verification, and only a purchase lifts it",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* receivedMany(owner.address, 12)
      expect(yield* listed(owner)).toHaveLength(10)
      const account = yield* accountOf(owner)
      expect(account).toMatchObject({ state: "trial", monthlyInboundCount: 12, monthlyInboundLimit: 10 })
      expect(account.trial).toMatchObject({ receivesUsed: 12, receivesRemaining: 0 })
      const { message_id } = yield* firstStub(owner)
      expect(yield* refused(get(owner, message_id))).toMatchObject({ gate: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
      yield* TestClock.setTime(APRIL)
      expect(yield* listed(owner)).toHaveLength(10)
      yield* pay(owner)
      expect(yield* listed(owner)).toHaveLength(12)
    }),
  )

  rule(
    "gates all messages once payment is required",
    Effect.gen(function* () {
      const owner = yield* verified()
      yield* TestClock.adjust("3 days")
      yield* receivedMany(owner.address, 2)
      expect(yield* listed(owner)).toEqual([])
      const { message_id } = yield* firstStub(owner)
      expect(yield* refused(get(owner, message_id))).toMatchObject({ gate: "INBOUND_TRIAL_LIMIT_EXCEEDED" })
    }),
  )
})
