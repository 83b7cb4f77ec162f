import {
  EventEnvelope,
  eventId,
  EventKind,
  MailboxId,
  passes,
  ReceivedData,
  ReceivedStub,
  replayWindow,
  seqOf,
  stubUpgrade,
  upgradeAt,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck, HashSet, Option } from "effect"
import {
  accepts,
  at,
  attachmentId,
  drawn,
  mailboxId,
  messageId,
  read,
  threadId,
  uuid,
} from "./support/records.js"

const now = at("2026-03-01T09:30:00.000Z")
const origin = {
  message_id: messageId,
  mailbox_id: mailboxId,
  mailbox_address: "agent@acme.mailroom.localhost",
}
const usage = {
  current: 60,
  limit: 100,
  percentage: 60,
  reset_date: "2026-04-01T00:00:00.000Z",
  status: "approaching",
}
const full = {
  ...origin,
  rfc_message_id: "<a@acme.dev>",
  from: "ada@acme.dev",
  from_name: "Ada",
  to: ["agent@acme.mailroom.localhost"],
  cc: [],
  subject: "Plan",
  body_text: "Hello",
  body_html: null,
  thread_id: threadId(5),
  in_reply_to: null,
  automated: false,
  received_at: "2026-03-01T09:30:00.000Z",
  attachments: [
    {
      id: attachmentId,
      filename: "a.png",
      content_type: "image/png",
      size_bytes: 7,
      content_id: "logo@acme",
    },
  ],
}
const stub = {
  over_limit: true,
  ...origin,
  received_at: "2026-03-01T09:30:00.000Z",
  account: {
    inbound_usage: { ...usage, current: 101, percentage: 101, status: "limit_reached" },
    upgrade: stubUpgrade(upgradeAt("https://mail.acme.dev", "stripe")),
  },
}
const sent = { ...origin, rfc_message_id: "<b@acme.dev>" }
const envelope = (event: string, data: unknown) => ({ event, timestamp: "2026-03-01T09:30:00.000Z", data })

describe("event ids", () => {
  it("events.stream.rule-4: are {timestamp_ms}-{counter}-{random_4hex}", () => {
    expect(eventId(now, 42, 0xbeef)).toBe("1772357400000-42-beef")
    expect(eventId(now, 1, 7)).toBe("1772357400000-1-0007")
  })

  it.prop(
    "decisions.stream.counter: the counter of an id is the one it was made with",
    [
      FastCheck.integer({ min: 0, max: 8_640_000_000_000_000 }),
      FastCheck.integer({ min: 0, max: 999_999_999_999_999 }),
      FastCheck.integer(),
    ],
    ([instant, seq, random]) => {
      const id = eventId(instant, seq, random)
      expect(id).toMatch(/^\d+-\d+-[0-9a-f]{4}$/)
      expect(seqOf(id)).toEqual(Option.some(seq))
    },
    drawn,
  )

  for (const id of [
    "",
    "42",
    "1772357400000-42",
    "1772357400000-42-bee",
    "1772357400000-42-beefs",
    "1772357400000-42-BEEF",
    "1772357400000-42-beef\n",
    " 1772357400000-42-beef",
    "1772357400000--42-beef",
    "1772357400000-4.2-beef",
    "1772357400000-1e3-beef",
    "-1-42-beef",
    `1-${"9".repeat(400)}-beef`,
  ])
    it(`decisions.stream.unknown-id: ${JSON.stringify(id.slice(0, 30))} is an unknown Last-Event-ID`, () => {
      expect(seqOf(id)).toEqual(Option.none())
    })
})

describe("replay", () => {
  it("events.stream.rule-5-buffer: reaches back 100 events and an hour", () => {
    expect(replayWindow(now)).toEqual({ since: at("2026-03-01T08:30:00.000Z"), max: 100 })
  })
})

describe("filters", () => {
  const event = { mailboxId, kind: "message.sent" } as const
  const otherId = MailboxId.make(uuid(9))

  it("without filters everything passes", () => {
    expect(passes({ mailboxes: null, kinds: null }, event)).toBe(true)
  })

  it("events.stream.rule-6-mailbox: `mailboxId` restricts to mailboxes", () => {
    expect(passes({ mailboxes: HashSet.make(mailboxId), kinds: null }, event)).toBe(true)
    expect(passes({ mailboxes: HashSet.make(otherId), kinds: null }, event)).toBe(false)
  })

  it("events.stream.rule-6-kinds: `events` restricts to kinds", () => {
    expect(passes({ mailboxes: null, kinds: HashSet.make("message.sent" as const) }, event)).toBe(true)
    expect(passes({ mailboxes: null, kinds: HashSet.make("message.received" as const) }, event)).toBe(false)
  })

  it("both must match", () => {
    expect(
      passes({ mailboxes: HashSet.make(mailboxId), kinds: HashSet.make("message.received" as const) }, event),
    ).toBe(false)
    expect(
      passes({ mailboxes: HashSet.make(otherId), kinds: HashSet.make("message.sent" as const) }, event),
    ).toBe(false)
  })

  it("decisions.stream.scoped: a scope of no mailbox sees nothing", () => {
    expect(passes({ mailboxes: HashSet.empty(), kinds: null }, event)).toBe(false)
  })
})

describe("payloads", () => {
  it("events.kinds: these are all kinds", () => {
    expect([...EventKind.literals]).toEqual([
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
    ])
  })

  it("events.shape.received: message.received carries the message", () => {
    expect(read(EventEnvelope, envelope("message.received", full))).toEqual(
      envelope("message.received", full),
    )
    for (const field of (
      "message_id mailbox_id mailbox_address from to cc subject body_text body_html thread_id in_reply_to received_at " +
      "attachments"
    ).split(" ")) {
      const rest = Object.fromEntries(Object.entries(full).filter(([name]) => name !== field))
      expect(accepts(ReceivedData, rest), `without ${field}`).toBe(false)
    }
  })

  it("events.shape.stub: a gated stub says only that the message is there, and how to unlock it", () => {
    expect(read(EventEnvelope, envelope("message.received", stub))).toEqual(
      envelope("message.received", stub),
    )
    expect(Object.keys(ReceivedStub.fields).sort()).toEqual(
      ["over_limit", "message_id", "mailbox_id", "mailbox_address", "received_at", "account"].sort(),
    )
  })

  it("events.rule-1: a stub always carries the upgrade", () => {
    expect(accepts(ReceivedStub, { ...stub, account: { inbound_usage: stub.account.inbound_usage } })).toBe(
      false,
    )
    expect(accepts(ReceivedStub, { ...stub, over_limit: false })).toBe(false)
  })

  it("events.shape.stub: the upgrade of a stub is in snake_case", () => {
    expect(stub.account.upgrade).toEqual({
      browser_url: "https://mail.acme.dev/dashboard/billing",
      api_endpoint: { method: "POST", path: "/v1/billing/upgrade" },
      hint: expect.stringContaining("/v1/billing/upgrade"),
    })
  })

  it("events.rule-3: a full payload can carry the usage, and never the upgrade", () => {
    const near = { ...full, account: { inbound_usage: usage, upgrade: stub.account.upgrade } }
    expect(read(ReceivedData, near)).toEqual({ ...full, account: { inbound_usage: usage } })
  })

  it("events.rule-4-both: dropped attachments are reported with their reason", () => {
    for (const reason of ["size", "count", "both"])
      expect(
        accepts(ReceivedData, { ...full, attachments_dropped: true, attachments_dropped_reason: reason }),
      ).toBe(true)
    expect(accepts(ReceivedData, { ...full, attachments_dropped: false })).toBe(false)
    expect(accepts(ReceivedData, { ...full, attachments_dropped_reason: "age" })).toBe(false)
  })

  for (const [event, data] of [
    [
      "message.sent",
      {
        ...sent,
        from: "agent@acme.mailroom.localhost",
        from_name: "Acme's agent",
        to: ["ada@acme.dev"],
        subject: "Plan",
        thread_id: threadId(5),
        sent_at: "2026-03-01T09:30:00.000Z",
      },
    ],
    [
      "message.delivered",
      { ...sent, recipients: ["ada@acme.dev"], delivered_at: "2026-03-01T09:30:00.000Z" },
    ],
    [
      "message.bounced",
      { ...sent, bounced_recipients: ["ada@acme.dev"], bounced_at: "2026-03-01T09:30:00.000Z", bounces: [] },
    ],
    [
      "message.complaint",
      { ...sent, complained_recipients: ["ada@acme.dev"], complained_at: "2026-03-01T09:30:00.000Z" },
    ],
    [
      "message.quarantined",
      {
        ...sent,
        from: "ada@acme.dev",
        reasons: ["blocked"],
        received_at: "2026-03-01T09:30:00.000Z",
        quarantined_at: "2026-03-01T09:30:00.000Z",
      },
    ],
  ] as const)
    it(event, () => {
      expect(read(EventEnvelope, envelope(event, data))).toMatchObject(envelope(event, data))
      expect(accepts(EventEnvelope, envelope(event, sent))).toBe(false)
      const { rfc_message_id: _, ...anonymous } = data
      expect(accepts(EventEnvelope, envelope(event, anonymous))).toBe(false)
    })

  it("events.envelope: an envelope has a known kind and a UTC timestamp", () => {
    expect(accepts(EventEnvelope, envelope("message.opened", full))).toBe(false)
    expect(accepts(EventEnvelope, { ...envelope("message.received", full), timestamp: "2026-03-01" })).toBe(
      false,
    )
  })
})
