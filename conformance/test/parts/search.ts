/** Search. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, pay, receive, receiveMany, send, verify } from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { REASON, suspend } from "../../src/operator.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import {
  ABSENT,
  anyText,
  expectError,
  expectPayment,
  expectSuspended,
  expectWithin,
} from "../expectations.js"

type Parameters = Readonly<Record<string, string>>

const query = (parameters: Parameters): string => new URLSearchParams(parameters).toString()

const search = ({ call, mailboxId }: Agent, parameters: Parameters) =>
  call(`GET /v1/mailboxes/${mailboxId}/messages/search?${query(parameters)}`)

/** The subjects of all messages that match, newest first. */
const found = (owner: Agent, q: string) =>
  Effect.map(search(owner, { q, sort: "date" }), ({ json, text }) => {
    expect(valueAt(json, "metadata.hasMore"), text).toBe(false)
    return listAt(json, "messages").map((message) => textAt(message, "subject"))
  })

/** Checks which of the owner's messages each query finds. */
const finds = (owner: Agent, expected: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Effect.forEach(Object.entries(expected), ([q, subjects]) =>
    Effect.map(found(owner, q), (seen) => expect([q, seen.toSorted()]).toEqual([q, [...subjects].sort()])),
  )

const newest = ({ call, mailboxId }: Agent) =>
  Effect.map(call(`GET /v1/mailboxes/${mailboxId}/messages?limit=1`), ({ json }) =>
    valueAt(json, "messages.0"),
  )

export const searching: Part = [
  row(["search.mailbox", "search.200"], "the message that a list has, with highlights", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "Invoice" }, { subject: "Lunch" }])
    const listed = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages`)
    const [item] = listAt(listed.json, "messages").filter((one) => textAt(one, "subject") === "Invoice")
    expectWithin(yield* search(owner, { q: "invoice" }), 200, {
      messages: [{ ...Object(item), highlights: { subject: "<mark>Invoice</mark>" } }],
      metadata: { limit: 50, hasMore: false },
    })
  }),
  row("search.everywhere", "both mailboxes for a full key, its own for one with a scope", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "secret" }])
    const made = yield* owner.call("POST /v1/mailboxes", { body: { address: `${owner.slug}-second` } })
    const key = yield* owner.call("POST /v1/api-keys", {
      body: { name: "second", mailboxIds: [textAt(made.json, "mailbox.id")] },
    })
    const everywhere = "GET /v1/messages/search?q=secret"
    expectWithin(yield* owner.call(everywhere), 200, { messages: [{ subject: "secret" }] })
    expectWithin(yield* call(everywhere, { key: textAt(key.json, "key") }), 200, { messages: [] })
  }),
  row("search.highlights", "in subject, sender and text", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "Due & <b>", fromName: "Due", text: "It is DUE <today>." }])
    expectWithin(yield* search(owner, { q: "due" }), 200, {
      messages: [
        {
          highlights: {
            subject: "<mark>Due</mark> &amp; &lt;b&gt;",
            from: "<mark>Due</mark> &lt;bob@sender.dev&gt;",
            text: "It is <mark>DUE</mark> &lt;today&gt;.",
          },
        },
      ],
    })
  }),
  row(
    ["search.relevance", "search.date"],
    "an older message that is about it, and a newer one that names it",
    function* () {
      const owner = yield* agent()
      yield* receive(owner, [{ subject: "Invoice for March", text: "The invoice is attached." }])
      yield* receive(owner, [{ subject: "Lunch", text: "By the way: did the invoice arrive?" }])
      const order = (sort: string) =>
        Effect.map(search(owner, { q: "invoice", sort }), ({ json }) =>
          listAt(json, "messages").map((message) => textAt(message, "subject")),
        )
      expect(yield* order("relevance")).toEqual(["Invoice for March", "Lunch"])
      expect(yield* order("date")).toEqual(["Lunch", "Invoice for March"])
    },
  ),
  row("search.cursor", "three pages have every message once, and not with another query", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 5)
    for (const sort of ["date", "relevance"]) {
      const ids: Array<string> = []
      let cursor = ""
      do {
        const page = yield* search(owner, {
          q: "from:bob",
          sort,
          limit: "2",
          ...(cursor !== "" && { cursor }),
        })
        ids.push(...listAt(page.json, "messages").map((message) => textAt(message, "id")))
        const next = valueAt(page.json, "metadata.nextCursor")
        cursor = typeof next === "string" ? next : ""
        if (cursor !== "")
          expectWithin(yield* search(owner, { q: "bob", sort, cursor }), 400, {
            issues: [{ path: "cursor" }],
          })
      } while (cursor !== "")
      expect([ids.length, new Set(ids).size]).toEqual([5, 5])
    }
  }),
  row("search.400", "an open quote, a wrong value, nothing to search for", function* () {
    const owner = yield* agent()
    for (const [q, position] of [
      ['a "b', 2],
      ["a is:blue", 5],
      ["", 0],
    ] as const)
      expectError(yield* search(owner, { q }), 400, "VALIDATION_FAILED", {
        issues: [{ path: "q", position, message: anyText }],
      })
  }),
  row("search.gated", "the mail above the limit is found after the upgrade", function* () {
    const { owner } = yield* overTheTrial
    expect(yield* found(owner, "secret")).toEqual([])
    yield* pay(owner)
    expect(yield* found(owner, "secret")).toEqual(["secret subject"])
  }),
  row("search.fresh", "when the stream has told of it", function* () {
    const { listen } = yield* World
    const owner = yield* agent()
    const stream = yield* listen({ key: owner.key })
    yield* receive(owner, [{ subject: "just in" }])
    yield* stream.received(1)
    expect(yield* found(owner, '"just in"')).toEqual(["just in"])
  }),
  row("search.deleted", "once it is deleted", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "to delete" }])
    const id = textAt(yield* newest(owner), "id")
    expect(yield* found(owner, "delete")).toEqual(["to delete"])
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}/messages/${id}`)
    expect(yield* found(owner, "delete")).toEqual([])
  }),
  row("search.401", "without a key there is no search", function* () {
    const { call } = yield* World
    const { mailboxId } = yield* agent()
    expectError(yield* call(`GET /v1/mailboxes/${mailboxId}/messages/search?q=a`), 401, "UNAUTHORIZED")
    expectError(yield* call("GET /v1/messages/search?q=a"), 401, "UNAUTHORIZED")
  }),
  row("search.402", "with a spent trial there is no search", function* () {
    expectPayment(yield* search(yield* agent("payment_required"), { q: "a" }))
  }),
  row("search.403", "with the reason, and without a message", function* () {
    const owner = yield* agent()
    yield* receive(owner)
    yield* suspend(owner)
    expectSuspended(yield* search(owner, { q: "hello" }), REASON)
  }),
  row("search.404", "absent, foreign and malformed mailboxes are not there", function* () {
    const { call } = yield* agent()
    const other = yield* agent()
    for (const id of [ABSENT, other.mailboxId, "not-an-id"])
      expectError(yield* call(`GET /v1/mailboxes/${id}/messages/search?q=a`), 404, "MAILBOX_NOT_FOUND")
  }),

  row(
    ["search.words", "search.phrase", "search.prefix", "search.logic", "search.fields", "search.text"],
    "four mails, and the queries that find them",
    function* () {
      const owner = yield* agent()
      yield* receive(owner, [
        {
          subject: "Invoice one",
          text: "The amount is due on Friday.",
          fromName: "Ada",
          from: "ada@acme.dev",
        },
        { subject: "two", text: "Due? No invoice came.", cc: ["grace@navy.mil"] },
        {
          subject: "three",
          text: "See the file.",
          attachments: [{ filename: "bill-of-march.pdf", contentType: "application/pdf", content: "%PDF-" }],
        },
        { subject: "four", html: "<p>An <b>e-mail</b> with HTML</p>", text: "" },
      ])
      const [one, two, three, four] = ["Invoice one", "two", "three", "four"]
      yield* finds(owner, {
        "due invoice": [one, two],
        "invoice AND friday": [one],
        '"due on friday"': [one],
        '"friday due"': [],
        "inv*": [one, two],
        "invoice -friday": [two],
        "friday OR file": [one, three],
        "(friday OR file) -pdf": [one],
        "subject:invoice": [one],
        "from:acme.dev": [one],
        "from:ada": [one],
        "cc:grace@navy.mil": [two],
        "body:invoice": [two],
        "filename:march": [three],
        bill: [three],
        "e-mail": [four],
        [`to:${owner.address}`]: [one, two, three, four],
      })
    },
  ),
  row(
    "search.files",
    "words and phrases of a file, in any field and in the text; not across its end",
    function* () {
      const { eventually } = yield* World
      const owner = yield* agent()
      yield* receive(owner, [
        {
          subject: "the offer",
          text: "See the file.",
          attachments: [
            { filename: "offer.txt", contentType: "text/plain", content: "one hundred euros" },
            { filename: "terms.csv", contentType: "text/csv", content: "payable;now" },
          ],
        },
      ])
      expect(yield* found(owner, "filename:offer")).toEqual(["the offer"])
      yield* eventually("the files are read", found(owner, "hundred payable"), ({ length }) => length === 1)
      yield* finds(owner, {
        '"hundred euros"': ["the offer"],
        "body:payable": ["the offer"],
        '"file one" OR "euros payable"': [],
        "filename:hundred": [],
        "offer -euros": [],
      })
    },
  ),
  row("search.files.large", "one of 1 MB, before and after its text was read", function* () {
    const owner = yield* agent()
    const content = `needle ${"x".repeat(1024 * 1024)}`
    yield* receive(owner, [
      { subject: "large", attachments: [{ filename: "a.txt", contentType: "text/plain", content }] },
    ])
    const id = textAt(yield* newest(owner), "attachments.0.id")
    expect(yield* found(owner, "needle")).toEqual([])
    yield* owner.call(`GET /v1/attachments/${id}/text?maxChars=10`)
    expect(yield* found(owner, "needle")).toEqual(["large"])
  }),
  row(
    ["search.facts", "search.labels", "search.limits"],
    "of one received and one sent message",
    function* () {
      const owner = yield* agent()
      yield* verify(owner)
      const long = "word ".repeat(2_000)
      yield* receive(owner, [
        {
          subject: "in",
          text: `Your verification code is 482913. https://acme.dev/reset ${long}`,
          attachments: [
            { filename: "meeting.ics", contentType: "text/calendar", content: "BEGIN:VCALENDAR" },
          ],
          headers: { "Auto-Submitted": "auto-generated" },
        },
      ])
      const message = yield* newest(owner)
      const path = `/v1/mailboxes/${owner.mailboxId}/messages/${textAt(message, "id")}`
      yield* owner.call(`PATCH ${path}`, { body: { labels: ["to do", "a,b"], read: true } })
      yield* send(owner, owner.email, { subject: "out", bodyText: "short" })
      yield* finds(owner, {
        "in:inbound": ["in"],
        "in:outbound": ["out"],
        "has:attachment": ["in"],
        "has:code": ["in"],
        "has:link": ["in"],
        "has:invite": ["in"],
        "-has:link": ["out"],
        "is:read": ["in"],
        "is:unread": ["out"],
        "is:automated": ["in"],
        'label:"to do" label:a,b': ["in"],
        "label:do": [],
        [`thread:${textAt(message, "threadId")}`]: ["in"],
        [`after:${textAt(message, "createdAt")} in:inbound`]: ["in"],
        [`before:${textAt(message, "createdAt")}`]: [],
        "larger:8k": ["in"],
        "smaller:8k": ["out"],
      })
    },
  ),
  row(
    ["search.folding", "search.scripts"],
    "accents, width, Turkish i, Chinese, Japanese, Thai, Arabic",
    function* () {
      const owner = yield* agent()
      yield* receive(owner, [
        { subject: "Zürich İstanbul Straße" },
        { subject: "北京大学" },
        { subject: "東京タワー" },
        { subject: "สวัสดีครับ" },
        { subject: "فَاتُورَة" },
      ])
      yield* finds(owner, {
        "ZURICH istanbul strasse": ["Zürich İstanbul Straße"],
        ｚｕｒｉｃｈ: ["Zürich İstanbul Straße"],
        大学: ["北京大学"],
        京都: [],
        ﾀﾜｰ: ["東京タワー"],
        สวัสดี: ["สวัสดีครับ"],
        فاتورة: ["فَاتُورَة"],
      })
    },
  ),
]
