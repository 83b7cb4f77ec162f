/** Webhooks: targets, headers, retries. */
import { Effect } from "effect"
import { expect } from "vitest"
import { agent, newMailbox, receive, receiveMany } from "../../src/agents.js"
import { type Part, row, virtual, wire } from "../../src/Row.js"
import { countOf, deliveryPath, hooked, INBOUND, register, subjectOf } from "../../src/webhooks.js"
import { Virtual, Wire, World } from "../../src/World.js"
import { expectError, expectInvalid, expectWithin } from "../expectations.js"
import { standardSignature } from "../signatures.js"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const refused = (change: object, path: string) =>
  Effect.gen(function* () {
    const { call } = yield* agent()
    const body = { url: "https://receiver.mailroom.dev/in", events: INBOUND, ...change }
    expectInvalid(yield* call("POST /v1/webhooks", { body }), path)
  })

/** The delays before attempt 2, 3, …, each with the maximal jitter of 10%. */
const waits = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR]

export const decisionsWebhooks: Part = [
  virtual("decisions.webhook.https", "http is refused", function* () {
    yield* refused({ url: "http://receiver.mailroom.dev/in" }, "url")
  }),
  row("decisions.webhook.userinfo", "either is refused", function* () {
    yield* refused({ url: "https://ada@receiver.mailroom.dev/in" }, "url")
    yield* refused({ url: "https://:secret@receiver.mailroom.dev/in" }, "url")
  }),
  virtual("decisions.webhook.private-literal", "in every spelling", function* () {
    for (const host of [
      "10.0.0.7",
      "127.0.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "[::1]",
      "[fd00::7]",
      "[::ffff:10.0.0.7]",
      "0x7f000001",
      "2130706433",
    ])
      yield* refused({ url: `https://${host}/in` }, "url")
  }),
  virtual("decisions.webhook.private-name", "as DNS has it", function* () {
    yield* refused({ url: "https://inside.mailroom.dev/in" }, "url")
  }),
  virtual("decisions.webhook.unresolved", "every attempt looks again", function* () {
    yield* register(yield* agent(), "https://soon.mailroom.dev/in")
  }),
  wire("decisions.webhook.redirects", "where it leads nothing is posted", function* () {
    const { receiver } = yield* World
    const { owner, received, answer } = yield* hooked
    const elsewhere = yield* receiver
    yield* answer(307, { location: elsewhere.url })
    yield* receive(owner)
    yield* received(1)
    yield* answer(200)
    yield* receive(owner)
    yield* received(2)
    expect(yield* countOf(elsewhere)).toBe(0)
  }),
  virtual("decisions.webhook.2xx", "200, 202 and 204 are not tried again; 302 and 404 are", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    let requests = 0
    for (const [status, tries] of [
      [200, 1],
      [202, 1],
      [204, 1],
      [302, 2],
      [404, 2],
    ] as const) {
      yield* answer(status)
      yield* receive(owner)
      yield* answer(200)
      yield* advance("2 hours")
      requests += tries
      expect(yield* countOf({ received })).toBe(requests)
    }
  }),
  virtual("decisions.webhook.410", "it is not tried again, and nothing else is", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(410)
    yield* receive(owner)
    yield* answer(200)
    yield* receive(owner)
    yield* advance("1 day")
    expect(yield* countOf({ received })).toBe(1)
  }),
  row("decisions.webhook.mailbox-bound", "the other mailbox's go to the other webhook", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const second = yield* newMailbox(owner, "second")
    const [bound, whole] = [yield* receiver, yield* receiver]
    yield* register(owner, bound.url, { mailboxId: second.id })
    yield* register(owner, whole.url)
    yield* receive(owner, [{ subject: "to the first" }])
    yield* receive(owner, [{ subject: "to the second" }], second.address)
    yield* whole.received(2)
    expect((yield* bound.received(1)).map(subjectOf)).toEqual(["to the second"])
  }),
  row("decisions.webhook.headers-10", "10 are taken, 11 are not", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const { url } = yield* receiver
    const headers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-H${index}`, "1"]))
    yield* register(owner, url, { headers: headers(10) })
    const body = { url, events: INBOUND, headers: headers(11) }
    expectInvalid(yield* owner.call("POST /v1/webhooks", { body }), "headers")
  }),
  row("decisions.webhook.headers-refused", "in any case", function* () {
    const { receiver } = yield* World
    const { call } = yield* agent()
    const { url } = yield* receiver
    for (const name of [
      "Host",
      "Connection",
      "transfer-encoding",
      "Upgrade",
      "TE",
      "Content-Type",
      "content-length",
      "X-Service-Signature",
      "x-service-anything",
    ]) {
      const body = { url, events: INBOUND, headers: { [name]: "x" } }
      expectInvalid(yield* call("POST /v1/webhooks", { body }), "headers")
    }
  }),
  row("decisions.webhook.headers-sent", "as they were given", function* () {
    const { receiver } = yield* World
    const owner = yield* agent()
    const { url, received } = yield* receiver
    yield* register(owner, url, { headers: { Authorization: "Bearer theirs", "X-Run": "seven" } })
    yield* receive(owner)
    const [posted] = yield* received(1)
    expect(posted?.headers).toMatchObject({ authorization: "Bearer theirs", "x-run": "seven" })
  }),
  row("decisions.webhook.service-headers", "an id of its own for every delivery", function* () {
    const { owner, received } = yield* hooked
    for (const subject of ["one", "two"]) yield* receive(owner, [{ subject }])
    const posted = yield* received(2)
    expect(posted.map(({ headers }) => headers["x-service-event"])).toEqual([...INBOUND, ...INBOUND])
    expect(new Set(posted.map(({ headers }) => headers["x-service-delivery-id"])).size).toBe(2)
  }),
  row("decisions.webhook.standard", "signed with the bytes behind whsec_", function* () {
    const { now } = yield* World
    const { owner, secret, received } = yield* hooked
    yield* receive(owner)
    const [posted] = yield* received(1)
    const {
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": signature,
    } = posted?.headers ?? {}
    expect(id).toBe(posted?.headers["x-service-delivery-id"])
    expect(Math.abs(Number(at) - (yield* now) / 1000)).toBeLessThan(60)
    expect(signature).toBe(standardSignature(secret, posted))
  }),
  virtual("decisions.retry.schedule", "not sooner than 90% of each, not later than 110%", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(500)
    yield* receive(owner)
    let attempts = 1
    for (const wait of waits) {
      expect(yield* countOf({ received })).toBe(attempts)
      yield* advance(0.9 * wait - 1)
      expect(yield* countOf({ received })).toBe(attempts)
      yield* advance(0.2 * wait + 2)
      attempts += 1
    }
    expect(yield* countOf({ received })).toBe(6)
  }),
  virtual("decisions.retry.failed", "in the two days after the 6th", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(500)
    yield* receive(owner)
    for (const wait of waits) {
      yield* countOf({ received })
      yield* advance(1.1 * wait + 1)
    }
    expect(yield* countOf({ received })).toBe(6)
    yield* answer(200)
    yield* advance("2 days")
    expect(yield* countOf({ received })).toBe(6)
  }),
  virtual("decisions.retry.retry-after", "ten minutes instead of one", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(503, { "retry-after": "600" })
    yield* receive(owner)
    yield* received(1)
    yield* answer(200)
    yield* advance(10 * MINUTE - 1)
    expect(yield* countOf({ received })).toBe(1)
    yield* advance(1)
    expect(yield* countOf({ received })).toBe(2)
  }),
  virtual("decisions.retry.ten", "what comes then is not posted", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(500)
    yield* receiveMany(owner, 10)
    for (const wait of waits) {
      yield* countOf({ received })
      yield* advance(1.1 * wait + 1)
    }
    expect(yield* countOf({ received })).toBe(60)
    yield* answer(200)
    yield* receive(owner)
    yield* advance("1 day")
    expect(yield* countOf({ received })).toBe(60)
  }),
  row("decisions.retry.restart", "until then it is refused, and what comes then is posted too", function* () {
    const made = yield* hooked
    const { owner, path, answer, received } = made
    yield* answer(410)
    yield* receive(owner, [{ subject: "failed" }])
    const delivery = yield* deliveryPath(made, "FAILED")
    expectWithin(yield* owner.call(`GET ${path}`), 200, { webhook: { status: "FAILED" } })
    yield* answer(200)
    expectError(yield* owner.call(`POST ${delivery}/redeliver`), 400, "WEBHOOK_NOT_ACTIVE")
    expectWithin(yield* owner.call(`PATCH ${path}`, { body: { status: "ACTIVE" } }), 200, {
      webhook: { status: "ACTIVE", failureCount: 0 },
    })
    expect((yield* owner.call(`POST ${delivery}/redeliver`)).status).toBe(202)
    yield* deliveryPath(made, "DELIVERED")
    yield* receive(owner, [{ subject: "the next" }])
    expect((yield* received(3)).map(subjectOf)).toEqual(["failed", "failed", "the next"])
  }),
  row("decisions.retry.order", "of five in a row", function* () {
    const { owner, received } = yield* hooked
    for (const subject of ["1", "2", "3", "4", "5"]) yield* receive(owner, [{ subject }])
    expect((yield* received(5)).map(subjectOf)).toEqual(["1", "2", "3", "4", "5"])
  }),
  wire("decisions.retry.slow", "one that never answers, of the same account", function* () {
    const { silentReceiver } = yield* Wire
    const { owner, received } = yield* hooked
    const silent = yield* silentReceiver
    yield* register(owner, silent.url)
    for (const subject of ["1", "2", "3"]) yield* receive(owner, [{ subject }])
    yield* silent.received(1)
    expect((yield* received(3)).map(subjectOf)).toEqual(["1", "2", "3"])
    expect(yield* countOf(silent)).toBe(1)
  }),
  virtual("decisions.retry.stable-id", "and the body with it", function* () {
    const { advance } = yield* Virtual
    const { owner, answer, received } = yield* hooked
    yield* answer(500)
    yield* receive(owner)
    yield* received(1)
    yield* advance(1.1 * MINUTE + 1)
    const [first, second] = yield* received(2)
    expect(second?.headers["x-service-delivery-id"]).toBe(first?.headers["x-service-delivery-id"])
    expect(second?.body).toBe(first?.body)
  }),
]
