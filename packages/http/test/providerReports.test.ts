/** A report of a mail provider changes the message with that return path, once. */
import { describe, expect } from "@effect/vitest"
import { MemoryRelay } from "@mailroom/mail"
import { REPORTS_SECRET } from "@mailroom/testing"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { One, send } from "./support/sends.js"
import { rule } from "./support/service.js"

/** Posted as the provider posts, at the time of the test. */
const post = (reports: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
  const body = JSON.stringify({ reports })
  return ask("POST /v1/reports/generic", {
    body,
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": "0",
      "webhook-signature": new Webhook(REPORTS_SECRET).sign("msg_1", new Date(0), body),
    },
  })
}

const BOB = "bob@partner.dev"

/** A message that left, and the return path it left with. */
const sent = Effect.gen(function* () {
  const sender = yield* owner("active")
  const { message } = read(One)(yield* send(sender))
  const relay = yield* MemoryRelay
  const mail = (yield* relay.sent).findLast(({ envelope }) => envelope.to.includes(BOB))
  const status = Effect.map(
    ask(`GET /v1/mailboxes/${sender.mailboxId}/messages/${message.id}`, { key: sender.key }),
    (answer) => read(One)(answer).message.status,
  )
  return { sender, status, returnPath: mail?.envelope.from ?? "" }
})

describe("a report of a provider", () => {
  rule("changes the message whose signed return path it names, and nothing when it comes again", () =>
    Effect.gen(function* () {
      const { sender, status, returnPath } = yield* sent
      const bounce = { returnPath, recipient: BOB, outcome: "bounced", status: "5.1.1" }
      for (const _ of ["once", "twice"]) expect((yield* post([bounce])).status).toBe(200)
      expect(yield* status).toBe("BOUNCED")
      const log = yield* ask("GET /v1/events/log?events=message.bounced", { key: sender.key })
      expect(log.json).toMatchObject({ events: [{ data: { bounced_recipients: [BOB] } }] })
      expect((yield* send(sender)).status).toBe(400)
    }),
  )

  rule("takes the local part of a return path alone, which is all that some bring back", () =>
    Effect.gen(function* () {
      const { status, returnPath } = yield* sent
      const delivered = { returnPath: returnPath.replace(/@.*$/, ""), recipient: BOB, outcome: "delivered" }
      expect((yield* post([delivered])).status).toBe(200)
      expect(yield* status).toBe("DELIVERED")
    }),
  )

  rule("changes nothing without a return path that we signed", () =>
    Effect.gen(function* () {
      const { status, returnPath } = yield* sent
      const forged = returnPath.replace(/-[0-9a-f]{20}@/, `-${"0".repeat(20)}@`)
      const complaint = { returnPath: forged, recipient: BOB, outcome: "complained" }
      expect((yield* post([complaint])).status).toBe(200)
      expect(yield* status).toBe("SENT")
    }),
  )
})
