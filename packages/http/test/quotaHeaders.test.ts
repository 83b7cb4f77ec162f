/** The quota headers beyond `errors.quota.*`: their bounds in percent, both on every kind of answer, another prefix. */
import { describe } from "@effect/vitest"
import { DAY } from "@mailroom/domain"
import type { Answer } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { bringTo, pay, setFacts, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, rule } from "./support/service.js"

const quota = ({ headers }: Answer) => ({
  quota: headers.get("x-service-inbound-quota"),
  warning: headers.get("x-service-inbound-warning"),
})
const look = (key: string) => Effect.map(ask("GET /v1/account", { key }), quota)

/** So many received this month. */
const received = (count: number) => ({ receivedMonth: { window: "1970-01", count } })

inOneService((shared) => {
  describe("X-Service-Inbound-Quota", () => {
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
      shared(`${status} ${target} ${body === "{" ? "malformed" : ""}`, () =>
        Effect.gen(function* () {
          const { key } = yield* nearly
          there(yield* ask(target, { key, body }), status)
        }),
      )

    shared("403 of a suspended account", () =>
      Effect.gen(function* () {
        const account = yield* nearly
        yield* bringTo(account, "suspended")
        there(yield* ask("GET /v1/mailboxes", { key: account.key }), 403)
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
})
