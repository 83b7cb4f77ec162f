/** The welcome mail, and where the dashboard goes after verification (spec, Signup and account; decisions §3). */
import { describe } from "@effect/vitest"
import { Engine } from "@mailroom/engine"
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect } from "vitest"
import {
  owner,
  type Owner,
  PASSWORD,
  pay,
  scopedKey,
  setFacts,
  signIn,
  signUp,
  verificationToken,
  verify,
} from "./support/accounts.js"
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
  rule("answers 200 at once; the mail follows, once", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const before = yield* mailsTo(account)
      const answers = yield* Effect.replicateEffect(welcome(account), 3)
      for (const answer of answers) expect([answer.status, answer.json]).toEqual([200, { ok: true }])
      expect(yield* mailsTo(account)).toBe(before + 1)
      yield* welcome(account)
      yield* target(account)
      expect(yield* mailsTo(account)).toBe(before + 1)
    }),
  )

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
  rule("sends an owner with a plan to buy to the onboarding once, then to the dashboard", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      yield* setFacts(account, { intentPlan: "Growth", intentPeriod: "annual" })
      const first = yield* target(account)
      expect([first.status, first.json]).toEqual([200, { target: "/onboarding" }])
      expect((yield* target(account)).json).toEqual({ target: "/dashboard?verified=true" })
    }),
  )

  rule("sends an owner whose agent has not called yet to the onboarding once", () =>
    Effect.gen(function* () {
      const email = "ada@acme.dev"
      yield* ask("POST /v1/signup", { body: { email, password: PASSWORD, slug: "acme" } })
      yield* Engine.settle
      const account = { slug: "acme", email, key: "", mailboxId: "", address: "" }
      yield* ask("POST /v1/auth/verify-email", { body: { token: yield* verificationToken(email) } })
      const cookie = yield* signIn(account)
      const bySession = ask("POST /v1/account/post-verify-target", { cookie })
      expect((yield* bySession).json).toEqual({ target: "/onboarding" })
      expect((yield* bySession).json).toEqual({ target: "/dashboard?verified=true" })
    }),
  )

  rule("welcomes the owner by mail", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const before = yield* mailsTo(account)
      yield* target(account)
      yield* target(account)
      expect(yield* mailsTo(account)).toBe(before + 1)
    }),
  )

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

  rule("leaves the trial as it is", () =>
    Effect.gen(function* () {
      const account = yield* owner("trial")
      const before = yield* ask("GET /v1/account", { key: account.key })
      yield* target(account)
      expect((yield* ask("GET /v1/account", { key: account.key })).json).toEqual(before.json)
    }),
  )

  rule("answers a scoped key 403", () =>
    Effect.gen(function* () {
      const { key } = yield* Effect.flatMap(owner("trial"), scopedKey)
      const answer = yield* ask("POST /v1/account/post-verify-target", { key })
      expect([answer.status, answer.json]).toMatchObject([403, { code: "SCOPE_FORBIDDEN" }])
    }),
  )
})
