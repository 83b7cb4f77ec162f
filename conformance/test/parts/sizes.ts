/** Size limits. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  agent,
  checkout,
  listMessages,
  pathOf,
  receive,
  receiveMany,
  send,
  upload,
} from "../../src/agents.js"
import { listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { anyText, expectError, expectInvalid, expectWithin } from "../expectations.js"
import { BOB, MB, binary } from "../values.js"

export const sizes: Part = [
  row(
    ["limits.size.attachment", "decisions.values.attachment-bytes", "decisions.upload.413"],
    "26,214,400 bytes are taken, one more is not",
    function* () {
      const owner = yield* agent()
      const taken = yield* upload(owner, "a.bin", new Uint8Array(25 * MB), binary)
      expectWithin(taken, 201, { sizeBytes: 26_214_400 })
      expectError(yield* upload(owner, "b.bin", new Uint8Array(25 * MB + 1), binary), 413, "SIZE_EXCEEDED")
    },
  ),
  row("limits.size.inbound-attachments", "of 21 the first 20 are kept", function* () {
    const owner = yield* agent()
    const attachments = Array.from({ length: 21 }, (_, index) => ({
      filename: `${index + 1}.txt`,
      contentType: "text/plain",
      content: "x",
    }))
    yield* receive(owner, [{ attachments }])
    const { json } = yield* listMessages(owner)
    const names = listAt(json, "messages.0.attachments").map((one) => valueAt(one, "filename"))
    expect(names).toEqual(attachments.slice(0, 20).map(({ filename }) => filename))
  }),
  row("limits.size.subject", "of a mail that is sent", function* () {
    const owner = yield* agent("active")
    expect((yield* send(owner, BOB, { subject: "é".repeat(998) })).status).toBe(201)
    expectInvalid(yield* send(owner, BOB, { subject: "é".repeat(999) }), "subject")
  }),
  row(
    ["limits.size.message", "decisions.sizes.attachments"],
    "13 MB twice is too much, once is not",
    function* () {
      const owner = yield* agent("active")
      const files = yield* Effect.replicateEffect(upload(owner, "a.bin", new Uint8Array(13 * MB), binary), 2)
      const attachments = files.map(({ json }) => textAt(json, "id"))
      expectError(yield* send(owner, BOB, { attachments }), 413, "SIZE_EXCEEDED")
      expect((yield* send(owner, BOB, { attachments: attachments.slice(1) })).status).toBe(201)
    },
  ),
  row("limits.size.page", "and the answer says which it was", function* () {
    const owner = yield* agent()
    for (const [query, limit] of [
      ["", 50],
      ["?limit=1", 1],
      ["?limit=100", 100],
    ] as const)
      expectWithin(yield* listMessages(owner, query), 200, { metadata: { limit } })
    for (const query of ["?limit=0", "?limit=101"]) expectInvalid(yield* listMessages(owner, query), "limit")
  }),
  row("limits.size.threads", "and no query brings more", function* () {
    const owner = yield* agent()
    yield* receiveMany(owner, 51)
    for (const query of ["", "?limit=100", "?offset=50"]) {
      const { json } = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/threads${query}`)
      expect(listAt(json, "threads")).toHaveLength(50)
    }
  }),
  row("limits.size.replay-events", "of 102 the last 100 are replayed", function* () {
    const { listen } = yield* World
    const owner = yield* agent("active")
    yield* receiveMany(owner, 100)
    yield* receive(owner, [{ subject: "Mail 101" }])
    yield* receive(owner, [{ subject: "Mail 102" }])
    const stream = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
    const frames = yield* stream.received(100)
    expect(valueAt(frames.at(-1)?.data, "data.subject")).toBe("Mail 102")
  }),
  virtual("limits.size.replay-hour", "what is older is not replayed", function* () {
    const { listen } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "old" }])
    yield* advance("30 minutes")
    yield* receive(owner, [{ subject: "younger" }])
    yield* advance("31 minutes")
    const stream = yield* listen({ key: owner.key, headers: { "last-event-id": "none" } })
    yield* receive(owner, [{ subject: "new" }])
    const subjects = (yield* stream.received(2)).map(({ data }) => valueAt(data, "data.subject"))
    expect(subjects).toEqual(["younger", "new"])
  }),
  virtual("limits.size.download", "a millisecond before it works, then it does not", function* () {
    const { call } = yield* World
    const { advance } = yield* Virtual
    const owner = yield* agent()
    const file = yield* upload(owner, "a.bin", "12345", binary)
    const read = yield* owner.call(`GET /v1/attachments/${textAt(file.json, "id")}`)
    const link = `GET ${pathOf(textAt(read.json, "url"))}`
    yield* advance(24 * 60 * 60 * 1000 - 1)
    expect((yield* call(link)).text).toBe("12345")
    yield* advance(1)
    expectError(yield* call(link), 404, "ATTACHMENT_NOT_FOUND")
  }),
  virtual(
    ["limits.size.checkout", "decisions.upgrade.expired"],
    "a millisecond before it can be paid, then it cannot",
    function* () {
      const { visit } = yield* World
      const { advance } = yield* Virtual
      const owner = yield* agent()
      const path = yield* checkout(owner)
      yield* advance(24 * 60 * 60 * 1000 - 1)
      expect((yield* visit(`GET ${path}`)).status).toBe(200)
      yield* advance(1)
      expect((yield* visit(`GET ${path}`)).status).toBe(410)
      const late = yield* visit(`POST ${path}/complete`, { body: {} })
      expectWithin(late, 410, { error: anyText, code: "CHECKOUT_EXPIRED" })
    },
  ),
]
