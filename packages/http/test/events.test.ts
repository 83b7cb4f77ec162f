/** The event stream (spec, Event stream; decisions §7). */
import { describe } from "@effect/vitest"
import { STREAM_HEARTBEAT, STREAM_LIFETIME } from "@mailroom/domain"
import { Draining } from "@mailroom/http"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { framesIn, listen } from "./support/stream.js"

describe("the stream", () => {
  rule("begins with its head at once, and says that nothing may keep or hold it", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { response, take } = yield* listen({ key, headers: { accept: "text/event-stream" } })
      expect(response.headers.get("content-type")).toBe("text/event-stream")
      expect(response.headers.get("cache-control")).toBe("no-cache, no-transform")
      expect(response.headers.get("x-accel-buffering")).toBe("no")
      expect(yield* take).toBe(":ok\n\n")
    }),
  )

  rule("carries no quota headers", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 90 } })
      const { response } = yield* listen({ key: account.key })
      expect(response.headers.has("x-service-inbound-quota")).toBe(false)
      expect(response.headers.has("x-service-inbound-warning")).toBe(false)
    }),
  )

  rule("has a frame for an event: id, event and the envelope as data", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { take } = yield* listen({ key: account.key })
      yield* take
      yield* receive(account.address, [{ subject: "Hello" }])
      const text = yield* take
      const [frame] = framesIn(text)
      expect(text).toBe(`id: ${frame?.id}\nevent: message.received\ndata: ${JSON.stringify(frame?.data)}\n\n`)
      expect(frame?.id).toMatch(/^\d+-\d+-[0-9a-f]{4}$/)
      expect(frame?.data).toMatchObject({
        event: "message.received",
        timestamp: "1970-01-01T00:00:00.000Z",
        data: { subject: "Hello", mailbox_id: account.mailboxId, mailbox_address: account.address },
      })
    }),
  )

  rule("tells what is sent as well", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const { take } = yield* listen({ key: account.key })
      const body = { to: [account.email], subject: "Out", bodyText: "Text" }
      yield* ask(`POST /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key, body })
      expect(framesIn(yield* take).map(({ event }) => event)).toEqual(["message.sent"])
    }),
  )

  rule("gives attachments a link that works", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { take } = yield* listen({ key: account.key })
      yield* receive(account.address, [
        { attachment: { filename: "a.txt", type: "text/plain", content: "A" } },
      ])
      const [frame] = framesIn(yield* take)
      const Data = Schema.Struct({
        data: Schema.Struct({ attachments: Schema.Array(Schema.Struct({ download_url: Schema.String })) }),
      })
      const [file] = Schema.decodeUnknownSync(Data)(frame?.data).data.attachments
      const path = file?.download_url.replace("http://mailroom.test", "")
      expect((yield* ask(`GET ${path}`)).text.trim()).toBe("A")
    }),
  )

  rule("carries the usage from 50 % on, and a stub above the limit", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 98 } })
      const { take } = yield* listen({ key: account.key })
      for (const mail of mails(3)) yield* receive(account.address, [mail])
      expect(framesIn(yield* take).map(({ data }) => data)).toMatchObject([
        { data: { subject: "Mail 1", account: { inbound_usage: { current: 99, status: "near" } } } },
        {
          data: { subject: "Mail 2", account: { inbound_usage: { current: 100, status: "limit_reached" } } },
        },
        { data: { over_limit: true, account: { upgrade: { api_endpoint: { method: "POST" } } } } },
      ])
    }),
  )

  rule("has a heartbeat every 30 seconds", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { take } = yield* listen({ key })
      yield* take
      for (let beat = 0; beat < 3; beat++) {
        yield* TestClock.adjust(STREAM_HEARTBEAT - 1)
        expect(yield* take).toBe("")
        yield* TestClock.adjust(1)
        expect(yield* take).toBe(":heartbeat\n\n")
      }
    }),
  )

  rule("asks to reconnect after 4.5 minutes, and ends", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { take, ended } = yield* listen({ key })
      for (let spent = STREAM_HEARTBEAT; spent < STREAM_LIFETIME; spent += STREAM_HEARTBEAT) {
        yield* TestClock.adjust(STREAM_HEARTBEAT)
        yield* take
      }
      expect(yield* ended).toBe(false)
      yield* TestClock.adjust(STREAM_HEARTBEAT)
      expect(yield* take).toMatch(/^(?::heartbeat\n\n)?event: reconnect\ndata: \{\}\n\n$/)
      expect(yield* ended).toBe(true)
    }),
  )
})

describe("when the server stops", () => {
  rule("an open stream asks to reconnect, and ends; its place is free", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { begin } = yield* Draining
      const readers = yield* Effect.forEach([1, 2, 3, 4, 5], () => listen({ key }))
      for (const { take } of readers) expect(yield* take).toBe(":ok\n\n")
      yield* begin
      for (const { take, ended } of readers)
        expect([yield* take, yield* ended]).toEqual(["event: reconnect\ndata: {}\n\n", true])
      const late = yield* listen({ key })
      expect([yield* late.take, yield* late.ended]).toEqual([":ok\n\nevent: reconnect\ndata: {}\n\n", true])
    }),
  )
})

describe("of an account at most 5 streams are open", () => {
  rule("the 6th gets 429, by whatever key or session; one that closes makes room", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { key: scoped } = yield* scopedKey(account)
      const first = yield* listen({ key: account.key })
      for (const key of [account.key, account.key, scoped, scoped]) yield* listen({ key })
      for (const caller of [{ key: account.key }, { key: scoped }, { cookie: yield* signIn(account) }]) {
        const answer = yield* ask("GET /v1/events", caller)
        expect(answer.status).toBe(429)
        expect(answer.json).toEqual({ error: expect.stringContaining("5"), code: "TOO_MANY_STREAMS" })
      }
      yield* first.close
      yield* listen({ key: account.key })
    }),
  )

  rule("those of another account do not count", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (let opened = 0; opened < 5; opened++) yield* listen({ key })
      const other = yield* signUp("other")
      yield* listen({ key: other.key })
    }),
  )

  rule("a refused request takes no place", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      for (let asked = 0; asked < 6; asked++)
        expect((yield* ask("GET /v1/events?events=nothing", { key })).status).toBe(400)
      for (let opened = 0; opened < 5; opened++) yield* listen({ key })
    }),
  )
})
