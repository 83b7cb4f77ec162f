/** Several processes on one Postgres are one service. */
import { describe, expect, it, layer } from "@effect/vitest"
import { eventually, deliver, plainMail } from "@mailroom/test-services"
import { Array, Context, Effect, Layer, Schema } from "effect"
import { simpleParser } from "mailparser"
import { createHash } from "node:crypto"
import { at, linkToken, signUp } from "./support/account.js"
import { openStream } from "./support/eventStream.js"
import { call } from "./support/http.js"
import { manyProcesses } from "./support/manyProcesses.js"
import { type RelaySink, relaySink } from "./support/relaySink.js"
import type { Server } from "./support/server.js"

const verifyThrough = (relay: RelaySink, server: Server, email: string) =>
  Effect.gen(function* () {
    const mail = yield* relay.firstTo(email)
    const { text } = yield* Effect.promise(() => simpleParser(mail.raw))
    return yield* call(server, "POST /v1/auth/verify-email", { body: { token: linkToken(text) } })
  })

const statuses = (answers: ReadonlyArray<{ readonly status: number }>) =>
  answers.reduce<Record<number, number>>(
    (counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }),
    {},
  )

describe("several processes on one database", () => {
  it.scopedLive("a mail into one is delivered by another, and an event on the stream of a third", () =>
    Effect.gen(function* () {
      const { start } = yield* manyProcesses()
      const [http, smtp] = yield* Effect.all([start({ ROLES: "http" }), start({ ROLES: "smtp" })], {
        concurrency: 2,
      })
      yield* start({ ROLES: "worker" })
      const account = yield* signUp(http, "three")
      const stream = yield* openStream(http, account.key)
      expect(yield* deliver(smtp.smtpPort, account.address, plainMail("passed-on"))).toMatch(/^250/)
      const [frame] = yield* stream.received(1)
      expect(frame).toMatchObject({ event: "message.received", data: { data: { subject: "passed-on" } } })

      // Longer than an entry of an index may be, and with characters that Postgres does not store.
      const noise = createHash("sha512").update("noise").digest("base64").repeat(300)
      const odd = ["From: Bob <bob@corp.org>", `Subject: ${noise}`, `Message-ID: <${noise}@x>`, "", "nul: \0"]
      expect(yield* deliver(smtp.smtpPort, account.address, odd.join("\r\n"))).toMatch(/^250/)
      const [, second] = yield* stream.received(2)
      expect(second?.data.data["subject"]).toContain(noise.slice(0, 1_000))
    }),
  )
})

/** Two processes with every role, and the relay that both send through; on the plan Free, with its 100 sends a day. */
class Pair extends Context.Tag("test/Pair")<
  Pair,
  { readonly relay: RelaySink; readonly one: Server; readonly other: Server }
>() {
  static readonly layer = Layer.scoped(
    Pair,
    Effect.gen(function* () {
      const relay = yield* relaySink
      const { start } = yield* manyProcesses({ DEFAULT_PLAN: "Free", OUTBOUND_URL: relay.url })
      const [one, other] = yield* Effect.all([start(), start()], { concurrency: 2 })
      return { relay, one, other }
    }),
  )
}

/** An account whose owner is verified, by the mail that went through the relay. */
const verified = Effect.fn(function* (slug: string) {
  const { relay, one } = yield* Pair
  const account = yield* signUp(one, slug)
  yield* verifyThrough(relay, one, account.email)
  return account
})

layer(Pair.layer, { excludeTestServices: true })("two processes on one database", (it) => {
  it.scoped(
    "200 sends at once with 100 left over two are 100 sent and 100 refused, and the relay saw 100",
    () =>
      Effect.gen(function* () {
        const { relay, one, other } = yield* Pair
        const account = yield* verified("hundred")
        const send = (n: number) =>
          at(n % 2 === 0 ? one : other, account).call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
            body: { to: ["bob@partner.dev"], subject: `Number ${n}`, bodyText: "Hello." },
            headers: { "idempotency-key": `number-${n}` },
          })
        // A busy machine answers some with 503, because they waited too long for a connection; they are sent again. Their key may still
        // be in use then (409), and only then: to free it takes a connection, too.
        const again = (n: number) =>
          Effect.repeat(send(n), { until: ({ status }) => status !== 503 && status !== 409, times: 20 })
        const answers = yield* Effect.forEach(
          Array.range(1, 200),
          (n) =>
            Effect.flatMap(send(n), (answer) => (answer.status === 503 ? again(n) : Effect.succeed(answer))),
          { concurrency: "unbounded" },
        )
        expect(statuses(answers)).toEqual({ 201: 100, 429: 100 })
        expect(relay.received.filter(({ to }) => to.includes("bob@partner.dev"))).toHaveLength(100)
      }),
  )

  it.scoped("20 keys that are used in both at once are 20 mails", () =>
    Effect.gen(function* () {
      const { relay, one, other } = yield* Pair
      const account = yield* verified("twenty")
      const send = (server: Server, n: number) =>
        at(server, account).call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
          body: { to: ["ann@partner.dev"], subject: `Number ${n}`, bodyText: "Hello." },
          headers: { "idempotency-key": `key-${n}` },
        })
      const pairs = yield* Effect.forEach(
        Array.range(1, 20),
        (n) => Effect.all([send(one, n), send(other, n)], { concurrency: 2 }),
        { concurrency: "unbounded" },
      )
      for (const pair of pairs)
        // The second request was told to wait, or got the answer of the first.
        expect(["201,201", "201,409", "409,201"]).toContain(pair.map(({ status }) => status).join())
      const again = yield* Effect.forEach(Array.range(1, 20), (n) => send(n % 2 === 0 ? one : other, n))
      expect(statuses(again)).toEqual({ 201: 20 })
      const subjects = relay.received
        .filter(({ to }) => to.includes("ann@partner.dev"))
        .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())
      expect(subjects.length).toBe(20)
      expect(new Set(subjects).size).toBe(20)
    }),
  )

  it.scoped("five streams of an account are all there are, wherever they are open", () =>
    Effect.gen(function* () {
      const { one, other } = yield* Pair
      const account = yield* signUp(one, "five")
      for (const server of [one, other, one, other, one]) yield* openStream(server, account.key)
      for (const server of [one, other])
        expect((yield* call(server, "GET /v1/events", { key: account.key })).status).toBe(429)
    }),
  )

  it.scoped("a key that is revoked in one opens nothing in the other, and its streams end there", () =>
    Effect.gen(function* () {
      const { one, other } = yield* Pair
      const account = yield* verified("revoked")
      const created = yield* at(one, account).call("POST /v1/api-keys", { body: { name: "second" } })
      const { id, key } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, key: Schema.String }))(
        created.json,
      )
      const stream = yield* openStream(other, key)
      yield* at(one, account).call(`DELETE /v1/api-keys/${id}`)
      expect((yield* call(other, "GET /v1/account", { key })).status).toBe(401)
      yield* eventually("the stream is over", Effect.sync(stream.isOver), (over) => over)
    }),
  )
})
