/** An id that is absent, foreign, out of scope or malformed gets the same bytes, on every route that takes one. */
import { describe } from "@effect/vitest"
import { Attachment, Message } from "@mailroom/domain"
import type { Answer } from "@mailroom/testing"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, inOneScene } from "./support/service.js"
import { aWebhook, lastDelivery } from "./support/webhooks.js"

interface Ids {
  readonly mailbox: string
  readonly message: string
  readonly thread: string
  readonly attachment: string
  readonly apiKey: string
  readonly webhook: string
  readonly delivery: string
}

const absent: Ids = {
  mailbox: ABSENT,
  message: ABSENT,
  thread: ABSENT,
  attachment: ABSENT,
  apiKey: ABSENT,
  webhook: ABSENT,
  delivery: ABSENT,
}

/** What stands for the ids in the name of a test. */
const inNames: Ids = { ...absent, mailbox: "{id}", attachment: "{id}", apiKey: "{id}", webhook: "{id}" }
const send = { to: ["ada@acme.dev"], subject: "Hello", bodyText: "Hello" }

interface Named {
  readonly code: string
  readonly target: (ids: Ids) => string
  readonly body?: unknown
}

const named: ReadonlyArray<Named> = [
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/mailboxes/${ids.mailbox}` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `PATCH /v1/mailboxes/${ids.mailbox}`, body: {} },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `DELETE /v1/mailboxes/${ids.mailbox}` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/mailboxes/${ids.mailbox}/messages` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `POST /v1/mailboxes/${ids.mailbox}/messages`, body: send },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/mailboxes/${ids.mailbox}/messages/${ids.message}` },
  ...[
    ["reply", { bodyText: "Hello" }] as const,
    ["reply-all", { bodyText: "Hello" }] as const,
    ["forward", { to: ["ada@acme.dev"] }] as const,
    ["rsvp", { status: "accepted" }] as const,
  ].map(([action, body]) => ({
    code: "MAILBOX_NOT_FOUND",
    target: (ids: Ids) => `POST /v1/mailboxes/${ids.mailbox}/messages/${ids.message}/${action}`,
    body,
  })),
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/mailboxes/${ids.mailbox}/threads` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/mailboxes/${ids.mailbox}/threads/${ids.thread}` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/events?mailboxId=${ids.mailbox}` },
  { code: "ATTACHMENT_NOT_FOUND", target: (ids) => `GET /v1/attachments/${ids.attachment}` },
  { code: "ATTACHMENT_NOT_FOUND", target: (ids) => `DELETE /v1/attachments/${ids.attachment}` },
  { code: "KEY_NOT_FOUND", target: (ids) => `DELETE /v1/api-keys/${ids.apiKey}` },
  { code: "MAILBOX_NOT_FOUND", target: (ids) => `GET /v1/events/log?mailboxId=${ids.mailbox}` },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `GET /v1/webhooks/${ids.webhook}` },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `PATCH /v1/webhooks/${ids.webhook}`, body: {} },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `DELETE /v1/webhooks/${ids.webhook}` },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `POST /v1/webhooks/${ids.webhook}/test` },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `POST /v1/webhooks/${ids.webhook}/rotate-secret` },
  { code: "WEBHOOK_NOT_FOUND", target: (ids) => `GET /v1/webhooks/${ids.webhook}/deliveries` },
  {
    code: "WEBHOOK_NOT_FOUND",
    target: (ids) => `GET /v1/webhooks/${ids.webhook}/deliveries/${ids.delivery}`,
  },
  {
    code: "WEBHOOK_NOT_FOUND",
    target: (ids) => `POST /v1/webhooks/${ids.webhook}/deliveries/${ids.delivery}/redeliver`,
  },
]

const seen = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers] })

/** Another account with one of everything. */
const stranger = Effect.gen(function* () {
  const account = yield* owner("trial", "other")
  const webhook = yield* aWebhook(account)
  yield* receive(account.address, [{ attachment: { filename: "a.txt", type: "text/plain", content: "A" } }])
  const { id: apiKey } = yield* scopedKey(account)
  const Page = Schema.Struct({
    messages: Schema.Array(
      Schema.Struct({
        id: Message.fields.id,
        threadId: Schema.String,
        attachments: Schema.Array(Attachment),
      }),
    ),
  })
  const { key, mailboxId } = account
  const [message] = read(Page)(yield* ask(`GET /v1/mailboxes/${mailboxId}/messages`, { key })).messages
  expect(message?.attachments).toHaveLength(1)
  return {
    account,
    ids: {
      mailbox: mailboxId,
      message: message?.id ?? "",
      thread: message?.threadId ?? "",
      attachment: message?.attachments[0]?.id ?? "",
      apiKey,
      webhook: webhook.id,
      delivery: (yield* lastDelivery(account, webhook)).id,
    } satisfies Ids,
  }
})

inOneService((shared) => {
  describe("a resource of another account answers as one that does not exist, byte for byte", () => {
    inOneScene(Effect.all({ caller: signUp(), other: stranger }), (same) => {
      for (const { code, target, body } of named)
        same(target(inNames), ({ caller: { key }, other: { ids } }) =>
          Effect.gen(function* () {
            const none = yield* ask(target(absent), { key, body })
            const foreign = yield* ask(target(ids), { key, body })
            expect(none.status).toBe(404)
            expect(none.json).toEqual({ error: expect.any(String), code })
            expect(seen(foreign)).toEqual(seen(none))
          }),
        )
    })

    shared("a delivery of another webhook", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { id } = yield* aWebhook(account)
        const { ids } = yield* stranger
        for (const [method, rest] of [
          ["GET", ""],
          ["POST", "/redeliver"],
        ]) {
          const of = (delivery: string) =>
            ask(`${method} /v1/webhooks/${id}/deliveries/${delivery}${rest}`, { key: account.key })
          const none = yield* of(ABSENT)
          expect(none.json).toMatchObject({ code: "DELIVERY_NOT_FOUND" })
          expect(seen(yield* of(ids.delivery))).toEqual(seen(none))
          expect(seen(yield* of("last"))).toEqual(seen(none))
        }
      }),
    )

    for (const kind of ["message", "thread"] as const)
      shared(`a ${kind} of another mailbox`, () =>
        Effect.gen(function* () {
          const { key, mailboxId } = yield* signUp()
          const { ids } = yield* stranger
          const none = yield* ask(`GET /v1/mailboxes/${mailboxId}/${kind}s/${ABSENT}`, { key })
          const foreign = yield* ask(`GET /v1/mailboxes/${mailboxId}/${kind}s/${ids[kind]}`, { key })
          expect(none.json).toMatchObject({ code: `${kind.toUpperCase()}_NOT_FOUND` })
          expect(seen(foreign)).toEqual(seen(none))
        }),
      )

    shared("mailboxes that a new key names", () =>
      Effect.gen(function* () {
        const { key, mailboxId } = yield* signUp()
        const { ids } = yield* stranger
        const create = (id: string) =>
          ask("POST /v1/api-keys", { key, body: { name: "k", mailboxIds: [mailboxId, id] } })
        const none = yield* create(ABSENT)
        expect(none.status).toBe(404)
        expect(seen(yield* create(ids.mailbox))).toEqual(seen(none))
      }),
    )

    shared("the mailbox that a webhook names", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const { ids } = yield* stranger
        const create = (id: string) =>
          ask("POST /v1/webhooks", {
            key,
            body: { url: "https://receiver.mailroom.dev", events: ["message.sent"], mailboxId: id },
          })
        const none = yield* create(ABSENT)
        expect(none.status).toBe(404)
        expect(seen(yield* create(ids.mailbox))).toEqual(seen(none))
      }),
    )
  })

  describe("a scoped key", () => {
    const outOfScope = Effect.gen(function* () {
      const { account, ids } = yield* stranger
      const created = yield* ask("POST /v1/mailboxes", { key: account.key, body: { address: "second" } })
      const One = Schema.Struct({ mailbox: Schema.Struct({ id: Schema.String }) })
      const scope = [read(One)(created).mailbox.id]
      const made = yield* ask("POST /v1/api-keys", {
        key: account.key,
        body: { name: "scoped", mailboxIds: scope },
      })
      return { key: read(Schema.Struct({ key: Schema.String }))(made).key, ids }
    })

    inOneScene(outOfScope, (same) => {
      for (const { target, body } of named.filter(({ code, target: of }) => {
        const request = of(absent)
        return code === "MAILBOX_NOT_FOUND" && !request.startsWith("DELETE")
      }))
        same(`gets 404 out of scope: ${target({ ...absent, mailbox: "{id}" })}`, ({ key, ids }) =>
          Effect.gen(function* () {
            const none = yield* ask(target({ ...ids, mailbox: ABSENT }), { key, body })
            const outside = yield* ask(target(ids), { key, body })
            expect(none.status).toBe(404)
            expect(seen(outside)).toEqual(seen(none))
          }),
        )
    })
  })

  describe("a malformed id answers as one that does not exist", () => {
    inOneScene(signUp(), (malformed) => {
      for (const { target, body } of named.filter(({ target: of }) => !of(absent).includes("?")))
        for (const [what, id] of [
          ["a word", "inbox"],
          ["a number", "42"],
          ["an escape", "%00"],
          ["one character too many", `${ABSENT}0`],
        ] as const)
          malformed(`${what}: ${target(inNames)}`, ({ key }) =>
            Effect.gen(function* () {
              const none = yield* ask(target(absent), { key, body })
              const ids = { ...absent, mailbox: id, attachment: id, apiKey: id, webhook: id }
              expect(seen(yield* ask(target(ids), { key, body }))).toEqual(seen(none))
            }),
          )
    })

    shared("however long", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* ask(`GET /v1/mailboxes/${"a".repeat(400)}`, { key })
        expect(answer.json).toMatchObject({ code: "MAILBOX_NOT_FOUND" })
      }),
    )
  })
})
