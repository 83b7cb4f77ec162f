/** A cursor belongs to its list and its query (spec: lists.cursor.query). */
import { layer } from "@effect/vitest"
import { ADMIN_TOKEN, InMemoryHttp } from "@mailroom/testing"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { aWebhook } from "./support/webhooks.js"

const Page = Schema.Struct({ metadata: Schema.Struct({ nextCursor: Schema.String }) })
const WhoAmI = Schema.Struct({ account: Schema.Struct({ id: Schema.String }) })

layer(InMemoryHttp.layer())((it) => {
  it.scoped("a cursor of another list, or of another query, is refused", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { key, address, mailboxId } = account
      const { account: own } = read(WhoAmI)(yield* ask("GET /v1/whoami", { key }))
      const [first, second] = [yield* aWebhook(account), yield* aWebhook(account)]
      yield* receive(address, mails(2))
      for (const email of ["bob@partner.dev", "eve@partner.dev"]) {
        yield* ask("POST /v1/suppressions", { key, body: { email } })
        for (const list of ["send/block", "receive/block", "send/allow"])
          yield* ask(`POST /v1/lists/${list}`, { key, body: { entry: email } })
        yield* ask(`POST /v1/mailboxes/${mailboxId}/drafts`, { key, body: { subject: email } })
        yield* ask("POST /admin/v1/invitations", { key: ADMIN_TOKEN, body: {} })
        yield* owner("unverified", email.slice(0, 3))
      }
      const callers = [
        "/v1/messages?",
        `/v1/mailboxes/${mailboxId}/messages?`,
        "/v1/messages?unread=true&",
        "/v1/threads?",
        `/v1/threads?mailboxId=${mailboxId}&`,
        "/v1/drafts?",
        "/v1/drafts?status=DRAFT&",
        "/v1/suppressions?",
        "/v1/lists/send/block?",
        "/v1/lists/receive/block?",
        "/v1/lists/send/allow?",
        "/v1/audit?",
        `/v1/webhooks/${first.id}/deliveries?`,
        `/v1/webhooks/${second.id}/deliveries?`,
        `/v1/webhooks/${first.id}/deliveries?status=DELIVERED&`,
      ]
      const operators = ["accounts?", "accounts?q=ada&", "audit?", `audit?accountId=${own.id}&`]
      const lists = [
        ...callers.map((path) => ({ path, key })),
        ...operators.map((path) => ({ path: `/admin/v1/${path}`, key: ADMIN_TOKEN })),
      ]
      const cursors = yield* Effect.forEach(lists, ({ path, key: caller }) =>
        Effect.map(ask(`GET ${path}limit=1`, { key: caller }), (answer) =>
          answer.status === 200 && answer.text.includes("nextCursor")
            ? read(Page)(answer).metadata.nextCursor
            : path,
        ),
      )
      expect(cursors.filter((cursor) => cursor.startsWith("/"))).toEqual([])
      for (const [index, { path, key: caller }] of lists.entries()) {
        const answers = yield* Effect.forEach(cursors, (cursor) =>
          ask(`GET ${path}cursor=${cursor}`, { key: caller }),
        )
        expect([path, ...answers.map(({ status }) => status)]).toEqual([
          path,
          ...cursors.map((_, other) => (other === index ? 200 : 400)),
        ])
      }
    }),
  )
})
