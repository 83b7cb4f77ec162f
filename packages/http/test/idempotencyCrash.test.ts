/** Concurrent repetitions, and repetitions after a crash, are carried out once (docs/decisions/0021). */
import { describe } from "@effect/vitest"
import { DraftsPage, MessagesPage } from "@mailroom/api"
import { IDEMPOTENCY_LEASE, MINUTE } from "@mailroom/domain"
import { Engine, IdempotencyStore, MimeComposer, OutboundMail } from "@mailroom/engine"
import { Context, Deferred, Effect, Fiber, Layer, Ref, TestClock } from "effect"
import { expect } from "vitest"
import { Mailboxes, owner, type Owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import {
  askWith,
  expectReplay,
  isReplayed,
  KEY,
  mail,
  mailsSent,
  ruleWith,
  sendWith,
  sentIn,
} from "./support/keyed.js"
import { ABSENT, bodyFor, nameOf, routes } from "./support/routes.js"

class Relaying extends Context.Tag("test/Relaying")<
  Relaying,
  { readonly begun: Deferred.Deferred<void>; readonly mayEnd: Deferred.Deferred<void> }
>() {}

/** A relay that takes its time, with strangers. */
const slow = Layer.effectContext(
  Effect.gen(function* () {
    const relay = yield* OutboundMail
    const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const send: OutboundMail["Type"]["send"] = (envelope, raw, within) =>
      Effect.gen(function* () {
        if (envelope.to.includes("bob@partner.dev")) {
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(mayEnd)
        }
        return yield* relay.send(envelope, raw, within)
      })
    return Context.make(OutboundMail, { send }).pipe(Context.add(Relaying, { begun, mayEnd }))
  }),
)

describe("fifty sends at once under one key", () => {
  ruleWith(slow)("are one mail, one 201, and 49 times 409 with Retry-After; and then its replays", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const { begun, mayEnd } = yield* Relaying
      const first = yield* Effect.fork(sendWith(KEY, account))
      yield* Deferred.await(begun)
      const others = yield* Effect.all(
        Array.from({ length: 49 }, () => sendWith(KEY, account)),
        { concurrency: "unbounded" },
      )
      for (const { status, json, headers } of others) {
        expect([status, json]).toEqual([409, { error: expect.any(String), code: "IDEMPOTENCY_KEY_IN_USE" }])
        expect(headers.get("retry-after")).toBe("1")
      }
      yield* Deferred.succeed(mayEnd, undefined)
      const answer = yield* Fiber.join(first)
      expect(answer.status).toBe(201)
      const again = yield* Effect.all(
        Array.from({ length: 50 }, () => sendWith(KEY, account)),
        { concurrency: "unbounded" },
      )
      for (const replay of again) expectReplay(replay, answer)
      expect(yield* mailsSent).toBe(1)
    }),
  )

  ruleWith(Layer.empty)("are one mail however they fall", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => sendWith(KEY, account)),
        { concurrency: "unbounded" },
      )
      const fresh = answers.filter((answer) => answer.status === 201 && !isReplayed(answer))
      expect(fresh).toHaveLength(1)
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
      expect(yield* mailsSent).toBe(1)
    }),
  )
})

type Place =
  | "before anything is recorded"
  | "before the relay"
  | "after the relay"
  | "before the answer is kept"

/** Kills the process; nothing is written down of what it was at until the next one is there. */
class Process extends Context.Tag("test/Process")<
  Process,
  { readonly diesAt: (place: Place) => Effect.Effect<void>; readonly restart: Effect.Effect<void> }
>() {}

const mortal = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const composer = yield* MimeComposer
    const relay = yield* OutboundMail
    const death = yield* Ref.make<Place | null>(null)
    const unlessDead = (write: Effect.Effect<void>) =>
      Effect.flatMap(death, (place) => (place === null ? write : Effect.void))
    const dieAt = (here: Place) =>
      Effect.flatMap(death, (place) =>
        place === here ? Effect.dieMessage("the process is gone") : Effect.void,
      )
    return Context.make(Process, {
      diesAt: (place) => Ref.set(death, place),
      // Leases of a process that is gone run out.
      restart: Effect.zipRight(Ref.set(death, null), TestClock.adjust(IDEMPOTENCY_LEASE)),
    }).pipe(
      Context.add(IdempotencyStore, {
        ...store,
        answer: (lease, sealed, isLarge) => unlessDead(store.answer(lease, sealed, isLarge)),
        release: (lease) => unlessDead(store.release(lease)),
      }),
      Context.add(MimeComposer, {
        compose: (draft) => Effect.zipRight(dieAt("before anything is recorded"), composer.compose(draft)),
      }),
      Context.add(OutboundMail, {
        send: (envelope, raw, within) =>
          dieAt("before the relay").pipe(
            Effect.zipRight(relay.send(envelope, raw, within)),
            Effect.tap(dieAt("after the relay")),
          ),
      }),
    )
  }),
)

const crashRule = ruleWith(mortal)

/** Asks while the process dies: nobody hears the answer. */
const lost = Effect.fn(function* <A, R>(place: Place, request: Effect.Effect<A, never, R>) {
  const { diesAt } = yield* Process
  yield* diesAt(place)
  yield* request
})

const restart = Effect.flatMap(Process, ({ restart: next }) => next)

const listed = ({ key, mailboxId }: Owner) =>
  Effect.map(
    ask(`GET /v1/mailboxes/${mailboxId}/messages`, { key }),
    (answer) => read(MessagesPage)(answer).messages,
  )

describe("a send whose process died", () => {
  crashRule("before anything was recorded is done anew, once the lease is over", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const send = sendWith(KEY, account)
      yield* lost("before anything is recorded", send)
      expect((yield* send).json).toMatchObject({ code: "IDEMPOTENCY_KEY_IN_USE" })
      yield* restart
      const answer = yield* send
      expect([answer.status, isReplayed(answer)]).toEqual([201, false])
      expectReplay(yield* send, answer)
      expect(yield* mailsSent).toBe(1)
    }),
  )

  for (const [place, taken] of [
    ["before the relay", 0],
    ["after the relay", 1],
  ] as const)
    crashRule(`${place} had it answers 409 with the message's id, and is never sent again`, () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const send = sendWith(KEY, account)
        yield* lost(place, send)
        yield* restart
        const answer = yield* send
        expect([answer.status, answer.json]).toEqual([
          409,
          { error: expect.any(String), code: "SEND_OUTCOME_UNKNOWN", messageId: expect.any(String) },
        ])
        yield* TestClock.adjust(10 * MINUTE)
        yield* Engine.settle
        expect(yield* listed(account)).toMatchObject([{ status: "UNKNOWN" }])
        const [message] = yield* listed(account)
        expect(answer.json).toMatchObject({ messageId: message?.id })
        expect((yield* send).json).toEqual(answer.json)
        expect(yield* mailsSent).toBe(taken)
      }),
    )

  crashRule("before the answer was kept gets the message that was sent", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const send = sendWith(KEY, account)
      yield* lost("before the answer is kept", send)
      yield* restart
      const answer = yield* send
      expect([answer.status, isReplayed(answer)]).toEqual([201, true])
      const [message] = yield* listed(account)
      expect(sentIn(answer)).toMatchObject({ id: message?.id, status: "SENT" })
      expect((yield* send).text).toBe(answer.text)
      expect(yield* mailsSent).toBe(1)
    }),
  )

  crashRule("before the answer was kept, and whose message is deleted since, is not sent again", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      const send = sendWith(KEY, account)
      yield* lost("before the answer is kept", send)
      yield* restart
      const [message] = yield* listed(account)
      yield* ask(`DELETE /v1/mailboxes/${account.mailboxId}/messages/${message?.id}`, { key: account.key })
      const answer = yield* send
      expect([answer.status, answer.json]).toMatchObject([409, { code: "IDEMPOTENCY_RESULT_LOST" }])
      expect(yield* mailsSent).toBe(1)
    }),
  )
})

describe("a send that became a draft, and whose process died before the answer was kept", () => {
  const review = ({ key, mailboxId }: Owner, outboundPolicy: "open" | "review") =>
    ask(`PATCH /v1/mailboxes/${mailboxId}`, { key, body: { outboundPolicy } })

  const reviews = ({ key }: Owner) =>
    Effect.map(ask("GET /v1/reviews", { key }), (answer) => read(DraftsPage)(answer).drafts)

  for (const [what, outboundPolicy, body] of [
    ["held", "review", mail],
    ["scheduled", "open", { ...mail, sendAt: "1970-01-02T00:00:00Z" }],
  ] as const)
    crashRule(`gets the draft that was ${what}, and is not kept twice`, () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        yield* review(account, outboundPolicy)
        const send = sendWith(KEY, account, body)
        yield* lost("before the answer is kept", send)
        yield* restart
        const answer = yield* send
        expect([answer.status, isReplayed(answer)]).toEqual([202, true])
        const drafts = read(DraftsPage)(yield* ask("GET /v1/drafts", { key: account.key })).drafts
        expect(drafts).toHaveLength(1)
        expect(answer.json).toEqual({ draft: drafts[0] })
        expect((yield* send).text).toBe(answer.text)
        expect((yield* sendWith(KEY, account, { ...body, subject: "Another" })).json).toMatchObject({
          code: "IDEMPOTENCY_KEY_REUSED",
        })
        expect(yield* mailsSent).toBe(0)
      }),
    )

  crashRule("and that was approved meanwhile, gets the message", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      yield* review(account, "review")
      const send = sendWith(KEY, account)
      yield* lost("before the answer is kept", send)
      yield* restart
      const [held] = yield* reviews(account)
      const approval = { key: account.key, body: { digest: held?.digest } }
      const approved = yield* ask(`POST /v1/reviews/${held?.id}/approve`, approval)
      expect(approved.status).toBe(201)
      const answer = yield* send
      expect([answer.status, isReplayed(answer), sentIn(answer).id]).toEqual([201, true, held?.id])
      expect(yield* mailsSent).toBe(1)
    }),
  )

  crashRule("and that was deleted meanwhile, is not sent again", () =>
    Effect.gen(function* () {
      const account = yield* owner("active")
      yield* review(account, "review")
      const send = sendWith(KEY, account)
      yield* lost("before the answer is kept", send)
      yield* restart
      const [held] = yield* reviews(account)
      yield* ask(`DELETE /v1/mailboxes/${account.mailboxId}/drafts/${held?.id}`, { key: account.key })
      yield* review(account, "open")
      expect((yield* send).json).toMatchObject({ code: "IDEMPOTENCY_RESULT_LOST" })
      expect(yield* mailsSent).toBe(0)
    }),
  )
})

describe("a request whose process died before the answer was kept", () => {
  crashRule("says that it was carried out, and is not carried out again", () =>
    Effect.gen(function* () {
      const { key } = yield* owner("active")
      const create = askWith(KEY, "POST /v1/mailboxes", { key, body: { address: "new" } })
      yield* lost("before the answer is kept", create)
      yield* restart
      const answer = yield* create
      expect([answer.status, answer.json]).toEqual([
        409,
        { error: expect.any(String), code: "IDEMPOTENCY_RESULT_LOST" },
      ])
      const { mailboxes } = read(Mailboxes)(yield* ask("GET /v1/mailboxes", { key }))
      expect(mailboxes.map(({ address }) => address)).toEqual(["agent", "new"])
    }),
  )

  const creating = routes.filter(
    (route) => nameOf(route).startsWith("POST ") && route.inside > 200 && route.inside < 300,
  )
  for (const route of creating)
    crashRule(`${nameOf(route)} is not carried out again`, () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const request = askWith(KEY, route.target({ ...account, keyId: ABSENT }), {
          key: account.key,
          ...bodyFor(route, account),
        })
        yield* lost("before the answer is kept", request)
        yield* restart
        const answer = yield* request
        expect(answer.status === 409 || isReplayed(answer), answer.text).toBe(true)
      }),
    )
})
