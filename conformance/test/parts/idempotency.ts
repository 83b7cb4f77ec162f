/** Requests with an `Idempotency-Key`. */
import { Effect, Queue } from "effect"
import { expect } from "vitest"
import { type Agent, agent, listMessages, newKey, pay, sendBody } from "../../src/agents.js"
import { type Answer, listAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { type Call, Virtual, World } from "../../src/World.js"
import { anyId, anyText, expectError, expectInvalid, expectPayment } from "../expectations.js"
import { BOB } from "../values.js"

const KEY = "order-4711"

/** Calls under a key. */
const once = ({ call }: Pick<Agent, "call">, target: string, body: Call["body"], key = KEY) =>
  call(target, { body, headers: { "idempotency-key": key } })

const newMailbox = (caller: Pick<Agent, "call">, address: string, key?: string) =>
  once(caller, "POST /v1/mailboxes", { address }, key)

const sendOnce = (owner: Agent, to: string) =>
  once(owner, `POST /v1/mailboxes/${owner.mailboxId}/messages`, sendBody(to))

const replayed = ({ headers }: Answer): string | null => headers.get("idempotent-replayed")

/** A first answer. */
const expectFresh = (answer: Answer, status: number): void =>
  expect([answer.status, replayed(answer)], answer.text).toEqual([status, null])

/** Checks for the first response, byte by byte, with `Idempotent-Replayed`. */
const expectReplay = (again: Answer, first: Answer): void => {
  expect([again.status, again.text, replayed(again)]).toEqual([first.status, first.text, "true"])
  expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
}

const addresses = ({ call }: Agent) =>
  Effect.map(call("GET /v1/mailboxes"), ({ json }) => listAt(json, "mailboxes"))

export const idempotency: Part = [
  row("decisions.idempotency.replay", "byte by byte, with the secret that is shown once", function* () {
    const owner = yield* agent()
    const create = once(owner, "POST /v1/api-keys", { name: "worker" })
    const first = yield* create
    expectFresh(first, 201)
    expect(first.json).toMatchObject({ id: anyId, key: anyText })
    for (const _ of ["once", "twice"]) expectReplay(yield* create, first)
  }),
  row("decisions.idempotency.once", "one mail, one message, one unit of the quota", function* () {
    const { outbox } = yield* World
    const owner = yield* agent("active")
    const to = `once@${owner.slug}.partner.dev`
    const answers = yield* Effect.forEach([1, 2, 3], () => sendOnce(owner, to))
    expect(answers.map(replayed)).toEqual([null, "true", "true"])
    expect(yield* outbox(to)).toHaveLength(1)
    expect(listAt((yield* listMessages(owner)).json, "messages")).toHaveLength(1)
    expect((yield* owner.call("GET /v1/account")).json).toMatchObject({ account: { sentToday: 1 } })
  }),
  row(
    "decisions.idempotency.key",
    "256 are taken, 257 and none are not, nor what is no such sign",
    function* () {
      const owner = yield* agent()
      for (const wrong of ["", "k".repeat(257), "two words", "a/b", "k+1"])
        expectInvalid(yield* newMailbox(owner, "refused", wrong), "Idempotency-Key")
      expectFresh(yield* newMailbox(owner, "longest", "k".repeat(256)), 201)
      expectFresh(yield* newMailbox(owner, "every-sign", "AZaz09-._~"), 201)
      expect(yield* addresses(owner)).toHaveLength(3)
    },
  ),
  row("decisions.idempotency.scope", "to all others it is a new one", function* () {
    const owner = yield* agent()
    const create = (caller: Pick<Agent, "call">) => once(caller, "POST /v1/api-keys", { name: "worker" })
    expectFresh(yield* create(owner), 201)
    expectFresh(yield* create(yield* newKey(owner)), 201)
    expectFresh(yield* create(yield* agent()), 201)
    expectFresh(yield* newMailbox(owner, "another-route"), 201)
    expect(replayed(yield* create(owner))).toBe("true")
  }),
  row("decisions.idempotency.4xx", "even when its reason is gone", function* () {
    const owner = yield* agent()
    const first = yield* newMailbox(owner, "agent")
    expectFresh(first, 409)
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}`)
    expectReplay(yield* newMailbox(owner, "agent"), first)
    expect(yield* addresses(owner)).toEqual([])
  }),
  row("decisions.idempotency.gates", "the key is free once the gate is open", function* () {
    const owner = yield* agent("payment_required")
    expectPayment(yield* newMailbox(owner, "paid"))
    yield* pay(owner)
    expectFresh(yield* newMailbox(owner, "paid"), 201)
  }),
  row("idempotency.refusals", "and the key does the work once the reason is gone", function* () {
    const owner = yield* agent()
    const create = (refusals: string) =>
      owner.call("POST /v1/mailboxes", {
        body: { address: "agent" },
        headers: { "idempotency-key": KEY, "idempotency-refusals": refusals },
      })
    expectInvalid(yield* create("store"), "Idempotency-Refusals")
    for (const _ of ["once", "twice"]) expectFresh(yield* create("retry"), 409)
    yield* owner.call(`DELETE /v1/mailboxes/${owner.mailboxId}`)
    const first = yield* create("retry")
    expectFresh(first, 201)
    expectReplay(yield* create("retry"), first)
  }),
  row("decisions.idempotency.body", "and the first answer stays", function* () {
    const owner = yield* agent()
    const first = yield* newMailbox(owner, "first")
    expectFresh(first, 201)
    expectError(yield* newMailbox(owner, "second"), 409, "IDEMPOTENCY_KEY_REUSED")
    expectReplay(yield* newMailbox(owner, "first"), first)
    expect(yield* addresses(owner)).toHaveLength(2)
  }),
  virtual("decisions.idempotency.running", "while the relay still has the first", function* () {
    const { relay } = yield* Virtual
    const owner = yield* agent("active")
    yield* relay.pause
    const answers = yield* Queue.unbounded<Answer>()
    for (const _ of ["first", "second"])
      yield* Effect.fork(Effect.flatMap(sendOnce(owner, BOB), (answer) => answers.offer(answer)))
    const refused = yield* answers.take
    expectError(refused, 409, "IDEMPOTENCY_KEY_IN_USE")
    expect(refused.headers.get("retry-after")).toBe("1")
    yield* relay.resume
    const first = yield* answers.take
    expectFresh(first, 201)
    expectReplay(yield* sendOnce(owner, BOB), first)
  }),
  virtual("decisions.idempotency.day", "to the second", function* () {
    const { advance } = yield* Virtual
    const owner = yield* agent()
    const first = yield* newMailbox(owner, "today")
    yield* advance("86399 seconds")
    expectReplay(yield* newMailbox(owner, "today"), first)
    yield* advance("1 second")
    expectFresh(yield* newMailbox(owner, "tomorrow"), 201)
  }),
]
