/** After kill -9, a draft whose mail was on its way to the relay is gone, and its mail is not sent again (docs/decisions/0066). */
import { describe, expect, it } from "@effect/vitest"
import { eventually, tcpProxyTo, temporaryFolder } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { type Account, at, verifiedAccount } from "../support/account.js"
import { change, rows } from "../support/database.js"
import { read } from "../support/http.js"
import { messages } from "../support/messages.js"
import { relaySink } from "../support/relaySink.js"
import { startServer } from "../support/server.js"
import { unlimited } from "../support/settled.js"

const Held = Schema.Struct({ draft: Schema.Struct({ id: Schema.String, digest: Schema.String }) })
const Drafts = Schema.Struct({ drafts: Schema.Array(Schema.Unknown) })

const held = (account: Account, subject: string, over: object = {}) =>
  Effect.map(
    account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
      body: { to: ["bob@partner.dev"], subject, bodyText: "Once.", ...over },
    }),
    (answer) => read(Held, answer).draft,
  )

const approve = (account: Account, { id, digest }: typeof Held.Type.draft) =>
  account.call(`POST /v1/reviews/${id}/approve`, { body: { digest } })

describe("after kill -9", () => {
  it.scopedLive(
    "an approved draft and a scheduled one, recorded and not yet taken by the relay, are UNKNOWN messages",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const sink = yield* relaySink
        const relay = yield* tcpProxyTo("127.0.0.1", Number(new URL(sink.url).port))
        const relayed = { ...unlimited, OUTBOUND_URL: `smtp://127.0.0.1:${relay.port}` }

        const first = yield* startServer(folder, unlimited)
        const owner = yield* verifiedAccount(first, "drafting")
        yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { outboundPolicy: "review" } })
        const approved = yield* held(owner, "Approved")
        const inAnHour = yield* Effect.sync(() => new Date(Date.now() + 3_600_000).toISOString())
        const scheduled = yield* held(owner, "Scheduled", { sendAt: inAnHour })
        expect((yield* approve(owner, scheduled)).status).toBe(202)
        yield* first.stop("SIGTERM")
        yield* change(folder, "UPDATE drafts SET send_at = 1, due_at = 1 WHERE status = 'SCHEDULED'")

        relay.set("held")
        const killed = yield* startServer(folder, relayed)
        yield* Effect.forkScoped(Effect.exit(approve(at(killed, owner), approved)))
        yield* eventually(
          "both mails are on their way",
          rows(folder, "SELECT count(*) AS sending FROM messages WHERE status = 'SENDING'"),
          ([row]) => row?.["sending"] === 2,
        )
        yield* killed.stop("SIGKILL")
        expect(yield* rows(folder, "SELECT id FROM drafts")).toEqual([])

        relay.set("open")
        // Ten minutes later a message that is still SENDING becomes UNKNOWN.
        yield* change(folder, "UPDATE messages SET created_at = created_at - 600000 WHERE status = 'SENDING'")
        const next = at(yield* startServer(folder, relayed), owner)
        const stored = yield* eventually("both are UNKNOWN", messages(next), (found) =>
          found.every(({ status }) => status === "UNKNOWN"),
        )
        expect(new Set(stored.map(({ id }) => id))).toEqual(new Set([approved.id, scheduled.id]))
        for (const draft of [approved, scheduled])
          expect((yield* approve(next, draft)).json).toMatchObject({ code: "DRAFT_NOT_FOUND" })
        expect(read(Drafts, yield* next.call("GET /v1/drafts")).drafts).toEqual([])
        expect(sink.received).toEqual([])
      }),
  )

  it.scopedLive("a draft that was due while no process ran is sent once by the next", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const sink = yield* relaySink
      const first = yield* startServer(folder, unlimited)
      const owner = yield* verifiedAccount(first, "outage")
      const inAnHour = yield* Effect.sync(() => new Date(Date.now() + 3_600_000).toISOString())
      const scheduled = yield* held(owner, "Scheduled", { sendAt: inAnHour })
      yield* first.stop("SIGKILL")
      yield* change(folder, "UPDATE drafts SET send_at = 1, due_at = 1")
      const sending = yield* startServer(folder, { ...unlimited, OUTBOUND_URL: sink.url })
      yield* sink.firstTo("bob@partner.dev")
      yield* eventually("it is SENT", messages(at(sending, owner)), ([message]) => message?.status === "SENT")
      yield* sending.stop("SIGKILL")
      const next = at(yield* startServer(folder, { ...unlimited, OUTBOUND_URL: sink.url }), owner)
      expect(read(Drafts, yield* next.call("GET /v1/drafts")).drafts).toEqual([])
      expect((yield* messages(next)).map(({ id, status }) => [id, status])).toEqual([[scheduled.id, "SENT"]])
      expect(sink.received).toHaveLength(1)
    }),
  )
})
