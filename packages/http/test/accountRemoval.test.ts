/**
 * DELETE /v1/account: what `account.delete.*` leaves open (sessions from other origins, other accounts, links and
 * streams).
 */
import { describe } from "@effect/vitest"
import { Engine } from "@mailroom/engine"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { expect } from "vitest"
import {
  checkout,
  owner,
  type Owner,
  PASSWORD,
  scopedKey,
  signIn,
  signUp,
  verificationToken,
} from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService } from "./support/service.js"
import { listen } from "./support/stream.js"

const remove = ({ key }: Pick<Owner, "key">) =>
  ask("DELETE /v1/account", { key, body: { confirm: "DELETE" } })

inOneService((shared) => {
  describe("DELETE /v1/account", () => {
    shared("makes every key and session 401 at once, and after the work of the background", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const scoped = yield* scopedKey(account)
        const cookie = yield* signIn(account)
        yield* receive(account.address)
        yield* remove(account)
        const callers = [{ key: account.key }, { key: scoped.key }, { cookie }]
        for (const caller of callers) expect((yield* ask("GET /v1/mailboxes", caller)).status).toBe(401)
        yield* Engine.settle
        for (const caller of callers) expect((yield* ask("GET /v1/mailboxes", caller)).status).toBe(401)
        expect((yield* remove(account)).status).toBe(401)
        const body = { email: account.email, password: PASSWORD }
        expect((yield* ask("POST /api/auth/sign-in/email", { body })).status).toBe(401)
      }),
    )

    shared("can be asked by the owner's session, from our own pages", () =>
      Effect.gen(function* () {
        const cookie = yield* Effect.flatMap(signUp(), signIn)
        const body = { confirm: "DELETE" }
        const foreign = yield* ask("DELETE /v1/account", {
          cookie,
          body,
          headers: { origin: "https://evil.dev" },
        })
        expect([foreign.status, foreign.json]).toMatchObject([403, { code: "FOREIGN_ORIGIN" }])
        const answer = yield* ask("DELETE /v1/account", { cookie, body })
        expect(answer.json).toEqual({ deleted: true })
      }),
    )

    for (const [what, body] of [
      ["a list", { confirm: ["DELETE"] }],
      ["a string as the body", '"DELETE"'],
    ] as const)
      shared(`answers 400 to ${what}, and deletes nothing`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          const answer = yield* ask("DELETE /v1/account", { key, body })
          expect([answer.status, answer.json]).toMatchObject([400, { code: "VALIDATION_FAILED" }])
          expect((yield* ask("GET /v1/account", { key })).status).toBe(200)
        }),
      )

    shared("answers a scoped key 403, whatever it confirms", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { key } = yield* scopedKey(account)
        for (const body of [{ confirm: "DELETE" }, {}]) {
          const answer = yield* ask("DELETE /v1/account", { key, body })
          expect([answer.status, answer.json]).toMatchObject([403, { code: "SCOPE_FORBIDDEN" }])
        }
        expect((yield* ask("GET /v1/account", { key: account.key })).status).toBe(200)
      }),
    )

    shared("touches no other account", () =>
      Effect.gen(function* () {
        const other = yield* signUp("other")
        const before = yield* ask("GET /v1/account", { key: other.key })
        yield* Effect.flatMap(signUp(), remove)
        yield* Engine.settle
        expect((yield* ask("GET /v1/account", { key: other.key })).json).toEqual(before.json)
      }),
    )
  })

  describe("what a deleted account leaves", () => {
    shared("its links are as unknown as any: verification 400, checkout 404", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const token = yield* verificationToken(account.email)
        const path = yield* checkout(account)
        yield* remove(account)
        const { call } = yield* InMemoryHttp
        const verified = yield* ask("POST /v1/auth/verify-email", { body: { token } })
        expect([verified.status, verified.json]).toMatchObject([400, { code: "INVALID_TOKEN" }])
        expect((yield* call(`GET ${path}`)).status).toBe(404)
        const completed = yield* call(`POST ${path}/complete`, { body: {} })
        expect([completed.status, completed.json]).toMatchObject([404, { code: "CHECKOUT_NOT_FOUND" }])
      }),
    )

    shared("its event streams end", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { key } = yield* scopedKey(account)
        const other = yield* signUp("other")
        const streams = [yield* listen({ key: account.key }), yield* listen({ key })]
        const theirs = yield* listen({ key: other.key })
        yield* remove(account)
        for (const stream of streams) {
          expect(yield* stream.ended).toBe(true)
          expect(yield* stream.take).toBe(":ok\n\n")
        }
        expect(yield* theirs.ended).toBe(false)
      }),
    )
  })
})
