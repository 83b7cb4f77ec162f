/** `POST /v1/support`: mail to the operator. */
import { describe } from "@effect/vitest"
import { SUPPORT_REQUESTS_PER_HOUR } from "@mailroom/domain"
import { MemoryRelay } from "@mailroom/mail"
import { Effect, Option } from "effect"
import { expect } from "vitest"
import { owner, type Owner, scopedKey, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { rule } from "./support/service.js"

const OPERATOR = "operator@mailroom.dev"
const taken = { supportEmail: Option.some(OPERATOR) }

const request = (
  { key }: Pick<Owner, "key">,
  body: unknown = { subject: "Lost", message: "Where is my mail?" },
) => ask("POST /v1/support", { key, body })

const toOperator = Effect.gen(function* () {
  const { sent } = yield* MemoryRelay
  const mails = (yield* sent).filter(({ envelope }) => envelope.to.includes(OPERATOR))
  return mails.map(({ raw }) => new TextDecoder().decode(raw))
})

describe("POST /v1/support", () => {
  rule(
    "mails the operator, who can answer to the owner",
    () =>
      Effect.gen(function* () {
        const account = yield* owner("payment_required")
        const answer = yield* request(account)
        expect([answer.status, answer.json]).toEqual([200, { ok: true }])
        const [mail, ...others] = yield* toOperator
        expect(others).toEqual([])
        expect(mail).toContain("Where is my mail?")
        expect(mail).toMatch(/^Reply-To: ada@acme\.dev\r$/m)
        expect(mail).toMatch(/^Subject: Support request of acme\r$/m)
      }),
    {},
    taken,
  )

  rule(
    "is for full access, wants a subject on one line and a message, and takes ten an hour",
    () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        expect((yield* request(yield* scopedKey(account))).status).toBe(403)
        const body = { subject: "a\r\nBcc: eve@evil.dev", message: "" }
        expect((yield* request(account, body)).json).toMatchObject({
          issues: [{ path: "subject" }, { path: "message" }],
        })
        for (let n = 0; n < SUPPORT_REQUESTS_PER_HOUR; n++) expect((yield* request(account)).status).toBe(200)
        expect((yield* request(account)).status).toBe(429)
        expect(yield* toOperator).toHaveLength(SUPPORT_REQUESTS_PER_HOUR)
      }),
    {},
    taken,
  )

  rule(
    "does not count a request that the relay does not take",
    () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const relay = yield* MemoryRelay
        yield* relay.answer(OPERATOR, "451 4.3.0 later")
        for (let n = 0; n < SUPPORT_REQUESTS_PER_HOUR; n++) expect((yield* request(account)).status).toBe(503)
        yield* relay.answer(OPERATOR, null)
        expect((yield* request(account)).status).toBe(200)
      }),
    {},
    taken,
  )

  rule("is an unknown path where the operator takes no requests", () =>
    Effect.gen(function* () {
      const answer = yield* request(yield* signUp())
      expect([answer.status, answer.json]).toMatchObject([404, { code: "ENDPOINT_NOT_FOUND" }])
    }),
  )
})
