/** Filtered lists, lists of the account, and changes of labels. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  listMessages,
  newestId,
  newKey,
  newMailbox,
  receive,
  receiveMany,
  send,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual } from "../../src/World.js"
import { ABSENT, expectError, expectInvalid, expectWithin } from "../expectations.js"

const subjectsAt = (json: unknown, list = "messages") =>
  listAt(json, list).map((item) => valueAt(item, "subject"))

const subjects = (owner: Agent, query: string) =>
  Effect.map(listMessages(owner, `?${query}`), ({ json }) => subjectsAt(json))

const messagePath = (owner: Agent) =>
  Effect.map(newestId(owner), (id) => `/v1/mailboxes/${owner.mailboxId}/messages/${id}`)

const file = { filename: "a.csv", contentType: "text/csv", content: "a;b" }

/** Reads a list page by page; the subjects of all pages. */
const allPages = (owner: Agent, target: string, list = "messages") =>
  Effect.gen(function* () {
    const found: Array<unknown> = []
    let cursor = ""
    for (let more = true; more;) {
      const { json } = yield* owner.call(`GET ${target}${cursor}`)
      found.push(...subjectsAt(json, list))
      more = valueAt(json, "metadata.hasMore") === true
      if (more) cursor = `&cursor=${textAt(json, "metadata.nextCursor")}`
    }
    return found
  })

/** An account with a message in each of two mailboxes: `two` is newer. */
const withTwoMailboxes = Effect.gen(function* () {
  const owner = yield* agent()
  const second = yield* newMailbox(owner, "second")
  yield* receive(owner, [{ subject: "one" }])
  yield* receive(owner, [{ subject: "two" }], second.address)
  return { owner, second }
})

export const lists: Part = [
  row("lists.filters.labels", "both labels are wanted, and the other message has one", function* () {
    const owner = yield* agent()
    for (const [subject, labels] of [
      ["one", ["a"]],
      ["both", ["a", "b"]],
    ] as const) {
      yield* receive(owner, [{ subject }])
      yield* owner.call(`PATCH ${yield* messagePath(owner)}`, { body: { labels } })
    }
    expect(yield* subjects(owner, "labels=a")).toEqual(["both", "one"])
    expect(yield* subjects(owner, "labels=a,b")).toEqual(["both"])
    expect(yield* subjects(owner, "labels=c")).toEqual([])
  }),
  row("lists.filters.unread", "what is marked as read changes lists", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "old" }])
    yield* owner.call(`PATCH ${yield* messagePath(owner)}`, { body: { read: true } })
    yield* receive(owner, [{ subject: "new" }])
    expect(yield* subjects(owner, "unread=true")).toEqual(["new"])
    expect(yield* subjects(owner, "unread=false")).toEqual(["old"])
  }),
  row("lists.filters.from", "an address or its domain, and not a subdomain's", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "ada", from: "Ada@sender.dev" }])
    yield* receive(owner, [{ subject: "sub", from: "ada@sub.sender.dev" }])
    expect(yield* subjects(owner, "from=ada@SENDER.dev")).toEqual(["ada"])
    expect(yield* subjects(owner, "from=@sender.dev")).toEqual(["ada"])
  }),
  row("lists.filters.to", "To, Cc and the envelope recipient with its tag", function* () {
    const owner = yield* agent()
    const tagged = owner.address.replace("@", "+bills@")
    yield* receive(owner, [{ subject: "tagged" }], tagged)
    yield* receive(owner, [{ subject: "copied", cc: ["boss@partner.dev"] }])
    expect(yield* subjects(owner, `to=${encodeURIComponent(tagged)}`)).toEqual(["tagged"])
    expect(yield* subjects(owner, "to=boss@partner.dev")).toEqual(["copied"])
    expect(yield* subjects(owner, "to=@partner.dev")).toEqual(["copied"])
  }),
  row("lists.filters.subject", "a part in any case, and no wildcard", function* () {
    const owner = yield* agent()
    for (const subject of ["Invoice 50%", "Re: INVOICE 500", "Grüße"]) yield* receive(owner, [{ subject }])
    expect(yield* subjects(owner, "subject=voice")).toEqual(["Re: INVOICE 500", "Invoice 50%"])
    expect(yield* subjects(owner, `subject=${encodeURIComponent("50%")}`)).toEqual(["Invoice 50%"])
    expect(yield* subjects(owner, `subject=${encodeURIComponent("GRÜSSE")}`)).toEqual(["Grüße"])
  }),
  row("lists.filters.attachment", "with files and without", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "bare" }, { subject: "file", attachments: [file] }])
    expect(yield* subjects(owner, "hasAttachment=true")).toEqual(["file"])
    expect(yield* subjects(owner, "hasAttachment=false")).toEqual(["bare"])
  }),
  virtual("lists.filters.before", "the instant itself is out, the millisecond after is in", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "early" }])
    yield* advance("1 hour")
    yield* receive(owner, [{ subject: "late" }])
    const early = textAt((yield* listMessages(owner)).json, "messages.1.createdAt")
    expect(yield* subjects(owner, `before=${early}`)).toEqual([])
    const later = new Date(Date.parse(early) + 1).toISOString()
    expect(yield* subjects(owner, `before=${later}`)).toEqual(["early"])
  }),
  row("lists.filters.together", "every condition of the query holds", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ subject: "Invoice 1", from: "ada@sender.dev", attachments: [file] }])
    yield* receive(owner, [{ subject: "Invoice 2", from: "ada@sender.dev" }])
    yield* send(owner, "ada@sender.dev", { subject: "Invoice 3" })
    const query = "direction=INBOUND&from=@sender.dev&subject=invoice&unread=true"
    expect(yield* subjects(owner, query)).toEqual(["Invoice 2", "Invoice 1"])
    expect(yield* subjects(owner, `${query}&hasAttachment=true`)).toEqual(["Invoice 1"])
    expect(yield* subjects(owner, "direction=OUTBOUND&to=ada@sender.dev")).toEqual(["Invoice 3"])
  }),
  row("lists.filters.gated", "by no condition and in no list", function* () {
    const { owner } = yield* overTheTrial
    for (const target of [`/v1/mailboxes/${owner.mailboxId}/messages`, "/v1/messages"])
      for (const query of ["unread=true", "subject=mail", "from=@sender.dev", "order=asc"]) {
        const { json } = yield* owner.call(`GET ${target}?${query}&limit=100`)
        expect(listAt(json, "messages").length).toBeLessThanOrEqual(10)
        expect(valueAt(json, "metadata.hasMore")).toBe(false)
      }
  }),
  row("lists.filters.400", "every condition that is wrong is refused by name", function* () {
    const owner = yield* agent()
    const wrong = ["labels=", "unread=yes", "from=ada", "to=@", "subject=", "hasAttachment=1", "before=now"]
    for (const query of [...wrong, "order=up"])
      for (const target of [`/v1/mailboxes/${owner.mailboxId}/messages`, "/v1/messages"])
        expectInvalid(yield* owner.call(`GET ${target}?${query}`), query.split("=")[0] ?? "")
  }),

  row("lists.order", "oldest first, and newest first as before", function* () {
    const owner = yield* agent()
    for (const subject of ["first", "second"]) yield* receive(owner, [{ subject }])
    expect(yield* subjects(owner, "order=asc")).toEqual(["first", "second"])
    expect(yield* subjects(owner, "order=desc")).toEqual(["second", "first"])
  }),
  row("lists.pages", "each match once, in both orders", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 12)
    const target = `/v1/mailboxes/${owner.mailboxId}/messages?subject=mail+1&limit=2`
    const found = yield* allPages(owner, target)
    expect(found).toHaveLength(4)
    expect(new Set(found)).toEqual(new Set(["Mail 1", "Mail 10", "Mail 11", "Mail 12"]))
    expect(yield* allPages(owner, `${target}&order=asc`)).toEqual([...found].reverse())
  }),
  row("lists.cursor.query", "another filter, order or list", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 3)
    const list = `/v1/mailboxes/${owner.mailboxId}/messages`
    const { json } = yield* owner.call(`GET ${list}?unread=true&limit=1`)
    const cursor = `cursor=${textAt(json, "metadata.nextCursor")}`
    expect((yield* owner.call(`GET ${list}?unread=true&limit=2&${cursor}`)).status).toBe(200)
    for (const target of [
      `${list}?${cursor}`,
      `${list}?unread=false&${cursor}`,
      `${list}?unread=true&order=asc&${cursor}`,
      `/v1/messages?unread=true&${cursor}`,
    ])
      expectInvalid(yield* owner.call(`GET ${target}`), "cursor")
  }),
  row("lists.offset", "beside the conditions that an index has", function* () {
    const owner = yield* agent()
    for (const query of ["unread=true", "subject=a", "order=asc", "labels=a"])
      expectInvalid(yield* listMessages(owner, `?${query}&offset=1`), "offset")
    expect((yield* listMessages(owner, "?direction=INBOUND&offset=1")).status).toBe(200)
  }),

  row("lists.previews", "one line of 200 characters, and no body", function* () {
    const owner = yield* agent()
    const text = `Hello\n\n${"word ".repeat(100)}\nhttps://corp.org/a\n\nOn Monday Ada wrote:\n> Old text`
    yield* receive(owner, [{ text, html: "<p>Hello</p>" }])
    const { json } = yield* listMessages(owner, "?bodies=preview")
    expect(listAt(json, "messages")).toEqual([
      expect.objectContaining({
        bodyText: `Hello ${"word ".repeat(100)}`.slice(0, 200).trimEnd(),
        bodyHtml: null,
        extractedText: null,
        links: [],
        references: [],
        truncated: true,
      }),
    ])
    const whole = yield* listMessages(owner)
    expect(Object.keys(Object(listAt(json, "messages")[0])).toSorted()).toEqual(
      ["truncated", ...Object.keys(Object(listAt(whole.json, "messages")[0]))].toSorted(),
    )
  }),
  row("lists.previews.everywhere", "each with the text alone", function* () {
    const owner = yield* agent("active")
    yield* receive(owner, [{ subject: "Invoice", text: "A  text", html: "<p>A text</p>" }])
    const base = `/v1/mailboxes/${owner.mailboxId}`
    const { json } = yield* listMessages(owner)
    const draft = { to: ["bob@corp.org"], subject: "Answer", bodyText: "A  text" }
    yield* owner.call(`POST ${base}/drafts`, { body: draft })
    yield* owner.call(`PATCH ${base}`, { body: { outboundPolicy: "review" } })
    yield* owner.call(`POST ${base}/messages`, { body: draft })
    const lists = {
      [`${base}/messages?`]: "messages",
      "/v1/messages?": "messages",
      [`${base}/messages/search?q=invoice&`]: "messages",
      "/v1/messages/search?q=invoice&sort=date&": "messages",
      [`${base}/threads/${textAt(listAt(json, "messages")[0], "threadId")}?`]: "thread.messages",
      [`${base}/drafts?`]: "drafts",
      "/v1/drafts?": "drafts",
      "/v1/reviews?": "drafts",
    }
    for (const [path, name] of Object.entries(lists)) {
      const found = yield* owner.call(`GET ${path}bodies=preview`)
      const items = listAt(found.json, name)
      expect(items.length, path).toBeGreaterThan(0)
      for (const item of items)
        expect(item, path).toMatchObject({ bodyText: "A text", bodyHtml: null, truncated: true })
    }
  }),
  row("lists.previews.400", "of a message and of a draft", function* () {
    const owner = yield* agent()
    for (const target of ["/v1/messages", "/v1/drafts", `/v1/mailboxes/${owner.mailboxId}/messages`])
      expectInvalid(yield* owner.call(`GET ${target}?bodies=all`), "bodies")
  }),

  row("lists.messages.200", "both mailboxes, newest first, and filtered", function* () {
    const { owner, second } = yield* withTwoMailboxes
    expectWithin(yield* owner.call("GET /v1/messages"), 200, {
      messages: [
        { subject: "two", mailboxId: second.id },
        { subject: "one", mailboxId: owner.mailboxId },
      ],
      metadata: { limit: 50, hasMore: false },
    })
    const filtered = yield* owner.call("GET /v1/messages?subject=on&order=asc")
    expect(subjectsAt(filtered.json)).toEqual(["one"])
  }),
  row("lists.messages.scoped", "its mailbox, and no other", function* () {
    const { owner, second } = yield* withTwoMailboxes
    const { call } = yield* newKey(owner, [second.id])
    for (const query of ["", "?unread=true", "?order=asc", "?from=@sender.dev"])
      expect(subjectsAt((yield* call(`GET /v1/messages${query}`)).json)).toEqual(["two"])
  }),
  row("lists.messages.removed", "with the mailbox", function* () {
    const { owner, second } = yield* withTwoMailboxes
    yield* owner.call(`DELETE /v1/mailboxes/${second.id}`)
    for (const query of ["", "?unread=true", "?from=@sender.dev"])
      expect(subjectsAt((yield* owner.call(`GET /v1/messages${query}`)).json)).toEqual(["one"])
    expect(subjectsAt((yield* owner.call("GET /v1/threads")).json, "threads")).toEqual(["one"])
  }),
  row("lists.messages.overLimitCount", "for the account, and for a scoped key", function* () {
    const { owner } = yield* overTheTrial
    yield* receive(owner)
    const { call } = yield* newKey(owner, [owner.mailboxId])
    for (const answer of [yield* owner.call("GET /v1/messages"), yield* call("GET /v1/messages")])
      expectWithin(answer, 200, { metadata: { overLimitCount: 2 } })
  }),

  row("lists.threads.200", "an answer brings its thread to the top", function* () {
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    yield* receive(owner, [{ subject: "one", messageId: "<one@sender.dev>" }])
    yield* receive(owner, [{ subject: "two" }], second.address)
    yield* receive(owner, [{ subject: "Re: one", inReplyTo: "<one@sender.dev>" }])
    expectWithin(yield* owner.call("GET /v1/threads"), 200, {
      threads: [
        { subject: "one", messageCount: 2, mailboxId: owner.mailboxId },
        { subject: "two", messageCount: 1, mailboxId: second.id },
      ],
      metadata: { overLimitCount: 0, limit: 50, hasMore: false },
    })
  }),
  row("lists.threads.page", "page by page, each thread once", function* () {
    const owner = yield* agent()
    for (const subject of ["first", "second", "third"]) yield* receive(owner, [{ subject }])
    const found = yield* allPages(owner, "/v1/threads?limit=2", "threads")
    expect(found).toEqual(["third", "second", "first"])
    for (const limit of ["0", "101"])
      expectInvalid(yield* owner.call(`GET /v1/threads?limit=${limit}`), "limit")
  }),
  row("lists.threads.mailbox", "of 60 threads each once, beside those of another mailbox", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 60)
    const second = yield* newMailbox(owner, "second")
    yield* receive(owner, [{ subject: "elsewhere" }], second.address)
    const found = yield* allPages(owner, `/v1/threads?mailboxId=${owner.mailboxId}`, "threads")
    expect([found.length, new Set(found).size]).toEqual([60, 60])
    expect(found).not.toContain("elsewhere")
    expect(yield* allPages(owner, `/v1/threads?mailboxId=${second.id}`, "threads")).toEqual(["elsewhere"])
    const { json } = yield* owner.call(`GET /v1/threads?mailboxId=${owner.mailboxId}`)
    const cursor = textAt(json, "metadata.nextCursor")
    expectInvalid(yield* owner.call(`GET /v1/threads?mailboxId=${second.id}&cursor=${cursor}`), "cursor")
    expectInvalid(yield* owner.call("GET /v1/threads?mailboxId=nothing"), "mailboxId")
    const stranger = yield* agent()
    expectError(yield* stranger.call(`GET /v1/threads?mailboxId=${second.id}`), 404, "MAILBOX_NOT_FOUND")
  }),
  row("lists.threads.scoped", "its mailbox's, and no other's", function* () {
    const { owner, second } = yield* withTwoMailboxes
    const { call } = yield* newKey(owner, [second.id])
    expect(subjectsAt((yield* call("GET /v1/threads")).json, "threads")).toEqual(["two"])
  }),

  row("lists.labels.add", "others stay, in their order", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const path = yield* messagePath(owner)
    yield* owner.call(`PATCH ${path}`, { body: { labels: ["a", "b"] } })
    const answer = yield* owner.call(`PATCH ${path}`, {
      body: { addLabels: ["c", "a"], removeLabels: ["b"] },
    })
    expectWithin(answer, 200, { message: { labels: ["a", "c"], readAt: null } })
    expectWithin(yield* owner.call(`GET ${path}`), 200, { message: { labels: ["a", "c"] } })
  }),
  row("lists.labels.together", "all or some", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const path = yield* messagePath(owner)
    for (const more of [{ addLabels: ["b"] }, { removeLabels: ["b"] }])
      expectInvalid(yield* owner.call(`PATCH ${path}`, { body: { labels: ["a"], ...more } }), "labels")
  }),
  row("lists.labels.max", "20 are taken, and the 21st is not", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const path = yield* messagePath(owner)
    const labels = Array.from({ length: 20 }, (_, index) => `l${index}`)
    expect((yield* owner.call(`PATCH ${path}`, { body: { addLabels: labels } })).status).toBe(200)
    expectInvalid(yield* owner.call(`PATCH ${path}`, { body: { addLabels: ["more"] } }), "addLabels")
  }),
  row("lists.labels.at-once", "ten clients, ten labels", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    const path = yield* messagePath(owner)
    const labels = Array.from({ length: 10 }, (_, index) => `l${index}`)
    yield* Effect.forEach(labels, (label) => owner.call(`PATCH ${path}`, { body: { addLabels: [label] } }), {
      concurrency: "unbounded",
      discard: true,
    })
    const { json } = yield* owner.call(`GET ${path}`)
    expect(new Set(listAt(json, "message.labels"))).toEqual(new Set(labels))
  }),
  row("lists.thread.patch", "both messages of the thread, and no other", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "one", messageId: "<one@sender.dev>" }])
    yield* receive(owner, [{ subject: "Re: one", inReplyTo: "<one@sender.dev>" }])
    const threadId = textAt((yield* listMessages(owner)).json, "messages.0.threadId")
    yield* receive(owner, [{ subject: "other" }])
    const path = `/v1/mailboxes/${owner.mailboxId}/threads/${threadId}`
    const answer = yield* owner.call(`PATCH ${path}`, { body: { addLabels: ["done"], read: true } })
    expectWithin(answer, 200, { thread: { id: threadId, messageCount: 2 } })
    expect(yield* subjects(owner, "labels=done&unread=false")).toEqual(["Re: one", "one"])
    yield* owner.call(`PATCH ${path}`, { body: { removeLabels: ["done"], read: false } })
    expect(yield* subjects(owner, "labels=done")).toEqual([])
    expect(yield* subjects(owner, "unread=true")).toEqual(["other", "Re: one", "one"])
  }),
  row("lists.thread.404", "absent, malformed, and another mailbox's", function* () {
    const { owner, second } = yield* withTwoMailboxes
    const foreign = textAt((yield* owner.call(`GET /v1/mailboxes/${second.id}/threads`)).json, "threads.0.id")
    for (const id of [ABSENT, "not-an-id", foreign])
      expectError(
        yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}/threads/${id}`, { body: { read: true } }),
        404,
        "THREAD_NOT_FOUND",
      )
  }),
]
