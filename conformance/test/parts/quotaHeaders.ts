/** The quota headers. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  type Agent,
  agent,
  newcomer,
  newKey,
  pay,
  receive,
  receiveMany,
  scopedKey,
  verify,
} from "../../src/agents.js"
import type { Answer } from "../../src/Answer.js"
import { overTheTrial } from "../../src/gates.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { ABSENT } from "../expectations.js"

const quota = ({ headers }: Answer) => [
  headers.get("x-service-inbound-quota"),
  headers.get("x-service-inbound-warning"),
]
const quotaOf = ({ call }: Pick<Agent, "call">) => Effect.map(call("GET /v1/mailboxes"), quota)

export const quotaHeaders: Part = [
  row("errors.quota.2xx", "of 200 and 201, by key and by session", function* () {
    const { call } = yield* agent()
    expect(quota(yield* call("GET /v1/account"))).toEqual(["0/100", null])
    expect(quota(yield* call("POST /v1/mailboxes", { body: { address: "second" } }))).toEqual(["0/100", null])
  }),
  row("errors.quota.4xx", "of 400, 402, 403, 404 and 409", function* () {
    const owner = yield* agent()
    const { call } = owner
    const scoped = yield* scopedKey(owner)
    const refused = [
      yield* call("POST /v1/mailboxes", { body: {} }),
      yield* scoped.call("GET /v1/account"),
      yield* call(`GET /v1/mailboxes/${ABSENT}`),
      yield* call("POST /v1/mailboxes", { body: { address: "agent" } }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 403, 404, 409])
    for (const answer of refused) expect(quota(answer)).toEqual(["0/100", null])
    const spent = yield* agent("payment_required")
    expect(quota(yield* spent.call("GET /v1/mailboxes"))).toEqual(["0/10", null])
  }),
  virtual("errors.quota.5xx", "of 500 and 503", function* () {
    const { fail } = yield* Virtual
    const { call } = yield* agent()
    for (const [how, status] of [
      ["code", 500],
      ["storage", 503],
    ] as const) {
      yield* fail(how)
      const answer = yield* call("POST /v1/mailboxes", { body: { address: "second" } })
      expect([answer.status, quota(answer)]).toEqual([status, ["0/100", null]])
    }
  }),
  row("errors.quota.count", "it counts what arrives, and has the plan's limit", function* () {
    const owner = yield* agent("active")
    yield* receive(owner)
    expect(yield* quotaOf(owner)).toEqual(["1/2000", null])
  }),
  virtual("errors.quota.unlimited", "however much arrived", function* () {
    const owner = yield* agent()
    yield* pay(owner, "Scale")
    yield* (yield* Virtual).pretend(owner.email, { receivedThisMonth: 1_000_000 })
    expect(yield* quotaOf(owner)).toEqual(["1000000/unlimited", null])
  }),
  row("errors.quota.below", "with the 4th of ten", function* () {
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 4)
    expect(yield* quotaOf(owner)).toEqual(["4/10", null])
  }),
  row("errors.quota.approaching", "with the 5th of ten, up to the 7th", function* () {
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 5)
    expect(yield* quotaOf(owner)).toEqual(["5/10", "approaching"])
    yield* receive(owner, [{}, {}])
    expect(yield* quotaOf(owner)).toEqual(["7/10", "approaching"])
  }),
  row("errors.quota.near", "with the 8th of ten, up to the 9th", function* () {
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 8)
    expect(yield* quotaOf(owner)).toEqual(["8/10", "near"])
    yield* receive(owner)
    expect(yield* quotaOf(owner)).toEqual(["9/10", "near"])
  }),
  row("errors.quota.reached", "with the 10th of ten, and above", function* () {
    const owner = yield* agent("trial")
    yield* receiveMany(owner, 10)
    expect(yield* quotaOf(owner)).toEqual(["10/10", "reached"])
    yield* receive(owner)
    expect(yield* quotaOf(owner)).toEqual(["11/10", "reached"])
  }),
  row("errors.quota.public", "with a key too", function* () {
    const { call } = yield* World
    const { key, email } = yield* agent()
    const { slug, body, headers } = yield* newcomer
    for (const answer of [
      yield* call("POST /v1/signup", { key, body, headers }),
      yield* call(`GET /v1/signup/check-slug?slug=${slug}`, { key, headers }),
      yield* call("POST /v1/auth/resend-verification", { key, body: { email } }),
      yield* verify({ email }),
    ])
      expect(quota(answer)).toEqual([null, null])
  }),
  row("errors.quota.401", "without a key, and with one that was revoked", function* () {
    const { call } = yield* World
    const owner = yield* agent()
    const revoked = yield* newKey(owner)
    yield* owner.call(`DELETE /v1/api-keys/${revoked.id}`)
    for (const answer of [yield* call("GET /v1/account"), yield* revoked.call("GET /v1/account")]) {
      expect(answer.status).toBe(401)
      expect(quota(answer)).toEqual([null, null])
    }
  }),
  row("errors.quota.stream", "with the quota used up", function* () {
    const { listen } = yield* World
    const { owner } = yield* overTheTrial
    const { headers } = yield* listen({ key: owner.key })
    expect([...headers.keys()].filter((name) => name.startsWith("x-service-"))).toEqual([])
  }),
]
