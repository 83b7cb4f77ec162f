/**
 * Lists and reads of messages beyond `messages.*`: text made from HTML, time zones, repeated parameters, one whole
 * message.
 */
import { describe } from "@effect/vitest"
import { MessagesPage } from "@mailroom/api"
import { Message, type SendBody } from "@mailroom/domain"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"

const One = Schema.Struct({ message: Message })
const plain = { to: ["bob@partner.dev"], subject: "Hello", bodyText: "How are you?" }
const send = ({ key, mailboxId }: Owner, body: Partial<Record<keyof SendBody, unknown>> = {}) =>
  ask(`POST /v1/mailboxes/${mailboxId}/messages`, { key, body: { ...plain, ...body } })
const list = ({ key, mailboxId }: Owner, query = "") =>
  ask(`GET /v1/mailboxes/${mailboxId}/messages${query}`, { key })
const subjects = (account: Owner, query = "") =>
  Effect.map(list(account, query), (answer) => read(MessagesPage)(answer).messages.map((one) => one.subject))

inOneService((shared) => {
  describe("GET /v1/mailboxes/{id}/messages", () => {
    shared("shows the text of a mail that has HTML alone, made from it, and so does its event", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const html = "<style>p {}</style><p>Your code is <b>4711</b>.</p><blockquote>Please</blockquote>"
        yield* receive(account.address, [{ html }])
        const [made] = read(MessagesPage)(yield* list(account)).messages
        expect(made?.bodyText).toBe("Your code is 4711.\n\nPlease")
        expect(made?.bodyHtml).toContain(html)
        const log = yield* ask("GET /v1/events/log", { key: account.key })
        expect(log.json).toMatchObject({
          events: [
            { data: { body_text: "Your code is 4711.\n\nPlease", body_html: expect.stringContaining(html) } },
          ],
        })
      }),
    )

    rule("filters by direction, thread and time", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* receive(account.address, [{ subject: "early" }])
        yield* TestClock.adjust("1 hour")
        yield* receive(account.address, [{ subject: "late" }])
        const { message } = read(One)(yield* send(account, { subject: "sent" }))
        expect(yield* subjects(account, "?direction=INBOUND")).toEqual(["late", "early"])
        expect(yield* subjects(account, "?direction=OUTBOUND")).toEqual(["sent"])
        expect(yield* subjects(account, `?threadId=${message.threadId}`)).toEqual(["sent"])
        expect(yield* subjects(account, "?direction=INBOUND&since=1970-01-01T01:00:00Z")).toEqual(["late"])
        expect(yield* subjects(account, "?direction=INBOUND&since=1970-01-01T02:00:00%2B01:00")).toEqual([
          "late",
        ])
      }),
    )

    for (const query of ["limit=1&limit=2"])
      shared(`answers 400 to ?${query}, and names it once`, () =>
        Effect.gen(function* () {
          const answer = yield* Effect.flatMap(signUp(), (account) => list(account, `?${query}`))
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({
            code: "VALIDATION_FAILED",
            issues: expect.arrayContaining([expect.objectContaining({ path: query.split("=")[0] })]),
          })
        }),
      )
  })

  describe("GET /v1/mailboxes/{id}/messages/{msgId}", () => {
    shared("shows one whole, with its headers and attachments", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const attachment = { filename: "a.txt", type: "text/plain", content: "A" }
        yield* receive(account.address, [{ subject: "Hello", text: "Hi", attachment }])
        const [listed] = read(MessagesPage)(yield* list(account)).messages
        const target = `GET /v1/mailboxes/${account.mailboxId}/messages/${listed?.id}`
        const { message } = read(One)(yield* ask(target, { key: account.key }))
        expect(message).toMatchObject({
          direction: "INBOUND",
          status: "RECEIVED",
          fromAddress: "bob@sender.dev",
          fromName: "Bob",
          subject: "Hello",
          overLimit: false,
          headers: { subject: "Hello" },
          attachments: [{ filename: "a.txt", contentType: "text/plain", messageId: listed?.id }],
        })
      }),
    )
  })
})
