/** Events: kinds, payloads, rules, and the stream. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, listMessages, receive, receiveMany, send } from "../../src/agents.js"
import { namesIn, fieldsAt, textAt, valueAt } from "../../src/Answer.js"
import { subjectsOf } from "../../src/StreamClient.js"
import { overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import type { Draft } from "../../src/mail.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { anyCount, anyId, anyText, anyTime, expectWithin } from "../expectations.js"
import { BOB, MB } from "../values.js"

/** The envelope of the event of a mail. */
const eventOf = (owner: Agent, draft: Draft) =>
  Effect.gen(function* () {
    const { listen } = yield* World
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [draft])
    const [frame] = yield* stream.received(1)
    yield* stream.close
    return frame?.data
  })

/** A receiver, and a webhook that posts events of these kinds to it. */
const hook = ({ call }: Agent, events: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { receiver } = yield* World
    const made = yield* receiver
    const { status } = yield* call("POST /v1/webhooks", { body: { url: made.url, events } })
    expect(status).toBe(201)
    return made
  })

const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    filename: `file-${index + 1}.txt`,
    contentType: "text/plain",
    content: String(index + 1),
  }))
const tooLarge = {
  filename: "large.bin",
  contentType: "application/octet-stream",
  content: new Uint8Array(25 * MB + 1),
}

/** The fields about dropped attachments in the event and the message of a mail. */
const dropped = (attachments: NonNullable<Draft["attachments"]>) =>
  Effect.gen(function* () {
    const owner = yield* agent()
    const envelope = yield* eventOf(owner, { attachments })
    const { json } = yield* listMessages(owner)
    const kept = valueAt(envelope, "data.attachments")
    return {
      kept: Array.isArray(kept) ? kept.length : 0,
      dropped: valueAt(envelope, "data.attachments_dropped"),
      reason: valueAt(envelope, "data.attachments_dropped_reason"),
      inMessage: [
        valueAt(json, "messages.0.attachmentsDropped"),
        valueAt(json, "messages.0.attachmentsDroppedReason"),
      ],
    }
  })

const hidden = [
  "from",
  "to",
  "cc",
  "subject",
  "body_text",
  "body_html",
  "thread_id",
  "in_reply_to",
  "attachments",
]

export const events: Part = [
  row("events.kinds", "a webhook takes these, and no other", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    const kinds = [
      "message.received",
      "message.sent",
      "message.delivered",
      "message.bounced",
      "message.complaint",
      "mailbox.sending_warning",
      "mailbox.sending_stopped",
      "message.quarantined",
      "draft.review_requested",
      "draft.approved",
      "draft.rejected",
      "draft.expired",
      "draft.withdrawn",
      "draft.failed",
      "thread.taken_over",
      "thread.released",
    ]
    const made = yield* call("POST /v1/webhooks", { body: { url, events: kinds } })
    expectWithin(made, 201, { webhook: { events: kinds } })
    const other = yield* call("POST /v1/webhooks", { body: { url, events: ["message.read"] } })
    expect(other.status).toBe(400)
  }),
  row("events.envelope", "stream and webhook carry it alike, byte by byte", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const { received } = yield* hook(owner, ["message.received"])
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    const [[posted], [frame]] = yield* Effect.zip(received(1), stream.received(1))
    expect(fieldsAt(frame, "data")).toEqual(["data", "event", "timestamp"])
    expect(JSON.parse(posted?.body ?? "")).toEqual(frame?.data)
  }),
  row("events.timestamp", "with a Z, and it is the time of the event", function* () {
    const { now } = yield* World
    const before = yield* now
    const timestamp = valueAt(yield* eventOf(yield* agent(), {}), "timestamp")
    expect(timestamp).toEqual(anyTime)
    expect(Date.parse(String(timestamp))).toBeGreaterThanOrEqual(before)
    expect(Date.parse(String(timestamp))).toBeLessThanOrEqual(yield* now)
  }),
  row("events.snake", "of whole payloads, of stubs and of what was sent", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const received = yield* eventOf(owner, { attachments: files(1) })
    const stream = yield* listen({ key: owner.key })
    yield* send(owner, BOB)
    const [sent] = yield* stream.received(1)
    const { stub } = yield* overTheTrial
    const names = [received, sent?.data, stub].flatMap((envelope) => namesIn(valueAt(envelope, "data")))
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
  }),
  row("events.emission.received", "whole below the limit, a stub above it", function* () {
    const { owner, stub } = yield* overTheTrial
    expect(stub).toMatchObject({ event: "message.received", data: { over_limit: true } })
    const { listen } = yield* World
    const all = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
    const frames = yield* all.received(11)
    expect(frames.map(({ event }) => event)).toEqual(Array.from({ length: 11 }, () => "message.received"))
    expect(subjectsOf(frames)).toContain("Mail 1")
  }),
  row("events.emission.sent", "once for a mail, whatever its recipients", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    yield* send(owner, BOB, { cc: ["eve@partner.dev"], subject: "Out" })
    yield* receive(owner, [{ subject: "In" }])
    expect((yield* stream.received(2)).map(({ event }) => event)).toEqual([
      "message.sent",
      "message.received",
    ])
  }),
  row("events.shape.received", "every field, with what the mail says", function* () {
    const owner = yield* agent()
    const envelope = yield* eventOf(owner, {
      from: "zoe@corp.dev",
      cc: ["eve@corp.dev"],
      subject: "The figures",
      text: "Here they are",
      html: "<p>Here they are</p>",
      inReplyTo: "<request@corp.dev>",
      attachments: [{ filename: "a.csv", contentType: "text/csv", content: "a;b" }],
    })
    expect(envelope).toMatchObject({
      event: "message.received",
      timestamp: anyTime,
      data: {
        message_id: anyId,
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        from: "zoe@corp.dev",
        to: [owner.address],
        cc: ["eve@corp.dev"],
        subject: "The figures",
        body_text: expect.stringContaining("Here they are"),
        body_html: expect.stringContaining("<p>Here they are</p>"),
        thread_id: anyId,
        in_reply_to: "<request@corp.dev>",
        received_at: anyTime,
        attachments: [
          {
            id: anyId,
            filename: "a.csv",
            content_type: "text/csv",
            size_bytes: 3,
            content_id: null,
            download_url: anyText,
          },
        ],
      },
    })
    expect(valueAt(yield* eventOf(owner, {}), "data.in_reply_to")).toBeNull()
  }),
  row("events.shape.stub", "these fields, and no other", function* () {
    const { owner, stub, id } = yield* overTheTrial
    expect(stub).toEqual({
      event: "message.received",
      timestamp: anyTime,
      data: {
        over_limit: true,
        message_id: id,
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        received_at: anyTime,
        account: {
          inbound_usage: {
            current: 11,
            limit: 10,
            percentage: anyCount,
            reset_date: anyTime,
            status: "limit_reached",
          },
          upgrade: {
            browser_url: anyText,
            api_endpoint: { method: "POST", path: "/v1/billing/upgrade" },
            hint: anyText,
          },
        },
      },
    })
  }),
  row("events.shape.sent", "every field, as the answer to the send has it", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const stream = yield* listen({ key: owner.key })
    const { json } = yield* send(owner, BOB, { subject: "Out" })
    const [frame] = yield* stream.received(1)
    expect(frame?.data).toMatchObject({
      event: "message.sent",
      timestamp: anyTime,
      data: {
        message_id: valueAt(json, "message.id"),
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        from: owner.address,
        to: [BOB],
        subject: "Out",
        thread_id: valueAt(json, "message.threadId"),
        sent_at: valueAt(json, "message.sentAt"),
      },
    })
  }),
  row("events.rule-1", "what a stub lacks a whole payload has, and the other way round", function* () {
    const { owner, stub } = yield* overTheTrial
    const { listen } = yield* World
    const all = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
    const [whole] = yield* all.received(1)
    const inStub = fieldsAt(stub, "data")
    const inWhole = fieldsAt(whole?.data, "data")
    expect(hidden.filter((name) => inStub.includes(name))).toEqual([])
    expect(hidden.filter((name) => !inWhole.includes(name))).toEqual([])
    expect([valueAt(stub, "data.over_limit"), valueAt(whole?.data, "data.over_limit")]).toEqual([
      true,
      undefined,
    ])
    expect(valueAt(stub, "data.account.upgrade")).toBeDefined()
    expect(valueAt(whole?.data, "data.account.upgrade")).toBeUndefined()
  }),
  row("events.rule-2", "of the month and of the trial", function* () {
    const statuses = [yield* sharedOverTheMonth, yield* overTheTrial].map(({ stub }) =>
      valueAt(stub, "data.account.inbound_usage.status"),
    )
    expect(statuses).toEqual(["limit_reached", "limit_reached"])
  }),
  row("events.rule-3", "of ten: none with the 4th, then the numbers, never upgrade", function* () {
    const { listen } = yield* World
    const owner = yield* agent("trial")
    const stream = yield* listen({ key: owner.key })
    for (let number = 1; number <= 10; number++) yield* receive(owner, [{ subject: `Mail ${number}` }])
    const accounts = (yield* stream.received(10)).map(({ data }) => valueAt(data, "data.account"))
    const usage = (current: number, status: string) => ({
      inbound_usage: { current, limit: 10, percentage: current * 10, reset_date: anyTime, status },
    })
    expect(accounts).toEqual([
      ...Array.from({ length: 4 }, () => undefined),
      usage(5, "approaching"),
      usage(6, "approaching"),
      usage(7, "approaching"),
      usage(8, "near"),
      usage(9, "near"),
      usage(10, "limit_reached"),
    ])
  }),
  row("events.rule-4-size", "the large one is gone, the small one stays", function* () {
    expect(yield* dropped([tooLarge, ...files(1)])).toEqual({
      kept: 1,
      dropped: true,
      reason: "size",
      inMessage: [true, "size"],
    })
  }),
  row("events.rule-4-count", "of 21 small ones 20 stay", function* () {
    expect(yield* dropped(files(21))).toEqual({
      kept: 20,
      dropped: true,
      reason: "count",
      inMessage: [true, "count"],
    })
  }),
  row(
    ["events.rule-4-both", "decisions.smtp.dropped"],
    "of a large one and 21 small ones 20 stay",
    function* () {
      expect(yield* dropped([tooLarge, ...files(21)])).toEqual({
        kept: 20,
        dropped: true,
        reason: "both",
        inMessage: [true, "both"],
      })
    },
  ),
  row("events.rule-4-none", "20 small ones all stay, and nothing is said", function* () {
    const owner = yield* agent()
    const envelope = yield* eventOf(owner, { attachments: files(20) })
    expect(valueAt(envelope, "data.attachments")).toHaveLength(20)
    expect(fieldsAt(envelope, "data").filter((name) => name.startsWith("attachments_dropped"))).toEqual([])
  }),
  row("events.rule-5", "the reader finds the attachment that the HTML shows", function* () {
    const owner = yield* agent()
    const image = { filename: "logo.png", contentType: "image/png", content: "png", cid: "logo@corp.dev" }
    const envelope = yield* eventOf(owner, {
      html: `<img src="cid:logo@corp.dev">`,
      attachments: [image],
    })
    const contentId = textAt(envelope, "data.attachments.0.content_id")
    expect(textAt(envelope, "data.body_html")).toContain(`cid:${contentId}`)
  }),
  virtual("events.rule-6", "a receiver that fails gets the stub again a minute later", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 10)
    const { received, answer } = yield* hook(owner, ["message.received"])
    yield* answer(500)
    yield* receive(owner)
    yield* received(1)
    yield* answer(200)
    yield* advance("67 seconds")
    const posted = yield* received(2)
    expect(posted.map(({ body }) => valueAt(JSON.parse(body), "data.over_limit"))).toEqual([true, true])
    yield* advance("1 day")
    yield* receive(owner)
    expect(yield* received(3)).toHaveLength(3)
  }),
  row("events.webhook.signature", "of what was received and of what was sent", function* () {
    const owner = yield* agent("active")
    const { received } = yield* hook(owner, ["message.received", "message.sent"])
    yield* receive(owner)
    yield* send(owner, BOB)
    for (const { headers } of yield* received(2))
      expect(headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/)
  }),
]
