import {
  EVENT_BODY_MAX_LENGTH,
  EventEnvelope,
  inboundUsage,
  type MessageContent,
  reachedUsage,
  receivedEvent,
  sentEvent,
  stubEvent,
  upgradeAt,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { attachmentId, content, mailbox, messageId, read, signedUp, threadId } from "./support/records.js"

const time = "2026-03-01T09:30:00.000Z"
const mail = content({
  fromName: "Ada",
  toAddresses: ["agent@acme.mailroom.localhost"],
  ccAddresses: ["bob@acme.dev"],
  bccAddresses: ["hidden@acme.dev"],
  subject: "Secret plan",
  bodyText: "Hello",
  bodyHtml: "<p>Hello</p>",
  attachments: [
    {
      id: attachmentId,
      messageId,
      filename: "a.png",
      contentType: "image/png",
      sizeBytes: 7,
      contentId: "logo@acme",
      createdAt: time,
    },
  ],
})
const origin = { message_id: messageId, mailbox_address: "agent@acme.mailroom.localhost" }
const quota = { current: 60, limit: 100 }
const received = (
  message: MessageContent = mail,
  usage = inboundUsage({ current: 1, limit: 100 }, signedUp),
) => receivedEvent(message, time, mailbox(), threadId(5), usage, signedUp)
const stub = stubEvent(
  mail,
  time,
  mailbox(),
  reachedUsage({ current: 101, limit: 100 }, signedUp),
  upgradeAt("https://mail.acme.dev", "stripe"),
  signedUp,
)

describe("message.received", () => {
  it("events.shape.received: tells the message in snake_case", () => {
    expect(received()).toMatchObject({
      event: "message.received",
      timestamp: time,
      data: {
        ...origin,
        rfc_message_id: "<a@acme.dev>",
        from: "ada@acme.dev",
        from_name: "Ada",
        to: ["agent@acme.mailroom.localhost"],
        cc: ["bob@acme.dev"],
        subject: "Secret plan",
        body_text: "Hello",
        body_html: "<p>Hello</p>",
        thread_id: threadId(5),
        in_reply_to: null,
        received_at: time,
        attachments: [
          {
            id: attachmentId,
            filename: "a.png",
            content_type: "image/png",
            size_bytes: 7,
            content_id: "logo@acme",
          },
        ],
      },
    })
  })

  it("events.shape.received: is what the schema says, no more", () => {
    expect(read(EventEnvelope, received())).toEqual(received())
  })

  it("events.rule-4-none: says nothing of dropped attachments when none were", () => {
    expect(Object.keys(received().data)).not.toContain("attachments_dropped")
    expect(Object.keys(received().data)).not.toContain("attachments_dropped_reason")
  })

  it("events.rule-4-both: says why attachments were dropped", () => {
    const dropped = content({ attachmentsDropped: true, attachmentsDroppedReason: "both" })
    expect(received(dropped).data).toMatchObject({
      attachments_dropped: true,
      attachments_dropped_reason: "both",
    })
  })

  it("events.rule-3: carries the usage from 50 %, without the upgrade", () => {
    expect(Object.keys(received().data)).not.toContain("account")
    expect(received(mail, inboundUsage(quota, signedUp)).data).toMatchObject({
      account: { inbound_usage: { current: 60, limit: 100, status: "approaching" } },
    })
    expect(JSON.stringify(received(mail, inboundUsage(quota, signedUp)))).not.toContain("upgrade")
  })

  it("a body too long for an event is cut, and the event says so", () => {
    expect(Object.keys(received().data)).not.toContain("body_truncated")
    const long = content({ bodyText: "t".repeat(EVENT_BODY_MAX_LENGTH + 1), bodyHtml: "<p>short</p>" })
    expect(received(long).data).toMatchObject({
      body_text: "t".repeat(EVENT_BODY_MAX_LENGTH),
      body_html: "<p>short</p>",
      body_truncated: true,
    })
  })

  it("decisions.message.bcc: blind copies are the sender's alone", () => {
    expect(JSON.stringify(received())).not.toContain("hidden@acme.dev")
  })
})

describe("the stub of a gated message", () => {
  it("events.rule-1: has no word of the message", () => {
    expect(Object.keys(stub.data).sort()).toEqual(
      ["account", "mailbox_address", "mailbox_id", "message_id", "over_limit", "received_at"].sort(),
    )
    for (const word of ["Secret plan", "Hello", "ada@acme.dev", "bob@acme.dev", "a.png", threadId(5)])
      expect(JSON.stringify(stub)).not.toContain(word)
  })

  it("events.shape.stub: is marked, says that the limit is reached and carries the upgrade", () => {
    expect(stub).toMatchObject({
      event: "message.received",
      data: {
        over_limit: true,
        ...origin,
        account: {
          inbound_usage: { current: 101, limit: 100, status: "limit_reached" },
          upgrade: { api_endpoint: { method: "POST", path: "/v1/billing/upgrade" } },
        },
      },
    })
    expect(read(EventEnvelope, stub)).toEqual(stub)
  })
})

describe("message.sent", () => {
  const sent = sentEvent(mail, mailbox(), threadId(5), signedUp)

  it("events.shape.sent: tells what was sent where", () => {
    expect(sent).toMatchObject({
      event: "message.sent",
      timestamp: time,
      data: {
        ...origin,
        rfc_message_id: "<a@acme.dev>",
        from: "ada@acme.dev",
        from_name: "Ada",
        subject: "Secret plan",
        thread_id: threadId(5),
        sent_at: time,
      },
    })
    expect(read(EventEnvelope, sent)).toEqual(sent)
  })

  it("decisions.message.bcc: names no blind copies", () => {
    expect(JSON.stringify(sent)).not.toContain("hidden@acme.dev")
  })
})
