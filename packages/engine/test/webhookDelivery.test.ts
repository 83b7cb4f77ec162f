/** The requests that a webhook's receiver gets, and their order (docs/specification/channels.md). */
import { describe, expect } from "@effect/vitest"
import { EventEnvelope } from "@mailroom/domain"
import { Engine, Mailboxes } from "@mailroom/engine"
import { Effect, Schema, TestClock } from "effect"
import { createHmac } from "node:crypto"
import { received, receivedMany } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { as, paying, unverified } from "./support/owners.js"
import { eventsOf } from "./support/reading.js"
import { send } from "./support/sends.js"
import { answered, answers, requestsTo, stored, subscribe, URL_ONE, URL_TWO } from "./support/webhooks.js"

const readBody = Schema.decodeSync(Schema.parseJson(EventEnvelope))
const bodiesTo = (url: string) =>
  Effect.map(requestsTo(url), (requests) => requests.map(({ body }) => readBody(body)))
const subjectsTo = (url: string) =>
  Effect.map(bodiesTo(url), (bodies) =>
    bodies.flatMap(({ data }) => ("subject" in data ? [data.subject] : [])),
  )

describe("a delivery", () => {
  rule(
    "has the event of the stream as its body",
    Effect.gen(function* () {
      const owner = yield* paying()
      const made = yield* subscribe(owner, { events: ["message.received", "message.sent"] })
      yield* received(owner.address, { subject: "In" })
      yield* send(owner, { subject: "Out" })
      yield* Engine.settle
      expect(yield* bodiesTo(URL_ONE)).toEqual(yield* eventsOf(owner))
      expect(yield* stored(owner, made)).toMatchObject({ status: "ACTIVE", lastTriggeredAt: NOON })
    }),
  )

  rule(
    "carries signatures that the secret verifies",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const { secret } = yield* subscribe(owner)
      yield* received(owner.address, { subject: "Grüße, 世界" })
      const [request] = yield* requestsTo(URL_ONE)
      if (request === undefined) return yield* Effect.dieMessage("nothing was posted")
      const { body, headers } = request
      const deliveryId = headers["webhook-id"] ?? ""
      const seconds = headers["webhook-timestamp"] ?? ""
      const key = Buffer.from(secret.slice("whsec_".length), "base64")
      const standard = createHmac("sha256", key)
        .update(`${deliveryId}.${seconds}.${body}`, "utf8")
        .digest("base64")
      expect(headers).toEqual({
        "content-type": "application/json",
        "user-agent": "Mailroom",
        "X-Service-Signature": createHmac("sha256", secret).update(body, "utf8").digest("hex"),
        "X-Service-Delivery-Id": deliveryId,
        "X-Service-Event": "message.received",
        "webhook-id": deliveryId,
        "webhook-timestamp": String(NOON / 1000),
        "webhook-signature": `v1,${standard}`,
      })
      expect(key).toHaveLength(32)
      expect(deliveryId).toMatch(/^[0-9a-f-]{36}$/)
    }),
  )

  rule(
    "carries the owner's headers",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner, { headers: { "X-Token": "hush" } })
      yield* received(owner.address)
      expect(yield* requestsTo(URL_ONE)).toMatchObject([{ headers: { "X-Token": "hush" } }])
    }),
  )

  rule(
    "carries new download links at each attempt",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      yield* answers(URL_ONE, answered(500), answered(200))
      yield* received(owner.address, { files: [{ name: "a.bin", bytes: Buffer.from("12345") }] })
      yield* TestClock.adjust("2 minutes")
      yield* Engine.settle
      const expiries = (yield* requestsTo(URL_ONE)).map(
        ({ body }) => /content\?expires=(\d+)&/.exec(body)?.[1],
      )
      const day = 24 * 60 * 60_000
      expect(expiries).toEqual([String(NOON + day), String(NOON + 2 * 60_000 + day)])
    }),
  )

  rule(
    "of a gated message has the stub as its body",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* receivedMany(owner.address, 100)
      yield* subscribe(owner)
      yield* received(owner.address, { subject: "Above the cap" })
      const [stub] = yield* requestsTo(URL_ONE)
      expect(readBody(stub?.body ?? "")).toMatchObject({ data: { over_limit: true } })
      expect(stub?.body).not.toContain("Above the cap")
    }),
  )
})

describe("a webhook gets", () => {
  rule(
    "the event kinds that it subscribed to",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* subscribe(owner, { events: ["message.sent"] })
      yield* received(owner.address)
      yield* send(owner, { subject: "Out" })
      yield* Engine.settle
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Out"])
    }),
  )

  rule(
    "the events of its mailbox, or all events of its account, and no others",
    Effect.gen(function* () {
      const owner = yield* paying("acme")
      const other = yield* paying("other")
      const mailboxes = yield* Mailboxes
      const wanted = { localPart: "second", displayName: null, domainId: null }
      const second = yield* mailboxes.create(yield* as(owner), wanted)
      yield* Engine.settle
      yield* subscribe(owner, { mailboxId: second.id })
      yield* subscribe(owner, { url: URL_TWO })
      yield* received(owner.address, { subject: "First" })
      yield* received(second.fullAddress, { subject: "Second" })
      yield* received(other.address, { subject: "Theirs" })
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Second"])
      expect(yield* subjectsTo(URL_TWO)).toEqual(["First", "Second"])
    }),
  )

  rule(
    "no events from before its creation",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* received(owner.address, { subject: "Before" })
      yield* subscribe(owner)
      yield* received(owner.address, { subject: "After" })
      expect(yield* subjectsTo(URL_ONE)).toEqual(["After"])
    }),
  )

  rule(
    "its events in order, also when an early one is retried",
    Effect.gen(function* () {
      const owner = yield* unverified()
      yield* subscribe(owner)
      yield* answers(URL_ONE, answered(200), answered(500), answered(200))
      yield* receivedMany(owner.address, 4)
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Mail 1", "Mail 2", "Mail 3", "Mail 4"])
      yield* TestClock.adjust("2 minutes")
      yield* Engine.settle
      expect(yield* subjectsTo(URL_ONE)).toEqual(["Mail 1", "Mail 2", "Mail 3", "Mail 4", "Mail 2"])
    }),
  )

  rule(
    "hundreds of events in order",
    Effect.gen(function* () {
      const owner = yield* paying()
      yield* subscribe(owner)
      yield* receivedMany(owner.address, 250)
      expect(yield* subjectsTo(URL_ONE)).toEqual(
        Array.from({ length: 250 }, (_, index) => `Mail ${index + 1}`),
      )
    }),
  )
})
