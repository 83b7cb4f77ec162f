/** Threads (spec, Threads; decisions §2, §5). */
import { describe } from "@effect/vitest"
import { ThreadsList } from "@mailroom/api"
import { Message, ThreadWithMessages } from "@mailroom/domain"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, pay, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { rule } from "./support/service.js"

const list = ({ key, mailboxId }: Owner) =>
  Effect.map(ask(`GET /v1/mailboxes/${mailboxId}/threads`, { key }), read(ThreadsList))
const send = ({ key, mailboxId }: Owner, body: object) =>
  Effect.map(
    ask(`POST /v1/mailboxes/${mailboxId}/messages`, {
      key,
      body: { to: ["bob@partner.dev"], subject: "Plan", bodyText: "Text", ...body },
    }),
    read(Schema.Struct({ message: Message })),
  )

describe("GET /v1/mailboxes/{id}/threads", () => {
  rule("lists the newest activity first, with counts and participants, and no pages", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { message } = yield* send(account, {})
      yield* TestClock.adjust("1 minute")
      yield* receive(account.address, [{ subject: "Other" }])
      yield* TestClock.adjust("1 minute")
      yield* send(account, { subject: "Re: Plan", inReplyTo: message.id })
      const { threads, metadata } = yield* list(account)
      expect(threads).toMatchObject([
        {
          id: message.threadId,
          mailboxId: account.mailboxId,
          subject: "Plan",
          participants: expect.arrayContaining(["bob@partner.dev", account.address]),
          messageCount: 2,
        },
        { subject: "Other", messageCount: 1 },
      ])
      expect(metadata).toEqual({ overLimitCount: 0, limit: 50, offset: 0, hasMore: false })
    }),
  )

  rule("lists at most 50", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* pay(account)
      yield* receive(account.address, mails(51))
      const { threads } = yield* list(account)
      expect(threads).toHaveLength(50)
      expect(threads.map(({ subject }) => subject)).not.toContain("Mail 1")
    }),
  )

  rule("is empty for a mailbox that has none", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flatMap(signUp(), list)).threads).toEqual([])
    }),
  )
})

describe("GET /v1/mailboxes/{id}/threads/{tid}", () => {
  rule("shows the thread with its messages, oldest first", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { message } = yield* send(account, { bodyText: "first" })
      yield* TestClock.adjust("1 minute")
      yield* send(account, { bodyText: "second", inReplyTo: message.messageId })
      const target = `GET /v1/mailboxes/${account.mailboxId}/threads/${message.threadId}`
      const { thread } = read(Schema.Struct({ thread: ThreadWithMessages }))(
        yield* ask(target, { key: account.key }),
      )
      expect(thread.messages.map(({ bodyText }) => bodyText)).toEqual(["first", "second"])
      expect(thread.messages[1]).toMatchObject({
        inReplyTo: message.messageId,
        references: [message.messageId],
      })
      const [listed] = (yield* list(account)).threads
      expect(thread).toMatchObject({ ...listed })
    }),
  )
})
