/** Mailboxes beyond `mailboxes.*`: display names, the plan's room, what remains after deletion. */
import { describe } from "@effect/vitest"
import { Engine } from "@mailroom/engine"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner, type Owner, pay, setFacts, signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { inOneService } from "./support/service.js"

const create = (key: string, body: unknown) => ask("POST /v1/mailboxes", { key, body })
const update = ({ key, mailboxId }: Owner, body: unknown) =>
  ask(`PATCH /v1/mailboxes/${mailboxId}`, { key, body })

inOneService((shared) => {
  describe("POST /v1/mailboxes", () => {
    shared("takes a display name of 255 characters, and no longer one", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const named = (length: number) => ({ address: `a${length}`, displayName: "ü".repeat(length) })
        expect((yield* create(key, named(255))).status).toBe(201)
        expect((yield* create(key, named(256))).json).toMatchObject({ issues: [{ path: "displayName" }] })
      }),
    )

    shared("counts an emoji of a display name as one character", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const named = (length: number) => ({ address: `a${length}`, displayName: "😀".repeat(length) })
        expect((yield* create(key, named(255))).status).toBe(201)
        expect((yield* create(key, named(256))).json).toMatchObject({ issues: [{ path: "displayName" }] })
      }),
    )

    shared("answers 400 to a display name with a line break", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { address: "new", displayName: "Ada\r\nBcc: eve@evil.dev" })
        expect(answer.json).toMatchObject({ issues: [{ path: "displayName" }] })
      }),
    )

    shared("answers 403 with a hint to upgrade beyond the plan's mailboxes", () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        for (const address of ["second", "third"]) expect((yield* create(key, { address })).status).toBe(201)
        const answer = yield* create(key, { address: "fourth" })
        expect(answer.status).toBe(403)
        expect(answer.json).toEqual({
          error: expect.stringContaining("3"),
          code: "MAILBOX_LIMIT_REACHED",
          upgrade: "POST /v1/billing/upgrade for a checkout URL",
        })
      }),
    )
  })

  describe("PATCH /v1/mailboxes/{id}", () => {
    for (const body of [
      { status: "suspended" },
      { status: "deleted" },
      { status: 7 },
      { displayName: 7 },
      [],
    ])
      shared(`answers 400 to ${JSON.stringify(body)}`, () =>
        Effect.gen(function* () {
          const answer = yield* Effect.flatMap(signUp(), (account) => update(account, body))
          expect(answer.status).toBe(400)
          expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        }),
      )

    shared("answers 403 to starting one more than the plan has room for", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        yield* pay(account)
        for (const address of ["second", "third", "fourth"]) yield* create(account.key, { address })
        yield* update(account, { status: "paused" })
        yield* setFacts(account, { plan: "Free" })
        const answer = yield* update(account, { status: "ACTIVE" })
        expect(answer.status).toBe(403)
        expect(answer.json).toMatchObject({ code: "MAILBOX_LIMIT_REACHED", upgrade: expect.any(String) })
      }),
    )
  })

  describe("DELETE /v1/mailboxes/{id}", () => {
    shared("deletes it and its messages for good, and frees its address", () =>
      Effect.gen(function* () {
        const { key, mailboxId, address } = yield* owner()
        yield* receive(address)
        const answer = yield* ask(`DELETE /v1/mailboxes/${mailboxId}`, { key })
        expect([answer.status, answer.json]).toEqual([200, { deleted: true }])
        yield* Engine.settle
        for (const path of ["", "/messages", "/threads"])
          expect((yield* ask(`GET /v1/mailboxes/${mailboxId}${path}`, { key })).status).toBe(404)
        expect((yield* ask(`DELETE /v1/mailboxes/${mailboxId}`, { key })).status).toBe(404)
        expect((yield* create(key, { address: "agent" })).status).toBe(201)
      }),
    )
  })
})
