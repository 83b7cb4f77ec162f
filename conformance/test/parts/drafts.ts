/** Drafts, schedules and reviews. */
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { expect } from "vitest"
import {
  accountOf,
  type Agent,
  agent,
  listMessages,
  newestId,
  newMailbox,
  receive,
  scopedKey,
  send,
  sendInside,
  signIn,
  suppress,
  upload,
} from "../../src/agents.js"
import { type Answer, fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, anyId, anyText, anyTime, expectError, expectInvalid, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

const mail = { to: [BOB], subject: "Hello", bodyText: "How are you?" }

const pathOf = ({ mailboxId }: Agent, rest = "") => `/v1/mailboxes/${mailboxId}/drafts${rest}`

const create = (owner: Agent, body: object = mail) => owner.call(`POST ${pathOf(owner)}`, { body })

const idOf = ({ json }: Answer): string => textAt(json, "draft.id")

const draftId = (owner: Agent, body: object = mail) => Effect.map(create(owner, body), idOf)

const read = (owner: Agent, id: string) => owner.call(`GET ${pathOf(owner, `/${id}`)}`)

const change = (owner: Agent, id: string, body: object) =>
  owner.call(`PATCH ${pathOf(owner, `/${id}`)}`, { body })

const sendDraft = (owner: Agent, id: string) => owner.call(`POST ${pathOf(owner, `/${id}/send`)}`)

const policy = (owner: Agent, body: object) => owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body })

const approve = (owner: Pick<Agent, "call">, { json }: Answer, more: object = {}) =>
  owner.call(`POST /v1/reviews/${textAt(json, "draft.id")}/approve`, {
    body: { digest: textAt(json, "draft.digest"), ...more },
  })

/** An owner whose mailbox reviews every send. */
const reviewing = Effect.tap(agent("active"), (owner) => policy(owner, { outboundPolicy: "review" }))

/** An ISO time this many milliseconds from now. */
const inTime = (ahead: number) =>
  Effect.flatMap(World, ({ now }) => Effect.map(now, (at) => new Date(at + ahead).toISOString()))

const HOUR = 3_600_000

/** The events of a kind about a draft. */
const eventsOf = (owner: Agent, kind: string, id: string) =>
  Effect.map(owner.call("GET /v1/events/log"), ({ json }) =>
    listAt(json, "events").filter(
      (event) => valueAt(event, "event") === kind && valueAt(event, "data.draft_id") === id,
    ),
  )

const mailsTo = (address: string) => Effect.flatMap(World, ({ outbox }) => outbox(address))

/** An address that no other test writes to. */
const somebody = ({ slug }: Agent) => `bob-${slug}@partner.dev`

export const drafts: Part = [
  row("drafts.fields", "of a draft with every field", function* () {
    const owner = yield* agent("active")
    const made = yield* create(owner, { ...mail, clientId: "mine", labels: ["one"] })
    expect([...fieldsAt(made.json, "draft")].sort()).toEqual(
      [
        "id mailboxId status fromAddress fromName to cc bcc subject bodyText bodyHtml inReplyTo attachments headers replyTo labels bulk",
        "submitted sendAt clientId digest review error createdAt updatedAt",
      ]
        .join(" ")
        .split(" ")
        .sort(),
    )
    expectWithin(made, 201, {
      draft: {
        ...mail,
        id: anyId,
        status: "DRAFT",
        clientId: "mine",
        labels: ["one"],
        createdAt: anyTime,
        sendAt: null,
        review: null,
        error: null,
      },
    })
  }),
  row("drafts.from", "in lists and reviews, with the name that the mailbox has now", function* () {
    const owner = yield* reviewing
    const id = idOf(yield* send(owner, BOB))
    yield* policy(owner, { displayName: "Agent of Acme" })
    const shown = { id, fromAddress: owner.address, fromName: "Agent of Acme" }
    expectWithin(yield* read(owner, id), 200, { draft: shown })
    for (const list of ["/v1/reviews", "/v1/drafts"])
      expectWithin(yield* owner.call(`GET ${list}`), 200, { drafts: [shown] })
    const sent = yield* approve(owner, yield* read(owner, id))
    expectWithin(sent, 201, { message: shown })
  }),
  row("drafts.from.submitted", "of a submitted mail", function* () {
    const owner = yield* reviewing
    const { submit } = yield* World
    const raw = [`From: Ada <${owner.address}>`, `To: ${BOB}`, "Subject: Hello", "", "Hi.", ""].join("\r\n")
    yield* submit({ user: owner.address, key: owner.key, to: [BOB], raw })
    const { json } = yield* owner.call("GET /v1/reviews")
    expect(valueAt(json, "drafts.0")).toMatchObject({ fromAddress: owner.address, fromName: "Ada" })
    expect(fieldsAt(json, "drafts.0.submitted")).toEqual([
      "contentId",
      "contentType",
      "filename",
      "id",
      "sha256",
      "sizeBytes",
    ])
  }),
  row(["drafts.sent", "drafts.send.201"], "with a file and in a thread", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    const inReplyTo = yield* newestId(owner)
    const attachments = [textAt((yield* upload(owner, "a.txt", "A")).json, "id")]
    const id = yield* draftId(owner, { ...mail, inReplyTo, attachments })
    const sent = yield* sendDraft(owner, id)
    expectWithin(sent, 201, { message: { id, status: "SENT", attachments: [{ id: attachments[0] }] } })
    expectError(yield* read(owner, id), 404, "DRAFT_NOT_FOUND")
  }),
  row("drafts.storage", "of an uploaded file", function* () {
    const owner = yield* agent("active")
    const file = textAt((yield* upload(owner, "a.txt", "A".repeat(5000))).json, "id")
    const id = yield* draftId(owner, { ...mail, attachments: [file] })
    expectError(yield* owner.call(`DELETE /v1/attachments/${file}`), 409, "ATTACHMENT_IN_USE")
    expect(Number(valueAt(yield* accountOf(owner), "storageUsedBytes"))).toBeGreaterThan(5000)
    expectWithin(yield* owner.call(`DELETE ${pathOf(owner, `/${id}`)}`), 200, { deleted: true })
    expect(yield* accountOf(owner)).toMatchObject({ storageUsedBytes: 0 })
    expectError(yield* owner.call(`GET /v1/attachments/${file}`), 404, "ATTACHMENT_NOT_FOUND")
  }),
  virtual("drafts.limit", "the 1,001st, and a send that is held", function* () {
    const { pretend } = yield* Virtual
    const owner = yield* agent("active")
    yield* create(owner, {})
    yield* pretend(owner.email, { copiedDrafts: 998 })
    expectWithin(yield* create(owner, {}), 201, {})
    expectError(yield* create(owner, {}), 400, "DRAFT_LIMIT_REACHED")
    yield* policy(owner, { outboundPolicy: "review" })
    expectError(yield* send(owner, BOB), 400, "DRAFT_LIMIT_REACHED")
  }),
  row("drafts.create.201", "an empty one", function* () {
    const owner = yield* agent()
    const made = yield* create(owner, {})
    expectWithin(made, 201, { draft: { to: [], subject: null, bodyText: null } })
    expectWithin(yield* read(owner, idOf(made)), 200, { draft: { to: [], subject: null, bodyText: null } })
  }),
  row("drafts.client-id", "with another body", function* () {
    const owner = yield* agent()
    const id = yield* draftId(owner, { clientId: "mine", subject: "One" })
    expectWithin(yield* create(owner, { clientId: "mine", subject: "Two" }), 201, {
      draft: { id, subject: "One" },
    })
  }),
  row("drafts.create.schedule", "of a suppressed recipient, and by a key without send", function* () {
    const owner = yield* agent("active")
    const sendAt = yield* inTime(HOUR)
    expectWithin(yield* create(owner, { ...mail, sendAt }), 201, { draft: { status: "SCHEDULED", sendAt } })
    const to = [somebody(owner)]
    yield* suppress(owner, somebody(owner))
    expectError(yield* create(owner, { ...mail, to, sendAt }), 400, "RECIPIENT_SUPPRESSED", {
      address: somebody(owner),
    })
    const { json } = yield* owner.call("POST /v1/api-keys", { body: { name: "k", permissions: "draftOnly" } })
    const key = textAt(json, "key")
    expectError(
      yield* owner.call(`POST ${pathOf(owner)}`, { key, body: { ...mail, sendAt } }),
      403,
      "PERMISSION_DENIED",
      { required: ["send"] },
    )
    expectWithin(yield* owner.call("GET /v1/drafts", { key }), 200, { drafts: [{ status: "SCHEDULED" }] })
  }),
  row("drafts.list", "two pages of three, a state, and a scoped key", function* () {
    const owner = yield* agent("active")
    const other = yield* newMailbox(owner, "other")
    const [one, two] = [
      yield* draftId(owner),
      yield* draftId(owner, { ...mail, sendAt: yield* inTime(HOUR) }),
    ]
    const three = idOf(yield* owner.call(`POST /v1/mailboxes/${other.id}/drafts`, { body: {} }))
    const ids = ({ json }: Answer) => listAt(json, "drafts").map((draft) => valueAt(draft, "id"))
    const page = yield* owner.call("GET /v1/drafts?limit=2")
    expect(ids(page)).toEqual([three, two])
    const cursor = textAt(page.json, "metadata.nextCursor")
    const next = yield* owner.call(`GET /v1/drafts?limit=2&cursor=${cursor}`)
    expect([ids(next), valueAt(next.json, "metadata")]).toEqual([[one], { limit: 2, hasMore: false }])
    expect(ids(yield* owner.call("GET /v1/drafts?status=SCHEDULED"))).toEqual([two])
    expect(ids(yield* owner.call(`GET ${pathOf(owner)}`))).toEqual([two, one])
    const scoped = yield* scopedKey(owner)
    expect(ids(yield* scoped.call("GET /v1/drafts"))).toEqual([two, one])
  }),
  row("drafts.update.200", "a body replaced by HTML", function* () {
    const owner = yield* agent()
    const before = yield* create(owner)
    const id = idOf(before)
    const after = yield* change(owner, id, { bodyText: null, bodyHtml: "<p>Hi</p>", labels: ["x"] })
    expectWithin(after, 200, {
      draft: { id, to: [BOB], subject: "Hello", bodyText: null, bodyHtml: "<p>Hi</p>", labels: ["x"] },
    })
    expect(textAt(after.json, "draft.digest")).not.toBe(textAt(before.json, "draft.digest"))
  }),
  row("drafts.update.review", "of a held one", function* () {
    const owner = yield* reviewing
    const held = yield* send(owner, BOB)
    expectWithin(yield* change(owner, idOf(held), { subject: "Changed" }), 200, {
      draft: { status: "DRAFT", review: null },
    })
    expectError(yield* approve(owner, held), 409, "NOT_PENDING_REVIEW")
  }),
  row("drafts.schedule.cancel", "each once", function* () {
    const owner = yield* agent("active")
    const sendAt = yield* inTime(HOUR)
    const id = yield* draftId(owner, { ...mail, sendAt })
    expectWithin(yield* change(owner, id, { sendAt: null }), 200, {
      draft: { status: "DRAFT", sendAt: null },
    })
    yield* owner.call(`DELETE ${pathOf(owner, `/${id}`)}`)
    expectWithin(yield* owner.call("GET /v1/drafts"), 200, { drafts: [] })
  }),
  row("drafts.404", "for each method", function* () {
    const owner = yield* agent()
    const foreign = yield* draftId(yield* agent())
    for (const id of [ABSENT, foreign]) {
      expectError(yield* read(owner, id), 404, "DRAFT_NOT_FOUND")
      expectError(yield* change(owner, id, {}), 404, "DRAFT_NOT_FOUND")
      expectError(yield* sendDraft(owner, id), 404, "DRAFT_NOT_FOUND")
      expectError(yield* owner.call(`DELETE ${pathOf(owner, `/${id}`)}`), 404, "DRAFT_NOT_FOUND")
    }
    const other = yield* newMailbox(owner, "other")
    const own = yield* draftId(owner)
    const scoped = yield* scopedKey({ ...owner, mailboxId: other.id })
    expectError(yield* scoped.call(`GET ${pathOf(owner, `/${own}`)}`), 404, "MAILBOX_NOT_FOUND")
    expectError(
      yield* owner.call(`GET ${pathOf({ ...owner, mailboxId: other.id }, `/${own}`)}`),
      404,
      "DRAFT_NOT_FOUND",
    )
  }),
  row("drafts.send.incomplete", "each of them", function* () {
    const owner = yield* agent("active")
    expectInvalid(yield* sendDraft(owner, yield* draftId(owner, {})), "to", "subject", "bodyText")
  }),

  row("drafts.schedule.202", "and they list", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* newestId(owner)}`
    const sendAt = yield* inTime(HOUR)
    const scheduled = { draft: { status: "SCHEDULED", sendAt } }
    expectWithin(yield* send(owner, BOB, { sendAt }), 202, scheduled)
    for (const [route, body] of [
      ["reply", { bodyText: "Hi" }],
      ["reply-all", { bodyText: "Hi" }],
      ["forward", { to: [BOB] }],
    ] as const)
      expectWithin(yield* owner.call(`POST ${path}/${route}`, { body: { ...body, sendAt } }), 202, scheduled)
    expect(listAt((yield* owner.call("GET /v1/drafts")).json, "drafts")).toHaveLength(4)
  }),
  row("drafts.schedule.ahead", "in the past, too late, without an offset, and no time", function* () {
    const owner = yield* agent("active")
    const day = 24 * HOUR
    for (const sendAt of [
      yield* inTime(-HOUR),
      yield* inTime(91 * day),
      (yield* inTime(HOUR)).slice(0, -1),
      "tomorrow",
    ])
      expectInvalid(yield* send(owner, BOB, { sendAt }), "sendAt")
    expectWithin(yield* send(owner, BOB, { sendAt: yield* inTime(89 * day) }), 202, {})
  }),
  virtual("drafts.schedule.failed", "a recipient that was suppressed meanwhile", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    const id = idOf(yield* send(owner, BOB, { sendAt: yield* inTime(HOUR) }))
    yield* suppress(owner, BOB)
    yield* advance(HOUR)
    yield* settle
    expectWithin(yield* read(owner, id), 200, {
      draft: { status: "FAILED", error: { code: "RECIPIENT_SUPPRESSED", message: anyText } },
    })
    expect(yield* eventsOf(owner, "draft.failed", id)).toMatchObject([
      { data: { code: "RECIPIENT_SUPPRESSED", to: [BOB], subject: "Hello", failed_at: anyTime } },
    ])
  }),
  virtual("drafts.schedule.once", "after an outage of an hour", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    const to = somebody(owner)
    const id = idOf(yield* send(owner, to, { sendAt: yield* inTime(HOUR) }))
    yield* advance(HOUR - 1000)
    yield* settle
    expect(yield* mailsTo(to)).toEqual([])
    yield* advance(HOUR)
    yield* settle
    yield* advance(HOUR)
    yield* settle
    expect(yield* mailsTo(to)).toHaveLength(1)
    expectWithin(yield* listMessages(owner), 200, { messages: [{ id, status: "SENT" }] })
  }),

  row("drafts.review.policy", "a send to a known and to an unknown address", function* () {
    const [owner, other] = [yield* agent("active"), yield* agent("active")]
    const ada = other.address
    yield* sendInside(other, owner, "Proven")
    for (const [outboundPolicy, known, unknown] of [
      ["open", 201, 201],
      ["review_new", 201, 202],
      ["review", 202, 202],
    ] as const) {
      yield* policy(owner, { outboundPolicy })
      expect([(yield* send(owner, ada)).status, (yield* send(owner, somebody(owner))).status]).toEqual([
        known,
        unknown,
      ])
    }
  }),
  row("drafts.review.heard", "by a forged mail; by the mail of its owner it is", function* () {
    const [owner, other] = [yield* agent("active"), yield* agent("active")]
    yield* policy(owner, { outboundPolicy: "review_new" })
    const stranger = somebody(owner)
    yield* receive(owner, [{ from: stranger }, { from: other.address }])
    for (const to of [stranger, other.address]) {
      const reasons = [{ code: "NEW_RECIPIENT", address: to }]
      expectWithin(yield* send(owner, to), 202, { draft: { review: { reasons } } })
    }
    yield* sendInside(other, owner, "Proven")
    expect((yield* send(owner, other.address)).status).toBe(201)
  }),
  row("drafts.review.held", "and its quota is untouched", function* () {
    const owner = yield* reviewing
    const reasons = [{ code: "EVERY_SEND" }, { code: "NEW_RECIPIENT", address: BOB }]
    const held = yield* send(owner, BOB)
    expectWithin(held, 202, {
      draft: {
        status: "PENDING_REVIEW",
        review: { requestedAt: anyTime, expiresAt: anyTime, reasons },
      },
    })
    expect(yield* accountOf(owner)).toMatchObject({ sentToday: 0 })
    expect(yield* eventsOf(owner, "draft.review_requested", idOf(held))).toMatchObject([
      {
        data: {
          mailbox_id: owner.mailboxId,
          mailbox_address: owner.address,
          digest: textAt(held.json, "draft.digest"),
          reasons,
          requested_at: anyTime,
          expires_at: anyTime,
        },
      },
    ])
  }),
  row("drafts.review.reasons", "until it was approved", function* () {
    const owner = yield* reviewing
    const every = { code: "EVERY_SEND" }
    const held = yield* send(owner, BOB)
    expectWithin(held, 202, {
      draft: { review: { reasons: [every, { code: "NEW_RECIPIENT", address: BOB }] } },
    })
    yield* approve(owner, held)
    expectWithin(yield* send(owner, BOB), 202, { draft: { review: { reasons: [every] } } })
  }),
  row("drafts.digest", "computed by the client", function* () {
    const owner = yield* reviewing
    const content = Buffer.from("A").toString("base64")
    const file = { filename: "a.txt", contentType: "text/plain" }
    const held = yield* send(owner, BOB, { attachments: [{ ...file, content }] })
    const sha256 = createHash("sha256").update("A").digest("hex")
    expectWithin(held, 202, { draft: { attachments: [{ ...file, sizeBytes: 1, contentId: null, sha256 }] } })
    const text = JSON.stringify([
      "mailroom draft 1",
      [BOB],
      [],
      [],
      "Hello",
      "How are you?",
      null,
      null,
      [],
      false,
      [["a.txt", "text/plain", null, 1, sha256]],
      null,
      null,
    ])
    const sha256Of = (one: string) => createHash("sha256").update(one).digest("hex")
    const digest = sha256Of(text)
    expect(textAt(held.json, "draft.digest")).toBe(digest)
    yield* policy(owner, { displayName: "Ada" })
    const sendAt = yield* inTime(HOUR)
    const timed = yield* change(owner, idOf(held), { sendAt })
    expect(textAt(timed.json, "draft.digest")).toBe(
      sha256Of(JSON.stringify(["mailroom approval 1", digest, "Ada", sendAt])),
    )
  }),
  virtual("drafts.review.mail", "three sends, one mail", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* reviewing
    for (const subject of ["One", "Two", "Three"]) yield* send(owner, BOB, { subject })
    yield* advance("1 minute")
    yield* settle
    const notices = (yield* mailsTo(owner.email)).filter(({ subject }) => subject.includes("approval"))
    expect(notices).toMatchObject([{ text: expect.stringContaining("/dashboard") }])
  }),
  virtual("drafts.review.expired", "after the hour that the mailbox gives it", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* reviewing
    yield* policy(owner, { reviewTtlHours: 1 })
    const held = yield* send(owner, BOB)
    yield* advance(HOUR)
    yield* settle
    expectWithin(yield* read(owner, idOf(held)), 200, {
      draft: { status: "REJECTED", error: { code: "REVIEW_EXPIRED" } },
    })
    expect(yield* eventsOf(owner, "draft.expired", idOf(held))).toMatchObject([
      { data: { expired_at: anyTime } },
    ])
  }),
  row("drafts.review.withdrawn", "by a change, by its schedule, and with its deletion", function* () {
    const owner = yield* reviewing
    const withdrawnBy = { kind: "key", id: anyId, name: "Default key" }
    const withdrawals = (id: string) =>
      Effect.map(eventsOf(owner, "draft.withdrawn", id), (events) =>
        events.map((event) => valueAt(event, "data")),
      )
    const held = yield* send(owner, BOB)
    const id = idOf(held)
    const digest = textAt(held.json, "draft.digest")
    yield* change(owner, id, { labels: ["urgent"] })
    expect(yield* withdrawals(id)).toEqual([])
    expectWithin(yield* change(owner, id, { subject: "Another" }), 200, { draft: { status: "DRAFT" } })
    const data = {
      draft_id: id,
      mailbox_id: owner.mailboxId,
      mailbox_address: owner.address,
      to: [BOB],
      subject: textAt(held.json, "draft.subject"),
      digest,
      deleted: false,
      withdrawn_by: withdrawnBy,
      withdrawn_at: anyTime,
    }
    expect(yield* withdrawals(id)).toEqual([data])
    yield* owner.call(`DELETE ${pathOf(owner, `/${id}`)}`)
    expect(yield* withdrawals(id)).toHaveLength(1)

    const unscheduled = idOf(yield* send(owner, BOB))
    expectWithin(yield* change(owner, unscheduled, { sendAt: null }), 200, { draft: { status: "DRAFT" } })
    expect(yield* withdrawals(unscheduled)).toMatchObject([{ deleted: false }])

    const moved = idOf(yield* send(owner, BOB))
    expectWithin(yield* change(owner, moved, { sendAt: yield* inTime(HOUR) }), 200, {
      draft: { status: "PENDING_REVIEW" },
    })
    expect(yield* withdrawals(moved)).toMatchObject([{ deleted: false, withdrawn_by: withdrawnBy }])
    expect(yield* eventsOf(owner, "draft.review_requested", moved)).toHaveLength(2)

    const scheduled = idOf(yield* send(owner, BOB))
    yield* policy(owner, { outboundPolicy: "open" })
    const later = yield* change(owner, scheduled, { sendAt: yield* inTime(HOUR) })
    expectWithin(later, 200, { draft: { status: "SCHEDULED" } })
    expect(yield* withdrawals(scheduled)).toMatchObject([{ deleted: false, withdrawn_by: withdrawnBy }])

    yield* policy(owner, { outboundPolicy: "review" })
    const deleted = idOf(yield* send(owner, BOB))
    yield* owner.call(`DELETE ${pathOf(owner, `/${deleted}`)}`)
    expect(yield* withdrawals(deleted)).toMatchObject([{ deleted: true, withdrawn_by: withdrawnBy }])
  }),
  row("drafts.review.decided-by", "a key approves one, and the owner rejects another", function* () {
    const { call } = yield* World
    const owner = yield* reviewing
    const cookie = yield* signIn(owner)
    const one = yield* send(owner, BOB)
    yield* approve(owner, one)
    expect(yield* eventsOf(owner, "draft.approved", idOf(one))).toMatchObject([
      { data: { decided_by: { kind: "key", id: anyId, name: "Default key" } } },
    ])
    const other = yield* send(owner, BOB)
    yield* call(`POST /v1/reviews/${idOf(other)}/reject`, { cookie, body: {} })
    const [rejection] = yield* eventsOf(owner, "draft.rejected", idOf(other))
    expect(valueAt(rejection, "data.decided_by")).toEqual({ kind: "session" })
  }),
  row("drafts.reviews.list", "and no other draft", function* () {
    const owner = yield* reviewing
    yield* create(owner)
    const id = idOf(yield* send(owner, BOB))
    expectWithin(yield* owner.call("GET /v1/reviews"), 200, {
      drafts: [{ id, status: "PENDING_REVIEW" }],
      metadata: { hasMore: false },
    })
  }),
  row("drafts.approve.permission", "by a full key, one without review, and a scoped one", function* () {
    const owner = yield* reviewing
    const held = yield* send(owner, BOB)
    const { json } = yield* owner.call("POST /v1/api-keys", {
      body: { name: "k", permissions: ["read", "send"] },
    })
    const key = textAt(json, "key")
    const limited: Pick<Agent, "call"> = { call: (target, call) => owner.call(target, { ...call, key }) }
    expectError(yield* approve(limited, held), 403, "PERMISSION_DENIED", { required: ["review"] })
    expectError(yield* approve(yield* scopedKey(owner), held), 403, "SCOPE_FORBIDDEN")
    expectWithin(yield* approve(owner, held), 201, {})
  }),
  row("drafts.approve.201", "and its recipient is known from then on", function* () {
    const owner = yield* agent("active")
    yield* policy(owner, { outboundPolicy: "review_new" })
    const to = somebody(owner)
    const held = yield* send(owner, to)
    expectWithin(held, 202, { draft: { review: { reasons: [{ code: "NEW_RECIPIENT", address: to }] } } })
    expectWithin(yield* approve(owner, held), 201, { message: { id: idOf(held), status: "SENT" } })
    expect(yield* eventsOf(owner, "draft.approved", idOf(held))).toMatchObject([
      { data: { edited: false, approved_at: anyTime } },
    ])
    expectWithin(yield* send(owner, to), 201, {})
    expect(yield* mailsTo(to)).toHaveLength(2)
  }),
  row("drafts.approve.201", "or 202 with the FAILED draft, when a check refuses its send", function* () {
    const owner = yield* reviewing
    const to = somebody(owner)
    const held = yield* send(owner, to)
    yield* owner.call("POST /v1/suppressions", { body: { email: to } })
    expectWithin(yield* approve(owner, held), 202, {
      draft: { id: idOf(held), status: "FAILED", error: { code: "RECIPIENT_SUPPRESSED" } },
    })
  }),
  row("drafts.approve.409", "one byte, and a second approval at once", function* () {
    const owner = yield* reviewing
    const to = somebody(owner)
    const held = yield* send(owner, to)
    expectError(yield* approve(owner, held, { digest: "0".repeat(64) }), 409, "DIGEST_MISMATCH", {
      digest: textAt(held.json, "draft.digest"),
    })
    const answers = yield* Effect.all([approve(owner, held), approve(owner, held)], {
      concurrency: "unbounded",
    })
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    expect([
      [201, 409],
      [201, 404],
    ]).toContainEqual([statuses[0], statuses[1]])
    expect(yield* mailsTo(to)).toHaveLength(1)
  }),
  row("drafts.approve.edits", "of the subject", function* () {
    const owner = yield* reviewing
    const held = yield* send(owner, somebody(owner))
    expectWithin(yield* approve(owner, held, { edits: { subject: "Edited" } }), 201, {
      message: { subject: "Edited" },
    })
    expect(yield* eventsOf(owner, "draft.approved", idOf(held))).toMatchObject([{ data: { edited: true } }])
  }),
  virtual("drafts.approve.name", "by a scoped key, between the approval and its time", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* reviewing
    const to = somebody(owner)
    const held = yield* send(owner, to, { sendAt: yield* inTime(HOUR) })
    expectWithin(yield* approve(owner, held), 202, { draft: { status: "SCHEDULED" } })
    const agents = yield* scopedKey(owner)
    yield* agents.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { displayName: "Your Bank" } })
    yield* advance(HOUR)
    yield* settle
    expectWithin(yield* read(owner, idOf(held)), 200, { draft: { status: "PENDING_REVIEW" } })
    expect(yield* mailsTo(to)).toEqual([])
    expectError(yield* approve(owner, held), 409, "DIGEST_MISMATCH", { digest: anyText })
    expectWithin(yield* approve(owner, yield* read(owner, idOf(held))), 201, {
      message: { fromName: "Your Bank" },
    })
  }),
  row("drafts.approve.name", "by a scoped key, between the look and the approval", function* () {
    const owner = yield* reviewing
    const to = somebody(owner)
    const held = yield* send(owner, to)
    const agents = yield* scopedKey(owner)
    yield* agents.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { displayName: "Your Bank" } })
    expectError(yield* approve(owner, held), 409, "DIGEST_MISMATCH", {
      digest: textAt((yield* read(owner, idOf(held))).json, "draft.digest"),
    })
    expect(yield* mailsTo(to)).toEqual([])
  }),
  row("drafts.approve.time", "by a scoped key, before the approval", function* () {
    const owner = yield* reviewing
    const agents = { ...owner, ...(yield* scopedKey(owner)) }
    const held = yield* send(agents, somebody(owner), { sendAt: yield* inTime(20 * HOUR) })
    const sooner = { sendAt: yield* inTime(HOUR) }
    expectWithin(yield* change(agents, idOf(held), sooner), 200, {
      draft: { status: "PENDING_REVIEW", ...sooner },
    })
    expectError(yield* approve(owner, held), 409, "DIGEST_MISMATCH", { digest: anyText })
  }),
  virtual("drafts.approve.time", "by a scoped key, after the approval: later, and now", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* reviewing
    const agents = { ...owner, ...(yield* scopedKey(owner)) }
    const to = somebody(owner)
    const approved = Effect.gen(function* () {
      const held = yield* send(agents, to, { sendAt: yield* inTime(HOUR) })
      expectWithin(yield* approve(owner, held), 202, { draft: { status: "SCHEDULED" } })
      return idOf(held)
    })
    const moved = yield* change(agents, yield* approved, { sendAt: yield* inTime(2 * HOUR) })
    expectWithin(moved, 200, { draft: { status: "PENDING_REVIEW" } })
    expectWithin(yield* sendDraft(agents, yield* approved), 202, { draft: { status: "PENDING_REVIEW" } })
    yield* approved
    yield* advance(3 * HOUR)
    yield* settle
    expect(yield* mailsTo(to)).toHaveLength(1)
  }),
  row("drafts.reject.200", "and it cannot be approved then", function* () {
    const owner = yield* reviewing
    const held = yield* send(owner, BOB)
    const rejected = yield* owner.call(`POST /v1/reviews/${idOf(held)}/reject`, { body: { reason: "No" } })
    expectWithin(rejected, 200, {
      draft: { status: "REJECTED", error: { code: "REJECTED", message: "No" } },
    })
    expect(yield* eventsOf(owner, "draft.rejected", idOf(held))).toMatchObject([
      { data: { reason: "No", rejected_at: anyTime } },
    ])
    expectError(yield* approve(owner, held), 409, "NOT_PENDING_REVIEW")
  }),
  virtual("drafts.paused", "and a scheduled one goes when sending resumes", function* () {
    const { advance, settle } = yield* Virtual
    const owner = yield* agent("active")
    const to = somebody(owner)
    const pause = (sendingPaused: boolean) => owner.call("PATCH /v1/account", { body: { sendingPaused } })
    yield* send(owner, to, { sendAt: yield* inTime(HOUR) })
    expectWithin(yield* pause(true), 200, { account: { sendingPaused: true } })
    const status = (wanted: string) => policy(owner, { status: wanted })
    // It comes before the state of the mailbox.
    yield* status("paused")
    expectError(yield* send(owner, to), 403, "SENDING_PAUSED")
    yield* status("ACTIVE")
    yield* advance(3 * HOUR)
    yield* settle
    expect(yield* mailsTo(to)).toEqual([])
    expectWithin(yield* pause(false), 200, { account: { sendingPaused: false } })
    yield* settle
    expect(yield* mailsTo(to)).toHaveLength(1)
  }),
]
