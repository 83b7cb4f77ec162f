/** The quota headers (spec, Quota headers; decisions §3). */
import { describe } from "@effect/vitest"
import { DAY, type PaidPlan } from "@mailroom/domain"
import type { Answer } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { bringTo, owner, pay, setFacts, signUp, verify } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { mails, receive } from "./support/mail.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const quota = ({ headers }: Answer) => ({
  quota: headers.get("x-service-inbound-quota"),
  warning: headers.get("x-service-inbound-warning"),
})
const look = (key: string) => Effect.map(ask("GET /v1/account", { key }), quota)

/** So many received this month. */
const received = (count: number) => ({ receivedMonth: { window: "1970-01", count } })

describe("X-Service-Inbound-Quota", () => {
  rule("before verification is the month's count of the Free plan", () =>
    Effect.gen(function* () {
      const { key, address } = yield* signUp()
      expect(yield* look(key)).toEqual({ quota: "0/100", warning: null })
      yield* receive(address, mails(2))
      expect(yield* look(key)).toEqual({ quota: "2/100", warning: null })
    }),
  )

  rule("in the trial counts from verification, to 10", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* receive(account.address, mails(3))
      yield* verify(account)
      expect(yield* look(account.key)).toEqual({ quota: "0/10", warning: null })
      yield* receive(account.address)
      expect(yield* look(account.key)).toEqual({ quota: "1/10", warning: null })
    }),
  )

  for (const [plan, text] of [
    ["Developer", "7/2000"],
    ["Growth", "7/20000"],
    ["Scale", "7/unlimited"],
  ] as const satisfies ReadonlyArray<readonly [PaidPlan, string]>)
    rule(`on the ${plan} plan is ${text}`, () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* pay(account, plan)
        yield* setFacts(account, received(7))
        expect(yield* look(account.key)).toEqual({ quota: text, warning: null })
      }),
    )

  rule("begins anew at midnight UTC on the first", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* pay(account)
      yield* setFacts(account, received(2000))
      yield* TestClock.adjust(31 * DAY - 1)
      expect(yield* look(account.key)).toEqual({ quota: "2000/2000", warning: "reached" })
      yield* TestClock.adjust(1)
      expect(yield* look(account.key)).toEqual({ quota: "0/2000", warning: null })
    }),
  )
})

describe("X-Service-Inbound-Warning", () => {
  inOneService((shared) => {
    for (const [count, warning] of [
      [49, null],
      [50, "approaching"],
      [79, "approaching"],
      [80, "near"],
      [99, "near"],
      [100, "reached"],
      [130, "reached"],
    ] as const)
      shared(`at ${count} % is ${warning ?? "absent"}`, () =>
        Effect.gen(function* () {
          const account = yield* signUp(`acme${count}`)
          yield* setFacts(account, received(count))
          expect(yield* look(account.key)).toEqual({ quota: `${count}/100`, warning })
        }),
      )
  })

  rule("is absent where there is no limit", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      yield* pay(account, "Scale")
      yield* setFacts(account, received(1_000_000))
      expect(yield* look(account.key)).toEqual({ quota: "1000000/unlimited", warning: null })
    }),
  )
})

describe("both are on every authenticated answer", () => {
  const there = (answer: Answer, status: number) => {
    expect(answer.status).toBe(status)
    expect(quota(answer)).toEqual({ quota: "85/100", warning: "near" })
  }
  const nearly = Effect.gen(function* () {
    const account = yield* signUp()
    yield* setFacts(account, received(85))
    return account
  })

  for (const [status, target, body] of [
    [200, "GET /v1/mailboxes", undefined],
    [201, "POST /v1/mailboxes", { address: "new" }],
    [400, "POST /v1/mailboxes", { address: "" }],
    [400, "POST /v1/mailboxes", "{"],
    [404, `GET /v1/mailboxes/${ABSENT}`, undefined],
    [404, "GET /v1/mailboxes/malformed", undefined],
    [409, "POST /v1/mailboxes", { address: "agent" }],
  ] as const)
    rule(`${status} ${target} ${body === "{" ? "malformed" : ""}`, () =>
      Effect.gen(function* () {
        const { key } = yield* nearly
        there(yield* ask(target, { key, body }), status)
      }),
    )

  rule("403 of a suspended account", () =>
    Effect.gen(function* () {
      const account = yield* nearly
      yield* bringTo(account, "suspended")
      there(yield* ask("GET /v1/mailboxes", { key: account.key }), 403)
    }),
  )

  rule("402 of an account that has to pay", () =>
    Effect.gen(function* () {
      const { key } = yield* owner("payment_required")
      const answer = yield* ask("GET /v1/mailboxes", { key })
      expect(answer.status).toBe(402)
      expect(quota(answer)).toEqual({ quota: "0/10", warning: null })
    }),
  )
})

describe("both are absent", () => {
  for (const [what, target, call] of [
    ["from signing up", "POST /v1/signup", { body: {} }],
    ["from checking a slug", "GET /v1/signup/check-slug?slug=acme", {}],
    ["from verifying", "POST /v1/auth/verify-email", { body: { token: "x" } }],
    ["from asking for another verification mail", "POST /v1/auth/resend-verification", { body: {} }],
    ["from a 401 without a key", "GET /v1/account", {}],
    ["from a 401 with a wrong key", "GET /v1/account", { key: "mr_wrong" }],
  ] as const)
    rule(what, () =>
      Effect.gen(function* () {
        expect(quota(yield* ask(target, call))).toEqual({ quota: null, warning: null })
      }),
    )
})

describe("the prefix of the service's own headers", () => {
  rule(
    "is what the operator says",
    () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const { headers } = yield* ask("GET /v1/account", { key })
        expect(headers.get("x-acme-inbound-quota")).toBe("0/100")
        expect(headers.has("x-service-inbound-quota")).toBe(false)
      }),
    { headerPrefix: "X-Acme-" },
  )
})
