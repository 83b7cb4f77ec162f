/** Clients that hang up before they are answered, over a real HTTP server (docs/decisions/0042). */
import { describe, expect, it } from "@effect/vitest"
import { Integrity, OutboundMail, Transactions } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { eventually } from "@mailroom/test-services"
import { Context, Effect, Layer, Queue, Schema, Stream } from "effect"
import { request } from "node:http"
import { owner } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { HungUp, serverUrl, worldWith } from "./support/sockets.js"

/** Several times as many as one account has prepared at one time. */
const SENDS = 8
const SUBJECTS = Array.from({ length: SENDS }, (_, index) => `Hello ${index + 1}`)
const PARTNER = "bob@partner.dev"

/** A relay that holds its answers, and a store that holds its transactions. */
class Held extends Context.Tag("test/Held")<
  Held,
  {
    /** Returns when the relay has one more mail to `PARTNER` that it has not answered. */
    readonly relayHasMail: Effect.Effect<void>
    readonly relayAnswers: Effect.Effect<void>
    readonly storePauses: Effect.Effect<void>
    readonly storeGoesOn: Effect.Effect<void>
  }
>() {}

const heldPorts = Layer.effectContext(
  Effect.gen(function* () {
    const relay = yield* OutboundMail
    const { run } = yield* Transactions
    const relayed = yield* Queue.unbounded<void>()
    const relayMayAnswer = yield* Effect.makeLatch(false)
    const storeMayRun = yield* Effect.makeLatch(true)
    const hold = Effect.zipRight(Queue.offer(relayed, undefined), relayMayAnswer.await)
    return Context.make(OutboundMail, {
      send: (envelope, raw, within) =>
        Effect.zipRight(
          Effect.when(hold, () => envelope.to.includes(PARTNER)),
          relay.send(envelope, raw, within),
        ),
    }).pipe(
      Context.add(Transactions, { run: (effect) => Effect.zipRight(storeMayRun.await, run(effect)) }),
      Context.add(Held, {
        relayHasMail: Queue.take(relayed),
        relayAnswers: Effect.asVoid(relayMayAnswer.open),
        storePauses: Effect.asVoid(storeMayRun.close),
        storeGoesOn: Effect.asVoid(storeMayRun.open),
      }),
    )
  }),
)

const Listed = Schema.Struct({ messages: Schema.Array(Schema.Struct({ status: Schema.String })) })

describe("many sends of one account whose clients hang up once their messages are recorded", () => {
  it.live(
    "all end SENT, once: those the relay has not answered, and those whose end the store holds up",
    () =>
      Effect.gen(function* () {
        const held = yield* Held
        const hungUp = yield* HungUp
        const { key, mailboxId } = yield* owner("active")
        const messages = `/v1/mailboxes/${mailboxId}/messages`
        const url = `${yield* serverUrl}${messages}`
        const answered: Array<string> = []
        const clients = SUBJECTS.map((subject) => {
          const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
          const client = request(url, { method: "POST", agent: false, headers })
          client.on("error", () => undefined).on("response", () => answered.push(subject))
          return client.end(JSON.stringify({ to: [PARTNER], subject, bodyText: "How are you?" }))
        })
        const hangUp = (leaving: typeof clients) =>
          Effect.forEach(leaving, (client) =>
            Effect.zipRight(
              Effect.sync(() => client.destroy()),
              Queue.take(hungUp),
            ),
          )

        yield* Effect.replicateEffect(held.relayHasMail, SENDS)
        yield* hangUp(clients.slice(0, SENDS / 2))
        yield* held.storePauses
        yield* held.relayAnswers
        yield* hangUp(clients.slice(SENDS / 2))
        yield* held.storeGoesOn

        const listed = yield* eventually(
          "every send has ended",
          Effect.map(ask(`GET ${messages}?direction=OUTBOUND&limit=100`, { key }), read(Listed)),
          (list) => list.messages.length === SENDS,
        )
        expect(listed.messages.map(({ status }) => status)).toEqual(SUBJECTS.map(() => "SENT"))
        expect(answered).toEqual([])
        const relayed = (yield* (yield* MemoryRelay).sent)
          .filter(({ envelope }) => envelope.to.includes(PARTNER))
          .map(({ raw }) => /^Subject: (.*)\r$/m.exec(Buffer.from(raw).toString("latin1"))?.[1])
        expect(relayed).toHaveLength(SENDS)
        expect(new Set(relayed)).toEqual(new Set(SUBJECTS))
        const { json } = yield* ask("GET /v1/account", { key })
        expect(json).toMatchObject({ account: { sentToday: SENDS, sentThisMonth: SENDS } })
        const { check } = yield* Integrity
        expect(yield* Stream.runFold(check, 0, (found, { drifts }) => found + drifts.length)).toBe(0)
      }).pipe(Effect.provide(worldWith(heldPorts))),
  )
})
