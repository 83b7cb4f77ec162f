import {
  DeliveryId,
  type DeliveryRecord,
  EventEnvelope,
  EventKind,
  MINUTE,
  newDelivery,
  redelivered,
  testEvent,
  viewDelivery,
  WebhookId,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { Either, ParseResult, Schema } from "effect"
import { accountId, mailbox, mailboxId, messageId, signedUp, threadId, uuid } from "./support/records.js"

const fresh = newDelivery({
  id: DeliveryId.make(uuid(1)),
  webhookId: WebhookId.make(uuid(2)),
  accountId,
  eventId: `${signedUp}-7-abcd`,
  eventSeq: 7,
  event: "message.sent",
  payload: null,
  createdAt: signedUp,
})

const failed: DeliveryRecord = {
  ...fresh,
  status: "FAILED",
  attempts: 6,
  responseStatus: 500,
  lastError: "timed out",
  dueAt: signedUp + MINUTE,
}

describe("deliveries", () => {
  it("decisions.delivery.fields: a delivery has exactly the fields decided", () => {
    expect(viewDelivery(fresh)).toEqual({
      id: fresh.id,
      event: "message.sent",
      eventId: `${signedUp}-7-abcd`,
      status: "PENDING",
      attempts: 0,
      responseStatus: null,
      lastError: null,
      nextRetryAt: "2026-03-01T09:30:00.000Z",
      createdAt: "2026-03-01T09:30:00.000Z",
      deliveredAt: null,
    })
  })

  it("the next attempt has a time only while there is one to come", () => {
    const delivered = { ...failed, status: "DELIVERED", deliveredAt: signedUp } as const
    expect(viewDelivery(failed).nextRetryAt).toBeNull()
    expect(viewDelivery(delivered).nextRetryAt).toBeNull()
    expect(viewDelivery({ ...failed, status: "PENDING" }).nextRetryAt).toBe("2026-03-01T09:31:00.000Z")
  })

  it("decisions.webhooks.redeliver: redelivering starts from the first attempt, at once, under the same id", () => {
    const now = signedUp + 5 * MINUTE
    expect(redelivered(failed, now)).toEqual({ ...fresh, dueAt: now })
  })
})

describe("a made-up event", () => {
  const facts = { mailbox: mailbox(), messageId, threadId: threadId(5), at: signedUp }
  const read = Schema.decodeSync(Schema.parseJson(EventEnvelope), { onExcessProperty: "error" })

  for (const kind of EventKind.literals)
    it(`decisions.webhooks.test: is complete for ${kind}, of the given mailbox, and says that it is a test`, () => {
      const envelope = read(testEvent(kind, facts))
      expect(envelope).toMatchObject({
        event: kind,
        timestamp: "2026-03-01T09:30:00.000Z",
        data: { mailbox_id: mailboxId, mailbox_address: "agent@acme.mailroom.localhost", test: true },
      })
    })

  it("tells a message from a stranger who cannot be written to", () => {
    expect(read(testEvent("message.received", facts)).data).toMatchObject({
      message_id: messageId,
      from: "ada@example.com",
      to: ["agent@acme.mailroom.localhost"],
      attachments: [],
    })
    expect(read(testEvent("message.sent", facts)).data).toMatchObject({
      message_id: messageId,
      from: "agent@acme.mailroom.localhost",
      to: ["ada@example.com"],
      rfc_message_id: `<${messageId}@acme.mailroom.localhost>`,
    })
  })
})

describe("a kind of event that is none", () => {
  it("is refused with one sentence that names those there are", () => {
    const issues = Either.match(Schema.decodeUnknownEither(EventKind)("message.read"), {
      onLeft: (error) => ParseResult.ArrayFormatter.formatErrorSync(error),
      onRight: () => [],
    })
    expect(issues.map(({ message }) => message)).toEqual([`must be one of ${EventKind.literals.join(", ")}`])
  })
})
