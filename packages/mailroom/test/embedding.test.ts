/** Mailroom inside a program, on virtual time (docs/embedding.md). */
import { describe, expect, it } from "@effect/vitest"
import { MINUTE } from "@mailroom/domain"
import { MemoryRelay } from "@mailroom/mail"
import { clockAt, Outside, TestMailroom } from "@mailroom/testing"
import { Effect, type Layer, TestClock } from "effect"
import { type Event, Events, Mailboxes, Messages, type ReceivedMail } from "mailroom"

const world = TestMailroom.layer("agents.acme.dev")

const rule = <A, E>(name: string, body: Effect.Effect<A, E, Layer.Layer.Success<typeof world>>) =>
  it.scoped(name, () => body.pipe(Effect.provide(world), Effect.provide(clockAt(0))), { concurrent: true })

const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

/** Handles what is due, mails only. */
const handling = <E>(handler: (mail: ReceivedMail) => Effect.Effect<unknown, E>) =>
  Effect.flatMap(Events, ({ drain }) =>
    drain("worker", (event: Event) => (event._tag === "message.received" ? handler(event) : Effect.void)),
  )

const agent = Effect.flatMap(Mailboxes, ({ adopt }) => adopt("agent"))
const texts = Effect.flatMap(Outside, ({ received }) =>
  Effect.map(received, (mails) => mails.map(({ mail }) => mail.text?.trim())),
)

describe("a mailbox of an embedded Mailroom", () => {
  rule(
    "is made when it is adopted first, with its address on the domain, and is the same later",
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const mailbox = yield* mailboxes.adopt("Agent")
      expect(mailbox.fullAddress).toBe("agent@agents.acme.dev")
      expect(yield* mailboxes.adopt("agent")).toEqual(mailbox)
      expect((yield* mailboxes.list).filter(({ id }) => id === mailbox.id)).toEqual([mailbox])
    }),
  )

  rule(
    "has a name that can stand before the @",
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      expect(yield* refusal(mailboxes.adopt("two words"))).toMatchObject({
        _tag: "Refused",
        code: "VALIDATION_FAILED",
        message: "name: must be the part of an address before the @, such as agent",
      })
    }),
  )
})

describe("a handler", () => {
  rule(
    "gets a mail and answers it in its thread",
    Effect.gen(function* () {
      const { fullAddress: to } = yield* agent
      const outside = yield* Outside
      yield* handling(() => Effect.void)
      yield* outside.deliver({ to, subject: "Lunch?", text: "At noon?" })
      yield* handling((mail) => mail.reply(`You wrote: ${mail.message.bodyText?.trim()}`))
      expect(yield* outside.received).toMatchObject([
        { to: ["ada@elsewhere.org"], mail: { subject: "Re: Lunch?", text: "You wrote: At noon?\n" } },
      ])
    }),
  )

  rule(
    "that runs again after it has answered sends no second answer, and gets the result of the first",
    Effect.gen(function* () {
      const { fullAddress: to } = yield* agent
      const outside = yield* Outside
      yield* handling(() => Effect.void)
      yield* outside.deliver({ to })
      const results: Array<unknown> = []
      let attempt = 0
      const answering = handling((mail) =>
        Effect.gen(function* () {
          attempt += 1
          results.push(yield* mail.reply(`Attempt ${attempt}`), yield* mail.reply("And one more thing"))
          if (attempt === 1) yield* Effect.fail("the program stops here")
        }),
      )
      yield* answering
      yield* TestClock.adjust(MINUTE)
      yield* answering
      expect(attempt).toBe(2)
      expect(yield* texts).toEqual(["Attempt 1", "And one more thing"])
      expect(results.slice(2)).toEqual(results.slice(0, 2))
    }),
  )

  rule(
    "that repeats a refused reply sends it once, also when it runs again",
    Effect.gen(function* () {
      const { fullAddress: to } = yield* agent
      const outside = yield* Outside
      const relay = yield* MemoryRelay
      yield* handling(() => Effect.void)
      yield* outside.deliver({ to })
      yield* relay.reachable(false)
      let attempt = 0
      const answering = handling((mail) =>
        Effect.gen(function* () {
          attempt += 1
          const answer = mail.reply("Once")
          yield* Effect.catchTag(answer, "Refused", () => Effect.zipRight(relay.reachable(true), answer))
          yield* mail.reply("And one more thing")
          if (attempt === 1) yield* Effect.fail("the program stops here")
        }),
      )
      yield* answering
      yield* TestClock.adjust(MINUTE)
      yield* answering
      expect(attempt).toBe(2)
      expect(yield* texts).toEqual(["Once", "And one more thing"])
    }),
  )

  rule(
    "sends each of several replies at the same time once",
    Effect.gen(function* () {
      const { fullAddress: to } = yield* agent
      const outside = yield* Outside
      yield* handling(() => Effect.void)
      yield* outside.deliver({ to })
      let attempt = 0
      const answering = handling((mail) =>
        Effect.gen(function* () {
          attempt += 1
          yield* Effect.all([mail.reply("One"), mail.replyAll("Two")], { concurrency: "unbounded" })
          if (attempt === 1) yield* Effect.fail("the program stops here")
        }),
      )
      yield* answering
      yield* TestClock.adjust(MINUTE)
      yield* answering
      expect(attempt).toBe(2)
      const sent = yield* texts
      expect(sent).toHaveLength(2)
      expect(new Set(sent)).toEqual(new Set(["One", "Two"]))
    }),
  )

  rule(
    "learns that the relay did not answer, and sends nothing again",
    Effect.gen(function* () {
      const { fullAddress: to } = yield* agent
      const outside = yield* Outside
      const relay = yield* MemoryRelay
      yield* handling(() => Effect.void)
      yield* outside.deliver({ to })
      yield* relay.loseAnswers
      const results: Array<unknown> = []
      const answering = handling((mail) =>
        Effect.gen(function* () {
          results.push(yield* mail.reply("Once"))
          if (results.length === 1) yield* Effect.fail("the program stops here")
        }),
      )
      yield* answering
      yield* TestClock.adjust(MINUTE)
      yield* answering
      expect(results).toEqual([
        { kind: "uncertain", id: expect.any(String) },
        { kind: "uncertain", id: expect.any(String) },
      ])
      expect(yield* texts).toEqual(["Once"])
    }),
  )
})

describe("a program", () => {
  rule(
    "sends, lists and reads mail",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      const sent = yield* messages.send(mailbox, {
        to: ["bob@elsewhere.org"],
        subject: "Numbers",
        bodyText: "Attached.",
        attachments: [{ filename: "a.csv", contentType: "text/csv", content: btoa("1,2\n") }],
      })
      const { messages: found, hasMore } = yield* messages.list(mailbox, { direction: "OUTBOUND" })
      expect(found).toMatchObject([{ id: sent.id, subject: "Numbers", hasAttachments: true }])
      expect(hasMore).toBe(false)
      const [first] = found
      expect(first && (yield* messages.get(first)).bodyText).toBe("Attached.")
    }),
  )

  rule(
    "sends a mail once for each key, whatever it would send",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      const mail = { to: ["bob@elsewhere.org"], subject: "Once", bodyText: "One" }
      const first = yield* messages.send(mailbox, mail, { idempotencyKey: "order-7" })
      const other = { ...mail, bodyText: "Two" }
      expect(yield* messages.send(mailbox, other, { idempotencyKey: "order-7" })).toEqual(first)
      expect(yield* texts).toEqual(["One"])
    }),
  )

  rule(
    "is told what was refused and why, with the code and the text of the API",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      const mail = { to: ["bob@elsewhere.org"], subject: "No text" }
      expect(yield* refusal(messages.send(mailbox, mail))).toMatchObject({
        _tag: "Refused",
        code: "VALIDATION_FAILED",
        message: "bodyText: bodyText or bodyHtml is required",
      })
      const misspelt = { ...mail, bodyText: "x", sendat: "2026-01-01T00:00:00Z" }
      expect(yield* refusal(messages.send(mailbox, misspelt))).toMatchObject({ code: "VALIDATION_FAILED" })
    }),
  )

  rule(
    "may send again under a key whose send was refused",
    Effect.gen(function* () {
      const mailbox = yield* agent
      const messages = yield* Messages
      const relay = yield* MemoryRelay
      const mail = { to: ["bob@elsewhere.org"], subject: "Again", bodyText: "Hello" }
      yield* relay.reachable(false)
      const again = messages.send(mailbox, mail, { idempotencyKey: "again" })
      expect(yield* refusal(again)).toMatchObject({ code: "RELAY_UNAVAILABLE" })
      yield* relay.reachable(true)
      expect(yield* again).toMatchObject({ kind: "sent" })
    }),
  )
})
