/** The event stream (spec, Event stream; decisions §7). */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { STREAM_HEARTBEAT, STREAM_LIFETIME } from "@mailroom/domain"
import { Draining } from "@mailroom/http"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
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

describe("a stream ends when who opened it would not be let in any more", () => {
  rule("its key is revoked, scoped or not: at once, without a frame that asks to come back", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const full = read(CreatedKey)(
        yield* ask("POST /v1/api-keys", { key: account.key, body: { name: "second" } }),
      )
      for (const { id, key } of [full, yield* scopedKey(account)]) {
        const revoked = yield* listen({ key })
        const other = yield* listen({ key: account.key })
        yield* ask(`DELETE /v1/api-keys/${id}`, { key: account.key })
        expect(yield* revoked.ended).toBe(true)
        expect(yield* revoked.take).toBe(":ok\n\n")
        yield* receive(account.address)
        expect(framesIn(yield* other.take)).toHaveLength(1)
        yield* other.close
      }
    }),
  )

  rule("its place is free again", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { id, key } = yield* scopedKey(account)
      const revoked = yield* Effect.replicateEffect(listen({ key }), 5)
      yield* ask(`DELETE /v1/api-keys/${id}`, { key: account.key })
      for (const { ended } of revoked) expect(yield* ended).toBe(true)
      for (let opened = 0; opened < 5; opened++) yield* listen({ key: account.key })
    }),
  )

  rule("its session is signed out", () =>
    Effect.gen(function* () {
      const cookie = yield* Effect.flatMap(signUp(), signIn)
      const { ended } = yield* listen({ cookie })
      yield* ask("POST /api/auth/sign-out", { cookie })
      expect(yield* ended).toBe(true)
    }),
  )

  rule("its account is suspended: when the next look comes round at the latest", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { ended } = yield* listen({ key: account.key })
      yield* setFacts(account, { suspendedAt: 0, suspendedReason: "complaints" })
      yield* TestClock.adjust("15 seconds")
      expect(yield* ended).toBe(true)
    }),
  )

  rule("but not when its account has to pay", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const { ended } = yield* listen({ key: account.key })
      yield* setFacts(account, { trialSends: 10 })
      yield* TestClock.adjust("15 seconds")
      expect(yield* ended).toBe(false)
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
