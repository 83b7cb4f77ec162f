/**
 * The event stream beyond `events.stream.*`: its first bytes, usage in events, the stop of the server, revoked
 * callers, slots.
 */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { EventEnvelope } from "@mailroom/domain"
import { Draining } from "@mailroom/http"
import { Effect, Schema, TestClock } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { inOneService, rule } from "./support/service.js"
import { framesIn, listen } from "./support/stream.js"

inOneService((shared) => {
  describe("the stream", () => {
    shared("begins with its head at once, and says that nothing may keep or hold it", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const { response, take } = yield* listen({ key, headers: { accept: "text/event-stream" } })
        expect(response.headers.get("content-type")).toBe("text/event-stream")
        expect(response.headers.get("cache-control")).toBe("no-cache, no-transform")
        expect(response.headers.get("x-accel-buffering")).toBe("no")
        expect(yield* take).toBe(":ok\n\n")
      }),
    )

    shared("carries the usage from 50 % on, and a stub above the limit", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 98 } })
        const { take } = yield* listen({ key: account.key })
        for (const mail of mails(3)) yield* receive(account.address, [mail])
        expect(framesIn(yield* take).map(({ data }) => data)).toMatchObject([
          { data: { subject: "Mail 1", account: { inbound_usage: { current: 99, status: "near" } } } },
          {
            data: {
              subject: "Mail 2",
              account: { inbound_usage: { current: 100, status: "limit_reached" } },
            },
          },
          { data: { over_limit: true, account: { upgrade: { api_endpoint: { method: "POST" } } } } },
        ])
      }),
    )

    rule("tells with each of three events that are written together the usage as of its own message", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* setFacts(account, { receivedMonth: { window: "1970-01", count: 98 } })
        const { take } = yield* listen({ key: account.key })
        yield* receive(account.address, mails(3))
        const usages = framesIn(yield* take).map(({ data }) => {
          const envelope = Schema.decodeUnknownSync(EventEnvelope)(data)
          return "account" in envelope.data ? envelope.data.account?.inbound_usage.current : undefined
        })
        expect(usages).toEqual([99, 100, 101])
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
    shared("its key is revoked, scoped or not: at once, without a frame that asks to come back", () =>
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

    shared("its place is free again", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { id, key } = yield* scopedKey(account)
        const revoked = yield* Effect.replicateEffect(listen({ key }), 5)
        yield* ask(`DELETE /v1/api-keys/${id}`, { key: account.key })
        for (const { ended } of revoked) expect(yield* ended).toBe(true)
        for (let opened = 0; opened < 5; opened++) yield* listen({ key: account.key })
      }),
    )

    shared("its session is signed out", () =>
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
    shared("the 6th gets 429, by whatever key or session; one that closes makes room", () =>
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

    shared("a refused request takes no place", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        for (let asked = 0; asked < 6; asked++)
          expect((yield* ask("GET /v1/events?events=nothing", { key })).status).toBe(400)
        for (let opened = 0; opened < 5; opened++) yield* listen({ key })
      }),
    )
  })
})
