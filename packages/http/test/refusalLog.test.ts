/** The log line of a refused request (docs/operations.md). */
import { expect, it } from "@effect/vitest"
import { clockAt, InMemoryHttp } from "@mailroom/testing"
import { logLinesOf } from "@mailroom/test-services"
import { Effect, type Scope } from "effect"
import { bringTo, owner, signIn } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { mail, sendWith } from "./support/keyed.js"
import type { Service } from "./support/service.js"

/** The fields of the lines `request refused` that these requests lead to. */
const refusalsOf = <A, E>(requests: Effect.Effect<A, E, Service | Scope.Scope>) =>
  Effect.map(
    logLinesOf(requests.pipe(Effect.provide(InMemoryHttp.layer()), Effect.provide(clockAt(0)))),
    (lines) =>
      lines.flatMap(({ level, said: [message, fields] }) =>
        message === "request refused" ? [{ level, ...Object(fields) }] : [],
      ),
  )

const caller = { level: "INFO", accountId: expect.any(String), keyId: expect.any(String) }
const SEND = { method: "POST", route: "/v1/mailboxes/:id/messages" }

it.scoped("a request that an access rule refuses has one line, with its account and key", () =>
  Effect.gen(function* () {
    const lines = yield* refusalsOf(
      Effect.gen(function* () {
        const account = yield* owner("trial")
        yield* bringTo(account, "payment_required")
        yield* ask(`POST /v1/mailboxes/${account.mailboxId}/messages`, { key: account.key, body: mail })
      }),
    )
    expect(lines).toEqual([{ ...caller, ...SEND, code: "PAYMENT_REQUIRED" }])
  }),
)

it.scoped(
  "a request that a rule of its route refuses has one line, and so has each replay of the refusal",
  () =>
    Effect.gen(function* () {
      const lines = yield* refusalsOf(
        Effect.gen(function* () {
          const account = yield* owner("unverified")
          yield* sendWith("once", account)
          yield* sendWith("once", account)
        }),
      )
      const line = { ...caller, ...SEND, code: "EMAIL_NOT_VERIFIED" }
      expect(lines).toEqual([line, { ...line, replayed: true }])
    }),
)

it.scoped("a query or a body that is refused has a line, and that of a session has no key", () =>
  Effect.gen(function* () {
    const lines = yield* refusalsOf(
      Effect.gen(function* () {
        const account = yield* owner("trial")
        yield* ask("GET /v1/threads?colour=red", { key: account.key })
        yield* ask("POST /v1/mailboxes", { cookie: yield* signIn(account), body: { slug: 7 } })
      }),
    )
    const line = { ...caller, code: "VALIDATION_FAILED" }
    const { keyId: _, ...withoutKey } = line
    expect(lines).toEqual([
      { ...line, method: "GET", route: "/v1/threads" },
      { ...withoutKey, method: "POST", route: "/v1/mailboxes" },
    ])
  }),
)

it.scoped("a request without a known caller has no line, because anybody could fill the log", () =>
  Effect.gen(function* () {
    const lines = yield* refusalsOf(
      Effect.all([
        ask("GET /v1/mailboxes", { key: "mr_nobody" }),
        ask("POST /v1/signup", { body: { email: "nobody" } }),
      ]),
    )
    expect(lines).toEqual([])
  }),
)
