/** The welcome mail and the target after verification, before the address is verified. */
import { describe } from "@effect/vitest"
import { Engine } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect } from "vitest"
import { type Owner, pay, setFacts, signUp, verify } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { rule } from "./support/service.js"

const welcome = ({ key }: Owner) => ask("POST /v1/account/welcome", { key })
const target = ({ key }: Owner) => ask("POST /v1/account/post-verify-target", { key })

const mailsTo = ({ email }: Owner) =>
  Effect.zipRight(
    Engine.settle,
    Effect.flatMap(MemoryRelay, ({ sent }) =>
      Effect.map(sent, (mails) => mails.filter(({ envelope }) => envelope.to.includes(email)).length),
    ),
  )

describe("POST /v1/account/welcome", () => {
  rule("answers 403 until the address is verified, to an owner who has paid too", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const before = yield* mailsTo(account)
      const expected = [403, { code: "EMAIL_NOT_VERIFIED" }]
      const unverified = yield* welcome(account)
      expect([unverified.status, unverified.json]).toMatchObject(expected)
      yield* pay(account)
      const paid = yield* welcome(account)
      expect([paid.status, paid.json]).toMatchObject(expected)
      expect(yield* mailsTo(account)).toBe(before)
    }),
  )
})

describe("POST /v1/account/post-verify-target", () => {
  rule("before verification says /onboarding, and does nothing", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const before = yield* ask("GET /v1/account", { key: account.key })
      const mails = yield* mailsTo(account)
      expect((yield* target(account)).json).toEqual({ target: "/onboarding" })
      expect((yield* ask("GET /v1/account", { key: account.key })).json).toEqual(before.json)
      expect(yield* mailsTo(account)).toBe(mails)
      yield* setFacts(account, { intentPlan: "Growth" })
      yield* verify(account)
      expect((yield* target(account)).json).toEqual({ target: "/onboarding" })
    }),
  )
})
