/** Events: kinds, payloads, rules, and the stream. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, listMessages, newMailbox, receive, receiveMany, send } from "../../src/agents.js"
import { fieldsAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial, sharedOverTheMonth } from "../../src/gates.js"
import type { Draft } from "../../src/mail.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { anyCount, anyId, anyText, anyTime, expectError, expectWithin } from "../expectations.js"
import { namesIn } from "../names.js"

const BOB = "bob@partner.dev"
const MB = 1024 * 1024

/** The envelope of what a mail becomes. */
const eventOf = (owner: Agent, draft: Draft) =>
  Effect.gen(function* () {
    const { listen } = yield* World
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [draft])
    const [frame] = yield* stream.received(1)
    yield* stream.close
    return frame?.data
  })

/** A webhook for everything, its receiver's requests as envelopes. */
const hook = ({ call }: Agent, events: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { receiver } = yield* World
    const made = yield* receiver
    const { status } = yield* call("POST /v1/webhooks", { body: { url: made.url, events } })
    expect(status).toBe(201)
    return made
  })

const subjectsOf = (frames: ReadonlyArray<{ readonly data: unknown }>) =>
  frames.map(({ data }) => valueAt(data, "data.subject"))

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

/** What a mail's event and its message say of dropped attachments. */
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
  row("events.kinds", "a webhook takes these five, and no other", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    const kinds = ["received", "sent", "delivered", "bounced", "complaint"].map((kind) => `message.${kind}`)
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
    expect(subjectsOf(frames)[0]).toBe("Mail 1")
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

  row("events.stream.rule-1", "5 are open, the 6th is refused; when one closes there is room", function* () {
    const { listen, eventually } = yield* World
    const { key, call } = yield* agent()
    const [first] = yield* Effect.replicateEffect(listen({ key }), 5)
    expectError(yield* call("GET /v1/events"), 429, "TOO_MANY_STREAMS")
    yield* first?.close ?? Effect.void
    yield* eventually(
      "there is room again",
      Effect.scoped(Effect.exit(listen({ key }))),
      ({ _tag }) => _tag === "Success",
    )
  }),
  virtual("events.stream.rule-2", "after 30, 60 and 90 seconds, and not before", function* () {
    const { listen, eventually } = yield* World
    const { advance } = yield* Virtual
    const { key } = yield* agent()
    const stream = yield* listen({ key })
    const beats = (count: number) =>
      eventually(
        `${count} heartbeats`,
        Effect.sync(() => stream.text()),
        (text) => text.split(":heartbeat\n\n").length - 1 === count,
      )
    for (const count of [1, 2, 3]) {
      yield* advance("29999 millis")
      yield* beats(count - 1)
      yield* advance("1 millis")
      yield* beats(count)
    }
  }),
  virtual("events.stream.rule-3", "after 270 seconds, and nothing before", function* () {
    const { listen, eventually } = yield* World
    const { advance } = yield* Virtual
    const { key } = yield* agent()
    const stream = yield* listen({ key })
    for (let spent = 0; spent < 260; spent += 10) {
      yield* advance("10 seconds")
      yield* eventually("it is open", Effect.void, () => true)
    }
    expect(stream.text()).not.toContain("event: reconnect")
    yield* advance("10 seconds")
    yield* stream.ended
    expect(stream.text()).toMatch(/event: reconnect\ndata: .*\n\n$/)
    const again = yield* listen({ key })
    expect(again.text()).not.toContain("event: reconnect")
  }),
  row("events.stream.rule-4", "id, event and data, in this order, and nothing else", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner)
    const [frame] = yield* stream.received(1)
    const [, at, counter] = /^(\d+)-(\d+)-[0-9a-f]{4}$/.exec(frame?.id ?? "") ?? []
    expect(Number(at)).toBe(Date.parse(textAt(frame?.data, "timestamp")))
    expect(Number(counter)).toBeGreaterThan(0)
    const written = `id: ${frame?.id}\nevent: message.received\ndata: ${JSON.stringify(frame?.data)}\n\n`
    expect(stream.text().replace(/^:.*\n\n/gm, "")).toBe(written)
  }),
  row("events.stream.rule-5", "all that came after the id, in order, and then what is new", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const first = yield* listen({ key: owner.key })
    for (const subject of ["one", "two", "three"]) yield* receive(owner, [{ subject }])
    const seen = yield* first.received(3)
    yield* first.close
    yield* receive(owner, [{ subject: "four" }])
    const again = yield* listen({ key: owner.key, headers: { "last-event-id": seen[0]?.id ?? "" } })
    yield* receive(owner, [{ subject: "five" }])
    expect(subjectsOf(yield* again.received(4))).toEqual(["two", "three", "four", "five"])
  }),
  virtual("events.stream.rule-5-buffer", "the newest 100, of the last hour", function* () {
    const { listen } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent("active")
    yield* receiveMany(owner, 101)
    const replay = listen({ key: owner.key, headers: { "last-event-id": "none" } })
    const frames = yield* (yield* replay).received(100)
    expect([frames.length, subjectsOf(frames)[0]]).toEqual([100, "Mail 2"])
    yield* advance("61 minutes")
    yield* receive(owner, [{ subject: "young" }])
    expect(subjectsOf(yield* (yield* replay).received(1))).toEqual(["young"])
  }),
  row("events.stream.rule-6-mailbox", "the events of one, whatever comes to the other", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const stream = yield* listen({ key: owner.key }, `?mailboxId=${owner.mailboxId}`)
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    yield* receive(owner, [{ subject: "to the first" }])
    expect(subjectsOf(yield* stream.received(1))).toEqual(["to the first"])
  }),
  row("events.stream.rule-6-kinds", "one kind, and several with commas", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    const sent = yield* listen({ key: owner.key }, "?events=message.sent")
    const both = yield* listen({ key: owner.key }, "?events=message.received,message.sent")
    yield* receive(owner)
    yield* send(owner, BOB)
    expect((yield* both.received(2)).map(({ event }) => event)).toEqual(["message.received", "message.sent"])
    expect((yield* sent.received(1)).map(({ event }) => event)).toEqual(["message.sent"])
  }),
  row("events.stream.rule-7", "whoever was not listening finds it there", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* stream.close
    yield* receive(owner, [{ subject: "while nobody listened" }])
    expectWithin(yield* listMessages(owner), 200, { messages: [{ subject: "while nobody listened" }] })
  }),
  row("events.stream.rule-8", "no header at 90%, and the numbers in the event", function* () {
    const { listen } = yield* World
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 8)
    const stream = yield* listen({ key: owner.key })
    expect(stream.headers.has("x-service-inbound-quota")).toBe(false)
    expect(stream.headers.has("x-service-inbound-warning")).toBe(false)
    yield* receive(owner)
    const [frame] = yield* stream.received(1)
    expect(valueAt(frame?.data, "data.account.inbound_usage")).toMatchObject({ current: 9, limit: 10 })
  }),
]
