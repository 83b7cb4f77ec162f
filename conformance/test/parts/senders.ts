/** Allow and block lists, policies of receiving, and quarantine. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  accountOf,
  type Agent,
  agent,
  listMessages,
  newestId,
  newMailbox,
  pay,
  receive,
  receiveMany,
  scopedKey,
  send,
  sendInside,
  subjectsOf,
  suppress,
} from "../../src/agents.js"
import { type Answer, fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { SENDER } from "../../src/mail.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { Virtual, Wire, World } from "../../src/World.js"
import {
  ABSENT,
  anyId,
  anyText,
  anyTime,
  expectAnswer,
  expectError,
  expectInvalid,
  expectWithin,
} from "../expectations.js"
import { BOB } from "../values.js"

type List = `${"receive" | "send"}/${"allow" | "block"}`

const add = ({ call }: Pick<Agent, "call">, list: List, entry: string, more: object = {}) =>
  call(`POST /v1/lists/${list}`, { body: { entry, ...more } })

const addToMailbox = ({ call, mailboxId }: Agent, list: List, entry: string) =>
  call(`POST /v1/mailboxes/${mailboxId}/lists/${list}`, { body: { entry } })

const entriesOf = ({ call }: Pick<Agent, "call">, path: string) =>
  Effect.map(call(`GET ${path}`), ({ json }) => listAt(json, "entries").map((one) => textAt(one, "entry")))

const expectBlocked = (answer: Answer, address: string): void =>
  expectError(answer, 400, "RECIPIENT_BLOCKED", { address })

const policies = ({ call, mailboxId }: Agent, body: object) =>
  call(`PATCH /v1/mailboxes/${mailboxId}`, { body })

/** An agent whose block list has the sender of test mails. */
const blocking = Effect.tap(agent("active"), (owner) => add(owner, "receive/block", SENDER))

/** The subjects of the visible messages, and of those in quarantine. */
const sorted = (owner: Agent) =>
  Effect.gen(function* () {
    const { json } = yield* listMessages(owner, "?include=quarantined")
    const found = listAt(json, "messages")
    const subjects = (hidden: boolean) =>
      found
        .filter((one) => (valueAt(one, "quarantined") !== null) === hidden)
        .map((one) => textAt(one, "subject"))
    expect(subjectsOf(yield* listMessages(owner))).toEqual(subjects(false))
    return { visible: subjects(false), quarantined: subjects(true) }
  })

const quarantinedId = (owner: Agent) =>
  Effect.map(listMessages(owner, "?include=quarantined"), ({ json }) => textAt(json, "messages.0.id"))

const recipientReply = (from: string, to: string) =>
  Effect.gen(function* () {
    const session = yield* (yield* Wire).smtp
    expect(yield* session.say(`MAIL FROM:<${from}>`)).toMatch(/^250 /)
    return yield* session.say(`RCPT TO:<${to}>`)
  })

const REFUSED = /^550 5\.7\.1 /

export const senders: Part = [
  row("senders.lists.list", "each list by itself, in pages", function* () {
    const owner = yield* agent("active")
    yield* add(yield* agent("active"), "receive/block", BOB)
    const path = "/v1/lists/receive/block"
    expectAnswer(yield* owner.call(`GET ${path}`), 200, {
      entries: [],
      metadata: { limit: 50, hasMore: false },
    })
    for (const entry of ["ada@partner.dev", "@partner.dev", "@*.partner.dev"])
      yield* add(owner, "receive/block", entry)
    yield* add(owner, "receive/allow", BOB)
    yield* add(owner, "send/block", BOB)
    const first = yield* owner.call(`GET ${path}?limit=2`)
    expectAnswer(first, 200, {
      entries: [
        { id: anyId, entry: "@*.partner.dev", reason: null, createdAt: anyTime },
        { id: anyId, entry: "@partner.dev", reason: null, createdAt: anyTime },
      ],
      metadata: { limit: 2, hasMore: true, nextCursor: anyText },
    })
    const cursor = textAt(first.json, "metadata.nextCursor")
    expect(yield* entriesOf(owner, `${path}?limit=2&cursor=${cursor}`)).toEqual(["ada@partner.dev"])
    for (const query of ["limit=0", "limit=101", "cursor=invented"])
      expectInvalid(yield* owner.call(`GET ${path}?${query}`), query.replace(/=.*/, ""))
  }),
  row("senders.lists.add", "with a reason, or none", function* () {
    const owner = yield* agent()
    const added = yield* add(owner, "receive/block", BOB, { reason: "Sends offers" })
    expectAnswer(added, 201, {
      entry: { id: anyId, entry: BOB, reason: "Sends offers", createdAt: anyTime },
    })
    expectAnswer(yield* add(owner, "receive/block", BOB, { reason: "Again" }), 201, added.json)
    expect(yield* entriesOf(owner, "/v1/lists/receive/block")).toEqual([BOB])
    expectInvalid(yield* add(owner, "receive/block", BOB, { reason: "r".repeat(501) }), "reason")
  }),
  row("senders.lists.entry", "in any case; what is none is refused", function* () {
    const owner = yield* agent()
    for (const [given, stored] of [
      ["BOB@Partner.dev", BOB],
      ["@Partner.DEV", "@partner.dev"],
      ["@*.bücher.example", "@*.xn--bcher-kva.example"],
    ] as const)
      expect(valueAt((yield* add(owner, "send/allow", given)).json, "entry.entry")).toBe(stored)
    for (const entry of ["", "partner.dev", "@", "@*", "*@partner.dev", "Bob <bob@partner.dev>"])
      expectWithin(yield* add(owner, "send/allow", entry), 400, {
        issues: [{ path: "entry", message: "must be ada@example.org, @example.org or @*.example.org" }],
      })
    expectInvalid(yield* owner.call("POST /v1/lists/send/allow", { body: {} }), "entry")
  }),
  row("senders.lists.delete", "from its own list, once", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* add(owner, "receive/block", BOB)).json, "entry.id")
    const { call } = yield* agent("active")
    for (const path of [
      `receive/allow/${id}`,
      `send/block/${id}`,
      `receive/block/${ABSENT}`,
      `receive/block/x`,
    ])
      expectError(yield* owner.call(`DELETE /v1/lists/${path}`), 404, "LIST_ENTRY_NOT_FOUND")
    expectError(yield* call(`DELETE /v1/lists/receive/block/${id}`), 404, "LIST_ENTRY_NOT_FOUND")
    expectAnswer(yield* owner.call(`DELETE /v1/lists/receive/block/${id}`), 200, { deleted: true })
    expect(yield* entriesOf(owner, "/v1/lists/receive/block")).toEqual([])
  }),
  row("senders.lists.mailbox", "beside those of the account and of other mailboxes", function* () {
    const owner = yield* agent("active")
    const second = yield* newMailbox(owner, "second")
    yield* addToMailbox(owner, "send/block", BOB)
    const pathOf = (id: string) => `/v1/mailboxes/${id}/lists/send/block`
    expect(yield* entriesOf(owner, pathOf(owner.mailboxId))).toEqual([BOB])
    for (const path of [pathOf(second.id), "/v1/lists/send/block"])
      expect(yield* entriesOf(owner, path)).toEqual([])
    const foreign = yield* agent()
    for (const id of [ABSENT, foreign.mailboxId, "x"]) {
      expectError(yield* owner.call(`GET ${pathOf(id)}`), 404, "MAILBOX_NOT_FOUND")
      expectError(yield* owner.call(`POST ${pathOf(id)}`, { body: { entry: BOB } }), 404, "MAILBOX_NOT_FOUND")
      expectError(yield* owner.call(`DELETE ${pathOf(id)}/${ABSENT}`), 404, "MAILBOX_NOT_FOUND")
    }
    const listed = yield* owner.call(`GET ${pathOf(owner.mailboxId)}`)
    const entryId = textAt(listed.json, "entries.0.id")
    const removed = yield* owner.call(`DELETE ${pathOf(owner.mailboxId)}/${entryId}`)
    expectAnswer(removed, 200, { deleted: true })
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}`)
    expectError(yield* owner.call(`GET ${pathOf(owner.mailboxId)}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("senders.lists.names", "in each part of the path", function* () {
    const { call } = yield* agent()
    for (const list of ["sent/block", "receive/deny", "RECEIVE/block"])
      expectWithin(yield* call(`GET /v1/lists/${list}`), 404, {
        code: "LIST_NOT_FOUND",
        error: expect.stringContaining("send/block"),
      })
  }),
  row("senders.lists.scoped", "its own mailbox's lists, too", function* () {
    const owner = yield* agent("active")
    const { call } = yield* scopedKey(owner)
    for (const path of ["/v1/lists/receive/allow", `/v1/mailboxes/${owner.mailboxId}/lists/receive/allow`]) {
      expectError(yield* call(`GET ${path}`), 403, "SCOPE_FORBIDDEN")
      expectError(yield* call(`POST ${path}`, { body: { entry: BOB } }), 403, "SCOPE_FORBIDDEN")
      expectError(yield* call(`DELETE ${path}/${ABSENT}`), 403, "SCOPE_FORBIDDEN")
    }
  }),

  row("senders.send.400", "by its address, domain and parent domain; also as a copy", function* () {
    const owner = yield* agent("active")
    for (const [entry, to] of [
      ["ada@one.dev", "ada@one.dev"],
      ["@two.dev", "ada@two.dev"],
      ["@*.three.dev", "ada@mail.three.dev"],
    ] as const) {
      yield* add(owner, "send/block", entry)
      expectBlocked(yield* send(owner, to), to)
      expectBlocked(yield* send(owner, BOB, { bcc: [BOB, to] }), to)
    }
    expect(fieldsAt((yield* send(owner, "ada@one.dev")).json, "")).toEqual(["address", "code", "error"])
    expect((yield* send(owner, BOB)).status).toBe(201)
  }),
  row("senders.lists.tag", "a recipient and a sender, also by their envelope address", function* () {
    const owner = yield* agent("active")
    yield* add(owner, "send/block", BOB)
    const tagged = BOB.replace("@", "+news@")
    expectBlocked(yield* send(owner, tagged), tagged)
    yield* add(owner, "send/allow", tagged)
    expect((yield* send(owner, tagged)).status).toBe(201)
    yield* add(owner, "receive/block", BOB)
    for (const draft of [{ from: tagged }, { envelopeFrom: tagged }]) yield* receive(owner, [draft])
    expect(subjectsOf(yield* listMessages(owner, "?direction=INBOUND"))).toEqual([])
  }),
  row("senders.send.allow", "of the account, and of the mailbox alone", function* () {
    const owner = yield* agent("active")
    yield* add(owner, "send/block", "@*.dev")
    expectBlocked(yield* send(owner, "ada@mail.partner.dev"), "ada@mail.partner.dev")
    yield* addToMailbox(owner, "send/allow", "@*.partner.dev")
    expect((yield* send(owner, "ada@mail.partner.dev")).status).toBe(201)
    yield* add(owner, "send/allow", "eve@mail.other.dev")
    expect((yield* send(owner, "eve@mail.other.dev")).status).toBe(201)
  }),
  row("senders.send.order", "each beside a blocked one, and blocked itself", function* () {
    const owner = yield* agent("active")
    yield* add(owner, "send/block", BOB)
    yield* add(owner, "send/block", "ada@mailinator.com")
    const to = [BOB, "ada@mailinator.com"]
    expectError(yield* send(owner, BOB, { to }), 400, "RECIPIENT_NOT_ALLOWED", { address: to[1] })
    yield* suppress(owner, BOB)
    expectBlocked(yield* send(owner, BOB), BOB)
    yield* add(owner, "send/allow", "eve@partner.dev")
    yield* suppress(owner, "eve@partner.dev")
    expectError(yield* send(owner, "eve@partner.dev"), 400, "RECIPIENT_SUPPRESSED", {
      address: "eve@partner.dev",
    })
  }),

  virtual("senders.lists.max", "over the account and its mailboxes", function* () {
    const owner = yield* agent("active")
    yield* (yield* Virtual).pretend(owner.email, { listEntryCount: 4_999 })
    expect((yield* addToMailbox(owner, "send/allow", BOB)).status).toBe(201)
    expectError(yield* add(owner, "receive/block", BOB), 400, "LIST_LIMIT_REACHED")
    expect((yield* addToMailbox(owner, "send/allow", BOB)).status).toBe(201)
  }),
  row("senders.lists.specific", "an address is taken, and its domain is not", function* () {
    const owner = yield* agent("active")
    const [ada, eve] = [yield* agent("active"), yield* agent("active")]
    yield* add(owner, "receive/block", "@*.mailroom.localhost")
    yield* add(owner, "receive/allow", ada.address)
    yield* sendInside(ada, owner, "from Ada")
    yield* sendInside(eve, owner, "from Eve")
    yield* addToMailbox(owner, "receive/block", ada.address)
    yield* sendInside(ada, owner, "from Ada again")
    expect(yield* sorted(owner)).toEqual({
      visible: ["from Ada"],
      quarantined: ["from Ada again", "from Eve"],
    })
  }),
  row("senders.lists.proven", "a forged From is not, and a block beside it counts", function* () {
    const owner = yield* agent("active")
    yield* policies(owner, { receivePolicy: "allowlisted" })
    const ada = yield* agent("active")
    yield* add(owner, "receive/allow", ada.address)
    yield* sendInside(ada, owner, "proven")
    yield* receive(owner, [{ from: ada.address, subject: "forged" }])
    expect(yield* sorted(owner)).toEqual({ visible: ["proven"], quarantined: ["forged"] })
  }),
  row("senders.lists.envelope", "whatever the From says", function* () {
    const owner = yield* agent("active")
    yield* add(owner, "receive/block", "@bulk.dev")
    yield* receive(owner, [{ from: BOB, envelopeFrom: "bounce@bulk.dev", subject: "by bulk" }])
    yield* receive(owner, [{ from: BOB, envelopeFrom: "", subject: "a bounce" }])
    expect(yield* sorted(owner)).toEqual({ visible: ["a bounce"], quarantined: ["by bulk"] })
  }),

  row("senders.receive.blocked", "and mail of others is not", function* () {
    const owner = yield* blocking
    yield* receive(owner, [{ subject: "blocked" }, { from: BOB, subject: "fine" }])
    expect(yield* sorted(owner)).toEqual({ visible: ["fine"], quarantined: ["blocked"] })
    expectWithin(yield* listMessages(owner, "?include=quarantined&subject=blocked"), 200, {
      messages: [{ quarantined: { at: anyTime, reasons: ["blocked"] } }],
    })
  }),
  row("senders.receive.allowlisted", "proven ones of any list; strangers are not taken", function* () {
    const owner = yield* agent("active")
    yield* policies(owner, { receivePolicy: "allowlisted" })
    const [ada, eve] = [yield* agent("active"), yield* agent("active")]
    yield* addToMailbox(owner, "receive/allow", ada.address)
    yield* sendInside(ada, owner, "from Ada")
    yield* sendInside(eve, owner, "from Eve")
    expect(yield* sorted(owner)).toEqual({ visible: ["from Ada"], quarantined: ["from Eve"] })
    expectWithin(yield* listMessages(owner, "?include=quarantined"), 200, {
      messages: [{ quarantined: { reasons: ["not_allowed"] } }, { quarantined: null }],
    })
  }),
  virtual("senders.receive.owner", "forged it is quarantined", function* () {
    const { zones } = yield* Virtual
    const owner = yield* agent("active")
    yield* policies(owner, { receivePolicy: "allowlisted" })
    const domain = owner.email.replace(/.*@/, "")
    yield* zones.put(domain, { txt: ["v=spf1 ip4:192.0.2.1 -all"] })
    yield* zones.put(`_dmarc.${domain}`, { txt: ["v=DMARC1; p=none"] })
    yield* receive(owner, [{ from: owner.email, envelopeFrom: BOB, subject: "forged" }])
    yield* receive(owner, [{ from: owner.email, subject: "proven" }])
    expect(yield* sorted(owner)).toEqual({ visible: ["proven"], quarantined: ["forged"] })
  }),
  wire("senders.refuse.550", "of the account and of the mailbox; other senders are accepted", function* () {
    const owner = yield* agent("active")
    yield* add(owner, "receive/block", "@*.dev")
    yield* addToMailbox(owner, "receive/block", "eve@partner.org")
    expect(yield* recipientReply("ada@mail.partner.dev", owner.address)).toMatch(/^250 /)
    yield* policies(owner, { onBlocked: "refuse" })
    for (const from of ["ada@mail.partner.dev", "Eve@Partner.org"])
      expect(yield* recipientReply(from, owner.address)).toMatch(REFUSED)
    expect(yield* recipientReply("ada@partner.org", owner.address)).toMatch(/^250 /)
  }),
  wire("senders.refuse.allowlisted", "allowed ones and the owner are accepted", function* () {
    const owner = yield* agent("active")
    yield* policies(owner, { onBlocked: "refuse", receivePolicy: "allowlisted" })
    yield* add(owner, "receive/allow", "@partner.dev")
    expect(yield* recipientReply("ada@other.dev", owner.address)).toMatch(REFUSED)
    for (const from of [BOB, owner.email]) expect(yield* recipientReply(from, owner.address)).toMatch(/^250 /)
  }),
  wire("senders.refuse.answer", "one whom it has not written to is refused", function* () {
    const owner = yield* agent("active")
    yield* policies(owner, { onBlocked: "refuse", receivePolicy: "allowlisted" })
    expect(yield* recipientReply(BOB, owner.address)).toMatch(REFUSED)
    expect((yield* send(owner, BOB)).status).toBe(201)
    expect(yield* recipientReply(BOB, owner.address)).toMatch(/^250 /)
    yield* receive(owner, [{ from: BOB, subject: "Re: Hello" }])
    expectWithin(yield* listMessages(owner, "?include=quarantined&direction=INBOUND"), 200, {
      messages: [{ subject: "Re: Hello", quarantined: { reasons: ["not_allowed"] } }],
    })
  }),
  wire("senders.refuse.null", "also when only allowed senders may write", function* () {
    const owner = yield* agent("active")
    yield* policies(owner, { onBlocked: "refuse", receivePolicy: "allowlisted" })
    expect(yield* recipientReply("", owner.address)).toMatch(/^250 /)
  }),
  row("senders.refuse.from", "it was accepted by its envelope", function* () {
    const owner = yield* blocking
    yield* policies(owner, { onBlocked: "refuse" })
    yield* receive(owner, [{ envelopeFrom: BOB, subject: "by another" }])
    expect(yield* sorted(owner)).toEqual({ visible: [], quarantined: ["by another"] })
  }),
  row("senders.refuse.inside", "and nothing is sent", function* () {
    const owner = yield* agent("active")
    const ada = yield* agent("active")
    yield* policies(owner, { onBlocked: "refuse" })
    yield* add(owner, "receive/block", ada.address)
    expectError(yield* send(ada, owner.address), 400, "RELAY_REFUSED")
    expectWithin(yield* listMessages(ada), 200, { messages: [] })
  }),

  row("senders.quarantine.triggers", "unverified mail of others, and not that of this service", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ subject: "before" }])
    yield* policies(owner, { quarantine: ["suspicious", "unverified"] })
    yield* receive(owner, [{ subject: "unproven" }])
    yield* sendInside(yield* agent("active"), owner, "proven")
    expect(yield* sorted(owner)).toEqual({ visible: ["proven", "before"], quarantined: ["unproven"] })
  }),
  row("senders.quarantine.hidden", "from every reader of the mailbox", function* () {
    const { eventually } = yield* World
    const owner = yield* blocking
    const { call, mailboxId } = owner
    yield* receive(owner, [{ from: BOB, subject: "shown", messageId: "<1@partner.dev>" }])
    const attachments = [{ filename: "secret.txt", contentType: "text/plain", content: "secret" }]
    yield* receive(owner, [{ subject: "secret", inReplyTo: "<1@partner.dev>", attachments }])
    const id = yield* quarantinedId(owner)
    const path = `/v1/mailboxes/${mailboxId}/messages/${id}`
    for (const list of ["/v1/messages", `/v1/mailboxes/${mailboxId}/messages?unread=true`])
      expect(subjectsOf(yield* call(`GET ${list}`))).toEqual(["shown"])
    for (const list of ["/v1/threads", `/v1/mailboxes/${mailboxId}/threads`])
      expectWithin(yield* call(`GET ${list}`), 200, { threads: [{ subject: "shown", messageCount: 1 }] })
    const listed = yield* call(`GET /v1/mailboxes/${mailboxId}/threads`)
    const threadId = textAt(listed.json, "threads.0.id")
    const thread = yield* call(`GET /v1/mailboxes/${mailboxId}/threads/${threadId}`)
    expect(listAt(thread.json, "thread.messages")).toHaveLength(1)
    yield* eventually("the mail is indexed", call("GET /v1/messages/search?q=shown"), (found) =>
      subjectsOf(found).includes("shown"),
    )
    expect(subjectsOf(yield* call("GET /v1/messages/search?q=secret"))).toEqual([])
    const waited = `GET /v1/mailboxes/${mailboxId}/messages/wait?timeout=0&since=2020-01-01&subject=secret`
    expectWithin(yield* call(waited), 200, { message: null })
    const claim = `POST /v1/mailboxes/${mailboxId}/messages/claim`
    expectWithin(yield* call(claim), 200, { message: { subject: "shown" } })
    expectWithin(yield* call(claim), 200, { message: null })
    for (const target of [`GET ${path}`, `GET ${path}/raw`, `POST ${path}/claim`])
      expectError(yield* call(target), 404, "MESSAGE_NOT_FOUND")
    for (const [target, body] of [
      [`PATCH ${path}`, { read: true }],
      [`POST ${path}/reply`, { bodyText: "Hi" }],
      [`POST ${path}/forward`, { to: [BOB] }],
    ] as const)
      expectError(yield* call(target, { body }), 404, "MESSAGE_NOT_FOUND")
    // By its Message-ID it is answered as a mail that is not there: what its header refers to stays hidden.
    const whole = yield* call(`GET ${path}?include=quarantined`)
    const inReplyTo = textAt(whole.json, "message.messageId")
    const answered = yield* send(owner, BOB, { inReplyTo })
    expect(valueAt(answered.json, "message.references")).toEqual([inReplyTo])
    const file = textAt(whole.json, "message.attachments.0.id")
    expectError(yield* call(`GET /v1/attachments/${file}`), 404, "ATTACHMENT_NOT_FOUND")
    expectError(yield* send(owner, BOB, { attachments: [file] }), 400, "ATTACHMENT_NOT_FOUND")
  }),
  row("senders.quarantine.include", "page by page, with filters, and alone", function* () {
    const owner = yield* blocking
    const { call, mailboxId } = owner
    for (const [subject, from] of [
      ["1", SENDER],
      ["2", BOB],
      ["3", SENDER],
    ] as const)
      yield* receive(owner, [{ subject, from }])
    for (const list of ["/v1/messages", `/v1/mailboxes/${mailboxId}/messages`]) {
      const shown = (query: string) => Effect.map(call(`GET ${list}?include=quarantined${query}`), subjectsOf)
      expect(yield* shown("")).toEqual(["3", "2", "1"])
      expect(yield* shown("&order=asc&unread=true")).toEqual(["1", "2", "3"])
      expect(yield* shown(`&from=${SENDER}`)).toEqual(["3", "1"])
      expect(yield* shown("&direction=OUTBOUND")).toEqual([])
      const first = yield* call(`GET ${list}?include=quarantined&limit=2`)
      const cursor = textAt(first.json, "metadata.nextCursor")
      expect(yield* shown(`&limit=2&cursor=${cursor}`)).toEqual(["1"])
      expectInvalid(yield* call(`GET ${list}?limit=2&cursor=${cursor}`), "cursor")
      expectInvalid(yield* call(`GET ${list}?include=gated`), "include")
    }
    const id = yield* quarantinedId(owner)
    const path = `/v1/mailboxes/${mailboxId}/messages/${id}`
    expectWithin(yield* call(`GET ${path}?include=quarantined`), 200, {
      message: { subject: "3", bodyText: anyText, quarantined: { at: anyTime, reasons: ["blocked"] } },
    })
    expect((yield* call(`GET ${path}/raw?include=quarantined`)).status).toBe(200)
  }),
  row("senders.quarantine.only", "in one mailbox and in all, page by page, with filters", function* () {
    const owner = yield* blocking
    const { call, mailboxId } = owner
    for (const [subject, from] of [
      ["1", SENDER],
      ["2", BOB],
      ["3", SENDER],
    ] as const)
      yield* receive(owner, [{ subject, from }])
    for (const list of ["/v1/messages", `/v1/mailboxes/${mailboxId}/messages`]) {
      const shown = (query: string) => Effect.map(call(`GET ${list}?quarantined=${query}`), subjectsOf)
      expect(yield* shown("true")).toEqual(["3", "1"])
      expect(yield* shown("true&include=quarantined&order=asc&unread=true")).toEqual(["1", "3"])
      expect(yield* shown(`true&from=${BOB}`)).toEqual([])
      expect(yield* shown(`true&from=${SENDER}`)).toEqual(["3", "1"])
      expect(yield* shown("true&direction=OUTBOUND")).toEqual([])
      expect(yield* shown("false")).toEqual(["2"])
      const first = yield* call(`GET ${list}?quarantined=true&limit=1`)
      const cursor = textAt(first.json, "metadata.nextCursor")
      expect(yield* shown(`true&limit=1&cursor=${cursor}`)).toEqual(["1"])
      expectInvalid(yield* call(`GET ${list}?include=quarantined&limit=1&cursor=${cursor}`), "cursor")
      expectInvalid(yield* call(`GET ${list}?quarantined=only`), "quarantined")
    }
    const held = yield* call(`GET /v1/mailboxes/${mailboxId}/messages?quarantined=true&claim=free`)
    expect(subjectsOf(held)).toEqual([])
    const listed = yield* call("GET /v1/messages?quarantined=true")
    const threadId = textAt(listed.json, "messages.0.threadId")
    const ofThread = yield* call(`GET /v1/messages?quarantined=true&threadId=${threadId}`)
    expect(subjectsOf(ofThread)).toEqual(["3"])
  }),
  row(
    ["senders.quarantine.event", "events.shape.quarantined"],
    "in the log, on the stream and to webhooks",
    function* () {
      const { call, listen, receiver } = yield* World
      const owner = yield* blocking
      const target = yield* receiver
      const events = ["message.quarantined", "message.received"]
      yield* owner.call("POST /v1/webhooks", { body: { url: target.url, events } })
      const stream = yield* listen({ key: owner.key })
      yield* receive(owner, [{ subject: "secret", fromName: "secret", text: "secret" }])
      const data = {
        message_id: yield* quarantinedId(owner),
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        rfc_message_id: anyText,
        from: SENDER,
        reasons: ["blocked"],
        trust: { level: "unverified", reasons: [] },
        received_at: anyTime,
        quarantined_at: anyTime,
      }
      const envelope = { event: "message.quarantined", timestamp: anyTime, data }
      expect((yield* stream.received(1)).map((frame) => frame.data)).toEqual([envelope])
      const [posted] = yield* target.received(1)
      expect(JSON.parse(posted?.body ?? "")).toEqual(envelope)
      const log = yield* call("GET /v1/events/log", { key: owner.key })
      expect(listAt(log.json, "events").map((one) => valueAt(one, "event"))).toEqual(["message.quarantined"])
      expect(log.text).not.toContain("secret")
    },
  ),
  row("senders.quarantine.counts", "of the account and the mailbox", function* () {
    const owner = yield* blocking
    yield* receive(owner, [{}, {}])
    expect(yield* accountOf(owner)).toMatchObject({ receivedToday: 2, monthlyInboundCount: 2 })
    expectWithin(yield* owner.call("GET /v1/mailboxes"), 200, { mailboxes: [{ receivedThisMonth: 2 }] })
  }),
  row("senders.quarantine.release", "in its thread, for waits and for claims", function* () {
    const { listen } = yield* World
    const owner = yield* blocking
    const { call, mailboxId } = owner
    yield* receive(owner, [{ subject: "held" }])
    const id = yield* quarantinedId(owner)
    const start = yield* call(`GET /v1/mailboxes/${mailboxId}/messages/wait?timeout=0`)
    const stream = yield* listen({ key: owner.key })
    const path = `/v1/mailboxes/${mailboxId}/messages/${id}`
    expectWithin(yield* call(`POST ${path}/release`), 200, {
      claim: null,
      message: { id, subject: "held", quarantined: null },
    })
    expect(yield* stream.received(1)).toMatchObject([
      { data: { event: "message.received", data: { message_id: id, subject: "held" } } },
    ])
    expect(yield* sorted(owner)).toEqual({ visible: ["held"], quarantined: [] })
    expectWithin(yield* call(`GET ${path}`), 200, { message: { quarantined: null } })
    expectWithin(yield* call(`GET /v1/mailboxes/${mailboxId}/threads`), 200, {
      threads: [{ subject: "held", messageCount: 1 }],
    })
    const after = textAt(start.json, "after")
    expectWithin(yield* call(`GET /v1/messages/wait?timeout=0&after=${after}`), 200, { message: { id } })
    expectWithin(yield* call(`POST /v1/mailboxes/${mailboxId}/messages/claim`), 200, { message: { id } })
  }),
  row("senders.quarantine.release-400", "also after its release", function* () {
    const owner = yield* blocking
    yield* receive(owner, [{}])
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* quarantinedId(owner)}`
    expect((yield* owner.call(`POST ${path}/release`, { body: {} })).status).toBe(200)
    expectInvalid(yield* owner.call(`POST ${path}/release`, { body: {} }), "token")
    expectError(yield* owner.call(`POST ${path}/release`, { body: { token: "none" } }), 409, "CLAIM_LOST")
  }),
  row(
    ["senders.quarantine.manual", "events.emission.quarantined"],
    "and its thread counts it no more",
    function* () {
      const { listen } = yield* World
      const owner = yield* agent("active")
      const { call, mailboxId } = owner
      yield* receive(owner, [{ subject: "one", messageId: "<1@partner.dev>" }])
      yield* receive(owner, [{ subject: "Re: one", inReplyTo: "<1@partner.dev>" }])
      const path = `/v1/mailboxes/${mailboxId}/messages/${yield* newestId(owner)}`
      const stream = yield* listen({ key: owner.key })
      const quarantined = yield* call(`POST ${path}/quarantine`)
      expectWithin(quarantined, 200, { message: { quarantined: { at: anyTime, reasons: ["manual"] } } })
      expectAnswer(yield* call(`POST ${path}/quarantine`), 200, quarantined.json)
      expect(yield* stream.received(1)).toMatchObject([
        { data: { event: "message.quarantined", data: { reasons: ["manual"] } } },
      ])
      expect(yield* sorted(owner)).toEqual({ visible: ["one"], quarantined: ["Re: one"] })
      const threads = `GET /v1/mailboxes/${mailboxId}/threads`
      expectWithin(yield* call(threads), 200, { threads: [{ messageCount: 1 }] })
      yield* call(`POST ${path}/release`)
      expectWithin(yield* call(threads), 200, { threads: [{ messageCount: 2 }] })
    },
  ),
  row("senders.quarantine.sent", "it stays where it is", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* send(owner, BOB)).json, "message.id")
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${id}`
    expectInvalid(yield* owner.call(`POST ${path}/quarantine`), "msgId")
    expect((yield* owner.call(`GET ${path}`)).status).toBe(200)
  }),
  row("senders.quarantine.delete", "for good", function* () {
    const owner = yield* blocking
    yield* receive(owner, [{}])
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* quarantinedId(owner)}`
    expectAnswer(yield* owner.call(`DELETE ${path}`), 200, { deleted: true })
    expectError(yield* owner.call(`GET ${path}?include=quarantined`), 404, "MESSAGE_NOT_FOUND")
    expect(yield* sorted(owner)).toEqual({ visible: [], quarantined: [] })
  }),
  row("senders.quarantine.permission", "a scoped key reads it if it asks", function* () {
    const owner = yield* blocking
    yield* receive(owner, [{ subject: "held" }])
    const { call } = yield* scopedKey(owner)
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${yield* quarantinedId(owner)}`
    for (const change of ["quarantine", "release"])
      expectError(yield* call(`POST ${path}/${change}`), 403, "PERMISSION_DENIED", { required: ["manage"] })
    expectWithin(yield* call(`GET ${path}?include=quarantined`), 200, { message: { subject: "held" } })
  }),
  virtual("senders.quarantine.gated", "and a stub before that", function* () {
    const { listen } = yield* World
    const owner = yield* agent("trial")
    yield* add(owner, "receive/block", SENDER)
    yield* receiveMany(owner, 10)
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "gated" }])
    const [frame] = yield* stream.received(1)
    expect(frame).toMatchObject({ data: { event: "message.received", data: { over_limit: true } } })
    const id = textAt(frame?.data, "data.message_id")
    const path = `/v1/mailboxes/${owner.mailboxId}/messages/${id}`
    const gated = yield* owner.call(`GET ${path}?include=quarantined`)
    expect(valueAt(gated.json, "code")).toBe("INBOUND_TRIAL_LIMIT_EXCEEDED")
    expect(subjectsOf(yield* listMessages(owner, "?include=quarantined"))).not.toContain("gated")
    yield* pay(owner)
    expectError(yield* owner.call(`GET ${path}`), 404, "MESSAGE_NOT_FOUND")
    expect((yield* sorted(owner)).quarantined).toContain("gated")
    expectWithin(yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads`), 200, { threads: [] })
    expect((yield* owner.call(`POST ${path}/release`)).status).toBe(200)
    expect(yield* sorted(owner)).toMatchObject({ visible: ["gated"] })
  }),
]
