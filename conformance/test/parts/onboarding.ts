/** Deletion of an account, the welcome mail, and the page after verification. */
import { Effect } from "effect"
import { expect } from "vitest"
import {
  accountOf,
  type Agent,
  agent,
  newKey,
  PASSWORD,
  receive,
  scopedKey,
  signIn,
  signUp,
  verify,
} from "../../src/agents.js"
import { textAt } from "../../src/Answer.js"
import { operate } from "../../src/operator.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { Virtual, World } from "../../src/World.js"
import { expectAnswer, expectError, expectInvalid, expectPayment } from "../expectations.js"

const WELCOME = "POST /v1/account/welcome"
const TARGET = "POST /v1/account/post-verify-target"

const remove = ({ call }: Pick<Agent, "call">) => call("DELETE /v1/account", { body: { confirm: "DELETE" } })

/** The number of welcome mails to the owner. */
const welcomes = ({ email }: Agent) =>
  Effect.gen(function* () {
    const { outbox } = yield* World
    return (yield* outbox(email)).filter(({ subject }) => subject === "Your agent has a mailbox").length
  })

/** Checks that the owner got one welcome mail: a mail requested later for another account has been sent. */
const expectOneWelcome = (owner: Agent) =>
  Effect.gen(function* () {
    const { eventually } = yield* World
    const later = yield* agent("trial")
    yield* later.call(WELCOME)
    for (const welcomed of [owner, later])
      yield* eventually("the welcome mail is sent", welcomes(welcomed), (count) => count > 0)
    expect(yield* welcomes(owner)).toBe(1)
  })

export const onboarding: Part = [
  row("account.delete.200", "every key and the session are refused, and nothing is found", function* () {
    const { call } = yield* World
    const owner = yield* agent("trial")
    yield* receive(owner)
    const [another, scoped] = [yield* newKey(owner), yield* scopedKey(owner)]
    const cookie = yield* signIn(owner)
    const id = textAt(yield* accountOf(owner), "id")
    expectAnswer(yield* remove(owner), 200, { deleted: true })
    for (const { key } of [owner, another, scoped])
      expectError(yield* call("GET /v1/mailboxes", { key }), 401, "UNAUTHORIZED")
    expectError(yield* call("GET /v1/mailboxes", { cookie }), 401, "UNAUTHORIZED")
    const body = { email: owner.email, password: PASSWORD }
    expectError(yield* call("POST /api/auth/sign-in/email", { body }), 401, "UNAUTHORIZED")
    for (const q of [id, owner.email])
      expectAnswer(yield* operate(`GET /admin/v1/accounts?q=${q}`), 200, {
        accounts: [],
        metadata: { limit: 50, hasMore: false },
      })
  }),
  row("account.delete.400", "other words, other cases and none at all delete nothing", function* () {
    const { call } = yield* agent()
    for (const confirm of ["delete", "DELETE ", "", "yes", true, undefined])
      expectInvalid(yield* call("DELETE /v1/account", { body: { confirm } }), "confirm")
    expect((yield* call("DELETE /v1/account")).status).toBe(400)
    expect((yield* call("GET /v1/account")).status).toBe(200)
  }),
  row("account.delete.401", "nothing is deleted", function* () {
    const { call } = yield* World
    expectError(yield* remove({ call }), 401, "UNAUTHORIZED")
  }),
  row("account.delete.403", "nothing is deleted", function* () {
    const owner = yield* agent()
    expectError(yield* remove(yield* scopedKey(owner)), 403, "SCOPE_FORBIDDEN")
    expect((yield* owner.call("GET /v1/account")).status).toBe(200)
  }),

  virtual("account.welcome.200", "while the relay is away, and the mail comes when it is back", function* () {
    const { relay, settle, advance } = yield* Virtual
    const owner = yield* agent("trial")
    yield* relay.reachable(false)
    expectAnswer(yield* owner.call(WELCOME), 200, { ok: true })
    yield* settle
    expect(yield* welcomes(owner)).toBe(0)
    yield* relay.reachable(true)
    yield* advance("1 hour")
    expect(yield* welcomes(owner)).toBe(1)
  }),
  row("account.welcome.idempotent", "three calls, two of them at once", function* () {
    const owner = yield* agent("trial")
    const call = owner.call(WELCOME)
    for (const answer of [...(yield* Effect.all([call, call], { concurrency: 2 })), yield* call])
      expectAnswer(answer, 200, { ok: true })
    yield* expectOneWelcome(owner)
  }),
  row("account.welcome.401", "nobody is welcomed", function* () {
    const { call } = yield* World
    expectError(yield* call(WELCOME), 401, "UNAUTHORIZED")
  }),
  row("account.welcome.402", "exactly", function* () {
    expectPayment(yield* (yield* agent("payment_required")).call(WELCOME))
  }),
  row("account.welcome.403", "SCOPE_FORBIDDEN", function* () {
    const { call } = yield* scopedKey(yield* agent("trial"))
    expectError(yield* call(WELCOME), 403, "SCOPE_FORBIDDEN")
  }),
  row("account.welcome.403-unverified", "EMAIL_NOT_VERIFIED, and 200 afterwards", function* () {
    const owner = yield* agent()
    expectError(yield* owner.call(WELCOME), 403, "EMAIL_NOT_VERIFIED")
    yield* verify(owner)
    expectAnswer(yield* owner.call(WELCOME), 200, { ok: true })
  }),

  row("account.target.200", "to the key and to the session", function* () {
    const { call } = yield* World
    const buyer = yield* signUp({ plan: "Growth" })
    yield* verify(buyer)
    expectAnswer(yield* buyer.call(TARGET), 200, { target: "/onboarding" })
    const cookie = yield* signIn(yield* agent("trial"))
    expectAnswer(yield* call(TARGET, { cookie }), 200, { target: "/dashboard?verified=true" })
  }),
  row("account.target.trial", "and it runs on as it was", function* () {
    const owner = yield* agent("trial")
    const before = yield* accountOf(owner)
    expect((yield* owner.call(TARGET)).status).toBe(200)
    expect(yield* accountOf(owner)).toEqual(before)
    expect(before).toMatchObject({ state: "trial", trial: { active: true, sendsUsed: 0, receivesUsed: 0 } })
  }),
  virtual("account.target.fallback", "of Scale, and not of Growth", function* () {
    const { intent } = yield* Virtual
    for (const [plan, period] of [
      ["Scale", "monthly"],
      ["Growth", "annual"],
    ]) {
      const owner = yield* signUp({ plan, period: "annual" })
      yield* verify(owner)
      yield* owner.call(TARGET)
      expect(yield* intent(owner.email)).toEqual({ plan, period })
    }
  }),
  virtual(
    "account.target.intent",
    "where there is nothing to buy",
    function* () {
      const { intent } = yield* Virtual
      const owner = yield* signUp({ plan: "Growth", period: "annual" })
      yield* verify(owner)
      expect(yield* intent(owner.email)).toEqual({ plan: "Growth", period: "annual" })
      expectAnswer(yield* owner.call(TARGET), 200, { target: "/dashboard?verified=true" })
      expect(yield* intent(owner.email)).toEqual({ plan: null, period: null })
    },
    { billing: "none" },
  ),
  row("account.target.welcome", "once, however often it is called, and by whom", function* () {
    const owner = yield* agent("trial")
    for (const target of [TARGET, TARGET, WELCOME]) expect((yield* owner.call(target)).status).toBe(200)
    yield* expectOneWelcome(owner)
  }),
  row("account.target.401", "it is not told", function* () {
    const { call } = yield* World
    expectError(yield* call(TARGET), 401, "UNAUTHORIZED")
    expectError(yield* call(TARGET, { cookie: "mailroom_session=0" }), 401, "UNAUTHORIZED")
  }),
  row("account.target.403", "SCOPE_FORBIDDEN", function* () {
    const { call } = yield* scopedKey(yield* agent("trial"))
    expectError(yield* call(TARGET), 403, "SCOPE_FORBIDDEN")
  }),
]
