/** Threads that a person takes over. */
import { Effect } from "effect"
import { expect } from "vitest"
import { type Agent, agent, newestId, newKey, receive, scopedKey, send, signIn } from "../../src/agents.js"
import { type Answer, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT, anyId, anyText, anyTime, expectError, expectWithin } from "../expectations.js"
import { BOB } from "../values.js"

const CODE = "THREAD_TAKEN_OVER"
const FIRST = "<first@sender.dev>"
const HOUR = 3_600_000

/** An owner with one conversation, and the person who owns the account, at the dashboard. */
const conversation = Effect.gen(function* () {
  const { call } = yield* World
  const owner = yield* agent("active")
  yield* receive(owner, [{ subject: "Hello", messageId: FIRST }])
  const cookie = yield* signIn(owner)
  const person: Agent = { ...owner, call: (target, options) => call(target, { cookie, ...options }) }
  const messageId = yield* newestId(owner)
  const { json } = yield* owner.call("GET /v1/threads")
  return { owner, person, messageId, threadId: textAt(json, "threads.0.id") }
})

const takeOver = ({ call }: Pick<Agent, "call">, id: string) => call(`POST /v1/threads/${id}/takeover`)
const release = ({ call }: Pick<Agent, "call">, id: string) => call(`POST /v1/threads/${id}/release`)

/** A conversation that the person has taken over. */
const taken = Effect.tap(conversation, ({ person, threadId }) => takeOver(person, threadId))

const answer = (caller: Agent, more: object = {}) => send(caller, BOB, { inReplyTo: FIRST, ...more })

const inTime = (ahead: number) =>
  Effect.flatMap(World, ({ now }) => Effect.map(now, (at) => new Date(at + ahead).toISOString()))

const draftPath = ({ mailboxId }: Agent, rest = "") => `/v1/mailboxes/${mailboxId}/drafts${rest}`

const approve = ({ call }: Pick<Agent, "call">, { json }: Answer) =>
  call(`POST /v1/reviews/${textAt(json, "draft.id")}/approve`, {
    body: { digest: textAt(json, "draft.digest") },
  })

/** The error of a call of a tool by MCP. */
const toolError = ({ key }: Agent, name: string, args: object) =>
  Effect.gen(function* () {
    const { visit } = yield* World
    const headers = { accept: "application/json, text/event-stream" }
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
    const { text } = yield* visit("POST /mcp", { key, headers, body })
    const [, data = text] = /^data: (.*)$/m.exec(text) ?? []
    return JSON.parse(textAt(JSON.parse(data), "result.content.0.text"))
  })

/** State and error code of a kept draft, or "gone". */
const stateOf = (owner: Agent, { json }: Answer) =>
  Effect.map(owner.call(`GET ${draftPath(owner, `/${textAt(json, "draft.id")}`)}`), (found) =>
    found.status === 404
      ? "gone"
      : `${textAt(found.json, "draft.status")} ${String(valueAt(found.json, "draft.error.code"))}`,
  )

const FAILED = `FAILED ${CODE}`

export const takeovers: Part = [
  row(["threads.takeover.200", "threads.released"], "twice each, and lists show it", function* () {
    const { owner, person, threadId } = yield* conversation
    const first = yield* takeOver(person, threadId)
    expectWithin(first, 200, { thread: { id: threadId, takenOverAt: anyTime, messageCount: 1 } })
    expect((yield* takeOver(person, threadId)).json).toEqual(first.json)
    const takenOverAt = textAt(first.json, "thread.takenOverAt")
    for (const path of ["/v1/threads", `/v1/mailboxes/${owner.mailboxId}/threads`])
      expectWithin(yield* owner.call(`GET ${path}`), 200, { threads: [{ id: threadId, takenOverAt }] })
    expectError(yield* answer(owner), 409, CODE)
    for (const _ of [1, 2])
      expectWithin(yield* release(person, threadId), 200, { thread: { id: threadId, takenOverAt: null } })
    expectWithin(yield* answer(owner), 201, { message: { threadId } })
  }),
  row(
    "threads.takeover.permission",
    "by a session, a full key, one without review, a scoped one",
    function* () {
      const { owner, person, threadId } = yield* conversation
      const { json } = yield* owner.call("POST /v1/api-keys", {
        body: { name: "k", permissions: ["read", "send", "draft", "manage"] },
      })
      const key = textAt(json, "key")
      const limited: Pick<Agent, "call"> = { call: (target, call) => owner.call(target, { ...call, key }) }
      for (const change of [takeOver, release]) {
        for (const caller of [limited, yield* scopedKey(owner)])
          expectError(yield* change(caller, threadId), 403, "PERMISSION_DENIED", { required: ["review"] })
        for (const caller of [person, yield* newKey(owner)])
          expect((yield* change(caller, threadId)).status).toBe(200)
      }
    },
  ),
  row("threads.takeover.404", "absent, malformed and foreign ids", function* () {
    const { threadId } = yield* conversation
    const other = yield* agent("active")
    for (const change of [takeOver, release])
      for (const id of [ABSENT, "not-an-id", threadId])
        expectError(yield* change(other, id), 404, "THREAD_NOT_FOUND")
  }),
  row("threads.takeover.409", "on every route that sends, by MCP and by SMTP", function* () {
    const { owner, messageId } = yield* taken
    const { submit } = yield* World
    const path = `/v1/mailboxes/${owner.mailboxId}/messages`
    const made = yield* owner.call(`POST ${draftPath(owner)}`, {
      body: { to: [BOB], subject: "Re: Hello", bodyText: "Yes", inReplyTo: FIRST },
    })
    const sendAt = yield* inTime(HOUR)
    const text = { bodyText: "Yes" }
    const mail = { to: [BOB], subject: "Re: Hello", ...text, inReplyTo: messageId }
    for (const [target, body] of [
      [path, mail],
      [path, { ...mail, sendAt }],
      [`${path}/${messageId}/reply`, text],
      [`${path}/${messageId}/reply-all`, text],
      [draftPath(owner), { ...mail, sendAt }],
      [draftPath(owner, `/${textAt(made.json, "draft.id")}/send`), undefined],
    ] as const)
      expectError(yield* owner.call(`POST ${target}`, { body }), 409, CODE)
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { outboundPolicy: "review" } })
    expectError(yield* answer(owner), 409, CODE)
    const raw = [`From: ${owner.address}`, `To: ${BOB}`, `In-Reply-To: ${FIRST}`, "", "Yes.", ""].join("\r\n")
    const reply = yield* submit({ user: owner.address, key: owner.key, to: [BOB], raw })
    expect(reply).toMatch(/^550 5\.7\.1 /)
    const args = { mailbox: owner.mailboxId, messageId, text: "Yes" }
    expect(yield* toolError(owner, "reply_to_message", args)).toMatchObject({ code: CODE, retryable: false })
    const drafts = yield* owner.call("GET /v1/drafts")
    expect(listAt(drafts.json, "drafts")).toHaveLength(1)
  }),
  row("threads.takeover.person", "now and later", function* () {
    const { person, threadId } = yield* taken
    expectWithin(yield* answer(person), 201, { message: { threadId } })
    expectWithin(yield* answer(person, { sendAt: yield* inTime(HOUR) }), 202, {
      draft: { status: "SCHEDULED" },
    })
  }),
  row(
    "threads.takeover.goes-on",
    "an answer arrives, is labelled and claimed; a forward is sent",
    function* () {
      const { owner, messageId, threadId } = yield* taken
      yield* receive(owner, [{ subject: "Re: Hello", inReplyTo: FIRST }])
      const path = `/v1/mailboxes/${owner.mailboxId}`
      expectWithin(yield* owner.call(`GET ${path}/threads/${threadId}`), 200, { thread: { messageCount: 2 } })
      const labelled = yield* owner.call(`PATCH ${path}/threads/${threadId}`, {
        body: { addLabels: ["one"] },
      })
      expectWithin(labelled, 200, { thread: { takenOverAt: anyTime } })
      const claim = yield* owner.call(`POST ${path}/messages/claim`, { body: {} })
      expectWithin(claim, 200, { message: { id: messageId } })
      const forward = { to: [BOB] }
      expectWithin(
        yield* owner.call(`POST ${path}/messages/${messageId}/forward`, { body: forward }),
        201,
        {},
      )
      expectWithin(yield* send(owner, BOB), 201, {})
    },
  ),
  virtual("threads.takeover.due", "of a key, and of a person", function* () {
    const { advance, settle } = yield* Virtual
    const { owner, person, threadId } = yield* conversation
    const sendAt = yield* inTime(HOUR)
    const kept = [yield* answer(owner, { sendAt }), yield* answer(person, { sendAt })]
    yield* takeOver(person, threadId)
    yield* advance(HOUR)
    yield* settle
    expect(yield* Effect.forEach(kept, (draft) => stateOf(owner, draft))).toEqual([FAILED, "gone"])
  }),
  virtual("threads.takeover.approved", "before, since, and by a key", function* () {
    const { advance, settle } = yield* Virtual
    const { owner, person, threadId } = yield* conversation
    yield* owner.call(`PATCH /v1/mailboxes/${owner.mailboxId}`, { body: { outboundPolicy: "review" } })
    const before = yield* answer(owner, { sendAt: yield* inTime(HOUR) })
    const [since, byKey] = [yield* answer(owner), yield* answer(owner)]
    yield* approve(person, before)
    yield* advance(1000)
    yield* takeOver(person, threadId)
    expectWithin(yield* approve(person, since), 201, { message: { threadId } })
    expectWithin(yield* approve(owner, byKey), 202, {
      draft: { status: "FAILED", error: { code: CODE, message: anyText } },
    })
    yield* advance(HOUR)
    yield* settle
    expect(yield* stateOf(owner, before)).toBe(FAILED)
  }),
  row("threads.takeover.merged", "the younger one was", function* () {
    const { owner, person, threadId } = yield* conversation
    const second = "<second@sender.dev>"
    yield* receive(owner, [{ subject: "Other", messageId: second }])
    const { json } = yield* owner.call("GET /v1/threads")
    const young = textAt(json, "threads.0.id")
    expect(young).not.toBe(threadId)
    yield* takeOver(person, young)
    yield* receive(owner, [{ subject: "Both", references: [FIRST, second] }])
    const { json: merged } = yield* owner.call("GET /v1/threads")
    expect(listAt(merged, "threads")).toMatchObject([{ id: threadId, takenOverAt: anyTime, messageCount: 3 }])
    expectError(yield* answer(owner), 409, CODE)
    expectWithin(yield* release(person, young), 200, { thread: { id: threadId, takenOverAt: null } })
  }),
  row(
    [
      "threads.takeover.events",
      "events.emission.taken-over",
      "events.emission.released",
      "events.shape.taken-over",
      "events.shape.released",
    ],
    "on the stream, once each",
    function* () {
      const { listen } = yield* World
      const { owner, person, threadId } = yield* conversation
      const stream = yield* listen({ key: owner.key }, "?events=thread.taken_over,thread.released")
      for (const change of [takeOver, takeOver, release, release]) yield* change(person, threadId)
      const data = {
        thread_id: threadId,
        mailbox_id: owner.mailboxId,
        mailbox_address: owner.address,
        subject: "Hello",
      }
      expect((yield* stream.received(2)).map((frame) => frame.data)).toEqual([
        { event: "thread.taken_over", timestamp: anyTime, data: { ...data, taken_over_at: anyTime } },
        { event: "thread.released", timestamp: anyTime, data: { ...data, released_at: anyTime } },
      ])
      const { json } = yield* owner.call("GET /v1/audit")
      const entries = listAt(json, "entries").filter((entry) => valueAt(entry, "target") === threadId)
      const entry = { id: anyId, actor: { kind: "session" }, detail: { mailboxId: owner.mailboxId } }
      expect(entries).toMatchObject([
        { ...entry, action: "thread.released" },
        { ...entry, action: "thread.taken_over" },
      ])
    },
  ),
]
