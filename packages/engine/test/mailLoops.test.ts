/** Mail loops between automatic senders are cut (docs/decisions/0032). */
import { describe, expect } from "@effect/vitest"
import { CORRESPONDENT_TURNS_MAX, LOOP_TURNS_MAX, MINUTE, SECOND } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { type MailText } from "./support/arrivals.js"
import { rule } from "./support/mailroom.js"
import { lastMailTo } from "./support/outbox.js"
import { type Owner, paying } from "./support/owners.js"
import { arrival } from "./support/reading.js"
import { refused } from "./support/refused.js"
import { RECIPIENT, reply, send } from "./support/sends.js"

const AUTO = { headers: ["Auto-Submitted: auto-replied"] } satisfies MailText

/** Delivers an answer to our newest mail. */
const answered = (owner: Owner, number: number, mail: MailText = {}) =>
  Effect.gen(function* () {
    const last = yield* lastMailTo(RECIPIENT)
    return yield* arrival(owner, {
      from: RECIPIENT,
      id: `<${number}@elsewhere.org>`,
      ...(last.mail.messageId !== null && { inReplyTo: last.mail.messageId }),
      ...mail,
    })
  })

/** Receives this many mails, and answers each. */
const turns = (owner: Owner, from: number, count: number, mail: MailText = {}) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => from + index),
    (number) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        const { id } = yield* answered(owner, number, mail)
        yield* reply(owner, id)
      }),
    { discard: true },
  )

describe("a thread in which machines answer each other", () => {
  rule(
    "is cut after ten automatic turns in an hour, and the error says until when",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      yield* turns(owner, 1, LOOP_TURNS_MAX, AUTO)
      const { id } = yield* answered(owner, 11, AUTO)
      // The first of them was 9 minutes ago.
      expect(yield* refused(reply(owner, id))).toMatchObject({
        _tag: "MailLoopCut",
        within: "thread",
        limit: 10,
        retryAfter: 51 * 60,
      })
      yield* TestClock.adjust("51 minutes")
      yield* TestClock.adjust(1)
      yield* reply(owner, id)
    }),
  )

  rule(
    "is cut also without headers of automatic mail, when the answers are faster than people",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      for (let number = 1; number <= LOOP_TURNS_MAX; number++)
        yield* reply(owner, (yield* answered(owner, number)).id)
      const { id } = yield* answered(owner, 11)
      expect(yield* refused(reply(owner, id))).toMatchObject({ _tag: "MailLoopCut" })
    }),
  )

  rule(
    "stays open for people, and other threads stay open",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      yield* turns(owner, 1, LOOP_TURNS_MAX + 2)
      yield* turns(owner, 20, LOOP_TURNS_MAX, AUTO)
      yield* send(owner)
      yield* turns(owner, 40, 1, AUTO)
    }),
  )
})

describe("a correspondent that begins a thread with every mail", () => {
  /** Receives this many mails in new threads, a minute apart or at once, and answers each. */
  const started = (owner: Owner, from: number, count: number, pause: number, mail: MailText = {}) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => from + index),
      (number) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(pause)
          const { id } = yield* arrival(owner, {
            from: RECIPIENT,
            id: `<${number}@elsewhere.org>`,
            subject: `Notice ${number}`,
            ...mail,
          })
          yield* reply(owner, id)
        }),
      { discard: true },
    )

  rule(
    "is cut after 30 automatic turns in an hour, also with changing tags in its address",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* started(owner, 1, CORRESPONDENT_TURNS_MAX, MINUTE, AUTO)
      const { id } = yield* arrival(owner, { ...AUTO, from: "bob+notices@elsewhere.org", subject: "Notice" })
      expect(yield* refused(reply(owner, id))).toMatchObject({
        _tag: "MailLoopCut",
        within: "correspondent",
        limit: 30,
        retryAfter: 31 * 60,
      })
      const { id: other } = yield* arrival(owner, { ...AUTO, from: "eve@elsewhere.org", subject: "Notice" })
      yield* reply(owner, other)
      yield* TestClock.adjust(31 * MINUTE + 1)
      yield* reply(owner, id)
    }),
  )

  rule(
    "is cut also when it only writes faster than people",
    Effect.gen(function* () {
      const owner = yield* paying()
      // The first mail is no answer.
      yield* started(owner, 1, CORRESPONDENT_TURNS_MAX + 1, 5 * SECOND)
      const { id } = yield* arrival(owner, { from: RECIPIENT, subject: "Notice" })
      expect(yield* refused(reply(owner, id))).toMatchObject({ _tag: "MailLoopCut" })
    }),
  )

  rule(
    "is never cut at the pace of people",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* started(owner, 1, CORRESPONDENT_TURNS_MAX + 2, 11 * SECOND)
    }),
  )
})

describe("an answer to automatic mail", () => {
  rule(
    "is marked as automatic, so that no machine answers it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      const { id } = yield* answered(owner, 1, AUTO)
      const { content } = yield* reply(owner, id)
      const { mail } = yield* lastMailTo(RECIPIENT)
      expect(mail.headers["auto-submitted"]).toBe("auto-replied")
      expect(content.automated).toBe(true)
    }),
  )

  rule(
    "is an ordinary mail when a person sent it",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* send(owner)
      const { id } = yield* answered(owner, 1)
      const { content } = yield* reply(owner, id)
      const { mail } = yield* lastMailTo(RECIPIENT)
      expect(mail.headers).not.toHaveProperty("auto-submitted")
      expect(content.automated).toBe(false)
    }),
  )
})
