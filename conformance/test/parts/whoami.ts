/** `GET /v1/whoami`. */
import { Effect } from "effect"
import { type Agent, agent, newKey, type ScopedKey, signIn } from "../../src/agents.js"
import { fieldsAt, textAt } from "../../src/Answer.js"
import { suspendedAgent } from "../../src/operator.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { anyId, expectAnswer, expectWithin } from "../expectations.js"
import { expect } from "vitest"

const ask = ({ call }: Pick<Agent | ScopedKey, "call">) => call("GET /v1/whoami")

export const whoami: Part = [
  row("authentication.whoami.full", "the key of the signup", function* () {
    const owner = yield* agent("active")
    const keys = yield* owner.call("GET /v1/api-keys")
    const account = yield* owner.call("GET /v1/account")
    expectAnswer(yield* ask(owner), 200, {
      principal: {
        kind: "key",
        keyId: textAt(keys.json, "keys.0.id"),
        scoped: false,
        mailboxIds: null,
        permissions: ["read", "send", "draft", "manage", "review"],
      },
      account: {
        id: textAt(account.json, "account.id"),
        slug: owner.slug,
        plan: "Developer",
        state: "active",
      },
    })
  }),
  row("authentication.whoami.scoped", "and not what concerns the account", function* () {
    const owner = yield* agent()
    const scoped = yield* newKey(owner, [owner.mailboxId])
    expectWithin(yield* ask(scoped), 200, {
      principal: {
        kind: "key",
        keyId: scoped.id,
        scoped: true,
        mailboxIds: [owner.mailboxId],
        permissions: ["read", "send", "draft"],
      },
    })
  }),
  row("authentication.whoami.session", "the owner's", function* () {
    const owner = yield* agent()
    const { call } = yield* World
    const answer = yield* call("GET /v1/whoami", { cookie: yield* signIn(owner) })
    expectWithin(answer, 200, { principal: { kind: "session", scoped: false }, account: { id: anyId } })
    expect(fieldsAt(answer.json, "principal")).not.toContain("keyId")
  }),
  row("authentication.whoami.states", "also where other routes refuse", function* () {
    for (const state of ["unverified", "trial", "payment_required"] as const)
      expectWithin(yield* ask(yield* agent(state)), 200, { account: { state } })
    expectWithin(yield* Effect.flatMap(suspendedAgent(), ask), 200, { account: { state: "suspended" } })
  }),
]
