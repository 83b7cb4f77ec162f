/** API keys beyond `keys.*`: bounds of a name, the shape of the list, revoking twice, malformed ids. */
import { describe } from "@effect/vitest"
import { CreatedKey } from "@mailroom/api"
import { ApiKey } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { expect } from "vitest"
import { type Owner, scopedKey, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { ABSENT } from "./support/routes.js"
import { inOneService } from "./support/service.js"

const Keys = Schema.Struct({ keys: Schema.Array(ApiKey) })
const list = (key: string) =>
  Effect.map(ask("GET /v1/api-keys", { key }), (answer) => read(Keys)(answer).keys)
const create = (key: string, body: unknown) => ask("POST /v1/api-keys", { key, body })
const fullKey = ({ key }: Owner) => Effect.map(create(key, { name: "another" }), read(CreatedKey))

inOneService((shared) => {
  describe("POST /v1/api-keys", () => {
    for (const [what, body, path] of [
      ["a name of 201 characters", { name: "n".repeat(201) }, "name"],
      ["a name with NUL, which Postgres cannot store", { name: "a\0" }, "name"],
      [
        "mailboxIds that are null, which must not mean full access",
        { name: "k", mailboxIds: null },
        "mailboxIds",
      ],
    ] as const)
      shared(`answers 400 to ${what}`, () =>
        Effect.gen(function* () {
          const { key } = yield* signUp()
          const answer = yield* create(key, body)
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ issues: [{ path }] })
        }),
      )
  })

  describe("GET /v1/api-keys", () => {
    shared("lists prefixes and what is known of each key, never a key", () =>
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

    shared("shows a revoked key as not enabled", () =>
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

    shared("revokes at once, and again changes nothing", () =>
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

    shared("lets a key revoke itself, when it is not the last", () =>
      Effect.gen(function* () {
        const { id, key } = yield* Effect.flatMap(signUp(), fullKey)
        expect((yield* ask(`DELETE /v1/api-keys/${id}`, { key })).status).toBe(200)
        expect((yield* ask("GET /v1/account", { key })).status).toBe(401)
      }),
    )

    shared("gives a key with full access 404 for one that is not there, malformed or another account's", () =>
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

    shared("gives a scoped key 403 for any other, there or not, malformed or not", () =>
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
})
