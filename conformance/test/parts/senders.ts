/** Allow and block lists, policies of receiving, and quarantine. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newMailbox, scopedKey, send, suppress } from "../../src/agents.js"
import { fieldsAt, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row } from "../../src/Row.js"
import { ABSENT, anyId, anyText, anyTime, expectAnswer, expectError, expectInvalid } from "../expectations.js"
import { BOB } from "../values.js"

type List = `${"receive" | "send"}/${"allow" | "block"}`

const add = ({ call }: Pick<Agent, "call">, list: List, entry: string, more: object = {}) =>
  call(`POST /v1/lists/${list}`, { body: { entry, ...more } })

const addToMailbox = ({ call, mailboxId }: Agent, list: List, entry: string) =>
  call(`POST /v1/mailboxes/${mailboxId}/lists/${list}`, { body: { entry } })

const entriesOf = ({ call }: Pick<Agent, "call">, path: string) =>
  Effect.map(call(`GET ${path}`), ({ json }) => listAt(json, "entries").map((one) => textAt(one, "entry")))

const expectBlocked = (answer: Effect.Effect.Success<ReturnType<typeof send>>, address: string): void =>
  expectError(answer, 400, "RECIPIENT_BLOCKED", { address })

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
      expectInvalid(yield* add(owner, "send/allow", entry), "entry")
    expectInvalid(yield* owner.call("POST /v1/lists/send/allow", { body: {} }), "entry")
  }),
  row("senders.lists.delete", "from its own list, once", function* () {
    const owner = yield* agent("active")
    const id = textAt((yield* add(owner, "receive/block", BOB)).json, "entry.id")
    const { call } = yield* agent("active")
    for (const path of [`receive/allow/${id}`, `send/block/${id}`, `receive/block/${ABSENT}`, `receive/block/x`])
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
      expectError(yield* call(`GET /v1/lists/${list}`), 404, "LIST_NOT_FOUND")
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
]
