/**
 * Labels, read state, deletion and source of one message beyond `decisions.messages.*`: bounds, storage, threads,
 * headers.
 */
import { describe } from "@effect/vitest"
import { MessagesPage, ThreadsList } from "@mailroom/api"
import { Message } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, pathOf, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { type Incoming, receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"

const One = Schema.Struct({ message: Message })
const File = Schema.Struct({ url: Schema.String })
const attachment = { filename: "a.txt", type: "text/plain", content: "A" }

/** A message that has arrived, newest of its mailbox. */
const received = Effect.fn(function* (account: Owner, mail: Incoming = {}) {
  yield* receive(account.address, [mail])
  const mailbox = `/v1/mailboxes/${account.mailboxId}`
  const page = read(MessagesPage)(yield* ask(`GET ${mailbox}/messages`, { key: account.key }))
  const [message] = page.messages
  if (message === undefined) return yield* Effect.dieMessage("nothing has arrived")
  return { message, path: `${mailbox}/messages/${message.id}` }
})

const listed = ({ key, mailboxId }: Owner) =>
  Effect.map(ask(`GET /v1/mailboxes/${mailboxId}/messages`, { key }), (answer) => read(MessagesPage)(answer))

const threads = ({ key, mailboxId }: Owner) =>
  Effect.map(ask(`GET /v1/mailboxes/${mailboxId}/threads`, { key }), (answer) => read(ThreadsList)(answer))

inOneService((shared) => {
  describe("PATCH /v1/mailboxes/{id}/messages/{msgId}", () => {
    shared("replaces the labels, each once, and leaves the read state alone", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { path } = yield* received(account)
        const patch = (body: unknown) => ask(`PATCH ${path}`, { key: account.key, body })
        yield* patch({ labels: ["old"] })
        const answer = yield* patch({ labels: ["invoice", "urgent", "invoice"] })
        expect(read(One)(answer).message).toMatchObject({ labels: ["invoice", "urgent"], readAt: null })
        expect((yield* listed(account)).messages[0]?.labels).toEqual(["invoice", "urgent"])
        expect(read(One)(yield* patch({})).message.labels).toEqual(["invoice", "urgent"])
        expect(read(One)(yield* patch({ labels: [] })).message.labels).toEqual([])
      }),
    )

    rule("marks it read at the time it was first read, and unread again", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { path } = yield* received(account)
        const mark = (isRead: boolean) =>
          Effect.map(ask(`PATCH ${path}`, { key: account.key, body: { read: isRead } }), (answer) => {
            return read(One)(answer).message.readAt
          })
        const first = yield* mark(true)
        expect(first).not.toBeNull()
        yield* TestClock.adjust("1 hour")
        expect(yield* mark(true)).toBe(first)
        expect((yield* listed(account)).messages[0]?.readAt).toBe(first)
        expect(yield* mark(false)).toBeNull()
      }),
    )

    for (const [name, body] of [
      ["an empty label", { labels: [""] }],
      ["a label of 65 characters", { labels: ["x".repeat(65)] }],
      ["21 labels", { labels: Array.from({ length: 21 }, (_, index) => `label ${index}`) }],
      ["a label of two lines", { labels: ["a\nb"] }],
      ["a read that is no boolean", { read: "yes" }],
    ] as const)
      shared(`answers 400 to ${name}`, () =>
        Effect.gen(function* () {
          const account = yield* signUp()
          const { path } = yield* received(account)
          const answer = yield* ask(`PATCH ${path}`, { key: account.key, body })
          expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
          expect(answer.status).toBe(400)
        }),
      )
  })

  describe("DELETE /v1/mailboxes/{id}/messages/{msgId}", () => {
    shared("removes the message, its attachment with the bytes, and gives the storage back", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { key } = account
        const { message, path } = yield* received(account, { attachment })
        const [file] = message.attachments
        const { url } = read(File)(yield* ask(`GET /v1/attachments/${file?.id}`, { key }))
        const answer = yield* ask(`DELETE ${path}`, { key })
        expect(answer.json).toEqual({ deleted: true })
        yield* Engine.settle
        for (const target of [
          `GET ${path}`,
          `GET ${path}/raw`,
          `DELETE ${path}`,
          `GET /v1/attachments/${file?.id}`,
        ])
          expect((yield* ask(target, { key })).status).toBe(404)
        const { call } = yield* InMemoryHttp
        expect((yield* call(`GET ${pathOf(url)}`)).status).toBe(404)
        expect((yield* listed(account)).messages).toEqual([])
        expect((yield* ask("GET /v1/account", { key })).json).toMatchObject({
          account: { storageUsedBytes: 0, monthlyInboundCount: 1 },
        })
      }),
    )

    rule("leaves the thread with what is left of it, and removes it with its last message", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { message, path } = yield* received(account, { subject: "Plan" })
        yield* TestClock.adjust("1 hour")
        const reply = { to: ["bob@sender.dev"], subject: "Re: Plan", bodyText: "Yes", inReplyTo: message.id }
        const target = `/v1/mailboxes/${account.mailboxId}/messages`
        const sent = read(One)(yield* ask(`POST ${target}`, { key: account.key, body: reply })).message
        expect((yield* threads(account)).threads).toMatchObject([{ messageCount: 2 }])
        yield* ask(`DELETE ${target}/${sent.id}`, { key: account.key })
        expect((yield* threads(account)).threads).toMatchObject([
          { id: message.threadId, messageCount: 1, lastMessageAt: message.createdAt },
        ])
        yield* ask(`DELETE ${path}`, { key: account.key })
        expect((yield* threads(account)).threads).toEqual([])
      }),
    )
  })

  describe("GET /v1/mailboxes/{id}/messages/{msgId}/raw", () => {
    shared("is the mail as it came in, to be saved and not to be shown", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { message, path } = yield* received(account, { subject: "Source", text: "byte by byte" })
        const answer = yield* ask(`GET ${path}/raw`, { key: account.key })
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-type")).toBe("message/rfc822")
        expect(answer.headers.get("content-disposition")).toContain(
          `attachment; filename="${message.id}.eml"`,
        )
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
        expect(answer.text).toContain(`Message-ID: ${message.messageId}\r\n`)
        expect(answer.text.endsWith("\r\n\r\nbyte by byte\r\n")).toBe(true)
        expect(answer.headers.get("content-length")).toBe(String(answer.text.length))
      }),
    )
  })
})
