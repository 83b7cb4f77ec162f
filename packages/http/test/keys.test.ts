/** Making, listing and revoking API keys (spec, API keys; decisions §2, §3). */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { ApiKey } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { bringTo, owner, type Owner, scopedKey, setFacts, signIn, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { rule } from "./support/service.js"

const Keys = Schema.Struct({ keys: Schema.Array(ApiKey) })
const list = (key: string) =>
  Effect.map(ask("GET /v1/api-keys", { key }), (answer) => read(Keys)(answer).keys)
const create = (key: string, body: unknown) => ask("POST /v1/api-keys", { key, body })
const fullKey = ({ key }: Owner) => Effect.map(create(key, { name: "another" }), read(CreatedKey))

describe("POST /v1/api-keys", () => {
  rule("without mailboxIds makes a key with full access", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const answer = yield* create(key, { name: "worker" })
      expect(answer.status).toBe(201)
      const made = read(CreatedKey)(answer)
      expect(answer.json).toEqual({
        id: expect.any(String),
        name: "worker",
        key: expect.stringMatching(/^mr_[0-9a-f]{64}$/),
        prefix: made.key.slice(0, 11),
        scoped: false,
      })
      expect((yield* ask("GET /v1/account", { key: made.key })).status).toBe(200)
    }),
  )

  rule("with mailboxIds makes a scoped key", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const made = yield* scopedKey(account)
      expect(made).toMatchObject({ scoped: true, mailboxIds: [account.mailboxId] })
      expect((yield* ask("GET /v1/mailboxes", { key: made.key })).status).toBe(200)
      expect((yield* ask("GET /v1/account", { key: made.key })).status).toBe(403)
    }),
  )

  for (const [what, body, path] of [
    ["no name", {}, "name"],
    ["an empty name", { name: "" }, "name"],
    ["a name of 201 characters", { name: "n".repeat(201) }, "name"],
    ["a name with NUL, which Postgres cannot store", { name: "a\0" }, "name"],
    ["no mailbox in mailboxIds", { name: "k", mailboxIds: [] }, "mailboxIds"],
    ["a malformed mailbox id", { name: "k", mailboxIds: ["inbox"] }, "mailboxIds.0"],
    [
      "mailboxIds that are null, which must not mean full access",
      { name: "k", mailboxIds: null },
      "mailboxIds",
    ],
  ] as const)
    rule(`answers 400 to ${what}`, () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, body)
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ issues: [{ path }] })
      }),
    )
})

describe("GET /v1/api-keys", () => {
  rule("lists prefixes and what is known of each key, never a key", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const scoped = yield* scopedKey(account)
      const answer = yield* ask("GET /v1/api-keys", { key: account.key })
      expect(answer.text).not.toContain(account.key)
      expect(answer.text).not.toContain(scoped.key)
      expect(read(Keys)(answer).keys).toMatchObject([
        { name: "scoped", scoped: true, mailboxIds: [account.mailboxId], enabled: true, lastUsedAt: null },
        {
          name: "Default key",
          scoped: false,
          mailboxIds: null,
          enabled: true,
          lastUsedAt: expect.any(String),
        },
      ])
    }),
  )

  rule("shows a revoked key as not enabled", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { id } = yield* scopedKey(account)
      yield* ask(`DELETE /v1/api-keys/${id}`, { key: account.key })
      expect((yield* list(account.key)).find((one) => one.id === id)).toMatchObject({ enabled: false })
    }),
  )
})

describe("DELETE /v1/api-keys/{id}", () => {
  const onlyKey = (key: string) =>
    Effect.map(list(key), (keys) => keys.find(({ name }) => name === "Default key")?.id ?? "")

  rule("revokes at once, and again changes nothing", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { id, key } = yield* fullKey(account)
      for (let again = 0; again < 2; again++) {
        const answer = yield* ask(`DELETE /v1/api-keys/${id}`, { key: account.key })
        expect([answer.status, answer.json]).toEqual([200, { revoked: true }])
      }
      expect((yield* ask("GET /v1/account", { key })).status).toBe(401)
    }),
  )

  rule("lets a key revoke itself, when it is not the last", () =>
    Effect.gen(function* () {
      const { id, key } = yield* Effect.flatMap(signUp(), fullKey)
      expect((yield* ask(`DELETE /v1/api-keys/${id}`, { key })).status).toBe(200)
      expect((yield* ask("GET /v1/account", { key })).status).toBe(401)
    }),
  )

  for (const state of ["unverified", "trial", "active"] as const)
    rule(`keeps the only active full-access key of an account that is ${state}`, () =>
      Effect.gen(function* () {
        const account = yield* owner(state)
        // Neither a scoped key nor a revoked one is another full-access key.
        yield* scopedKey(account)
        const { id: revoked } = yield* fullKey(account)
        yield* ask(`DELETE /v1/api-keys/${revoked}`, { key: account.key })
        const answer = yield* ask(`DELETE /v1/api-keys/${yield* onlyKey(account.key)}`, { key: account.key })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "LAST_FULL_KEY" })
      }),
    )

  for (const state of ["payment_required", "suspended"] as const)
    rule(`lets it go when the account is ${state}`, () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        yield* state === "suspended" ? bringTo(account, state) : setFacts(account, { trialSends: 10 })
        const answer = yield* ask(`DELETE /v1/api-keys/${yield* onlyKey(account.key)}`, { key: account.key })
        expect(answer.json).toEqual({ revoked: true })
      }),
    )

  rule("lets it go when a session asks", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const cookie = yield* signIn(account)
      const answer = yield* ask(`DELETE /v1/api-keys/${yield* onlyKey(account.key)}`, { cookie })
      expect(answer.json).toEqual({ revoked: true })
    }),
  )

  rule("lets a scoped key revoke itself", () =>
    Effect.gen(function* () {
      const { id, key } = yield* Effect.flatMap(signUp(), scopedKey)
      expect((yield* ask(`DELETE /v1/api-keys/${id}`, { key })).json).toEqual({ revoked: true })
    }),
  )

  rule("gives a key with full access 404 for one that is not there, malformed or another account's", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const { id: theirs } = yield* Effect.flatMap(signUp("other"), scopedKey)
      for (const id of [ABSENT, "not-an-id", theirs]) {
        const answer = yield* ask(`DELETE /v1/api-keys/${id}`, { key })
        expect([answer.status, answer.json]).toEqual([
          404,
          { error: "There is no such key", code: "KEY_NOT_FOUND" },
        ])
      }
    }),
  )

  rule("gives a scoped key 403 for any other, there or not, malformed or not", () =>
    Effect.gen(function* () {
      const account = yield* signUp()
      const { key } = yield* scopedKey(account)
      for (const id of [yield* onlyKey(account.key), ABSENT, "not-an-id", `${ABSENT}0`])
        expect((yield* ask(`DELETE /v1/api-keys/${id}`, { key })).json).toMatchObject({
          code: "SCOPE_FORBIDDEN",
        })
    }),
  )
})
