/** Why replies and forwards are refused, with the exact body of each refusal. */
import { describe } from "@effect/vitest"
import { MemoryRelay } from "@mailroom/mail"
import { Effect } from "effect"
import { expect } from "vitest"
import { owner, scopedKey, signUp } from "./support/accounts.js"
import { act, actions, arrival, listed, sent } from "./support/replies.js"
import { ABSENT } from "./support/routes.js"
import { inOneService, inOneScene, rule } from "./support/service.js"

const oneArrival = Effect.gen(function* () {
  const account = yield* owner("active")
  return { account, parent: yield* arrival(account) }
})

inOneService((shared) => {
  describe("a body that is not in order answers 400 that names what", () => {
    inOneScene(oneArrival, (refused) => {
      for (const [action, path, value] of [
        ["reply", "bodyText", undefined],
        ["reply", "bodyText", ""],
        ["reply", "cc.0", ["nobody"]],
        ["reply", "bcc", Array.from({ length: 51 }, (_, index) => `bob${index}@partner.dev`)],
        ["reply", "headers.Bcc", { Bcc: "eve@evil.dev" }],
        ["reply-all", "bodyText", undefined],
        ["reply-all", "labels.0", [""]],
        ["forward", "to", undefined],
        ["forward", "to", []],
        ["forward", "to", Array.from({ length: 51 }, (_, index) => `bob${index}@partner.dev`)],
        ["forward", "bodyHtml", 7],
      ] as const)
        refused(`${action} with ${path}: ${JSON.stringify(value)?.slice(0, 40)}`, ({ account, parent }) =>
          Effect.gen(function* () {
            const answer = yield* act(account, parent.id, action, { [path.split(".")[0] ?? ""]: value })
            expect(answer.status).toBe(400)
            expect(answer.json).toMatchObject({
              code: "VALIDATION_FAILED",
              issues: expect.arrayContaining([expect.objectContaining({ path })]),
            })
          }),
        )
    })

    shared("reply with so many copies that they are too many with the message's own", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { id } = yield* sent(account)
        const cc = Array.from({ length: 50 }, (_, index) => `bob${index}@partner.dev`)
        const answer = yield* act(account, id, "reply-all", { cc })
        expect([answer.status, answer.json]).toEqual([
          400,
          {
            error: expect.stringMatching(/cc: .*51.*50/),
            code: "VALIDATION_FAILED",
            issues: [{ path: "cc", message: expect.any(String) }],
          },
        ])
      }),
    )
  })

  for (const action of ["reply", "reply-all"] as const)
    shared(`${action} answers 400 when the message names nobody to answer`, () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const parent = yield* arrival(account, { from: "" })
        const answer = yield* act(account, parent.id, action)
        expect([answer.status, answer.json]).toEqual([
          400,
          { error: expect.stringContaining("cannot be answered"), code: "NOBODY_TO_ANSWER" },
        ])
      }),
    )

  describe.each(actions)("%s", (action) => {
    shared("answers 404 to an unknown, a foreign and a malformed message, the same each time", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const foreign = yield* arrival(yield* owner("active", "other"))
        const unknown = yield* act(account, ABSENT, action)
        expect([unknown.status, unknown.json]).toEqual([
          404,
          { error: expect.any(String), code: "MESSAGE_NOT_FOUND" },
        ])
        for (const id of [foreign.id, "seven"]) {
          const answer = yield* act(account, id, action)
          expect([answer.status, answer.text]).toEqual([404, unknown.text])
        }
      }),
    )

    shared("works with a key of that mailbox alone", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { id } = yield* arrival(account)
        const { key } = yield* scopedKey(account)
        expect((yield* act({ ...account, key }, id, action)).status).toBe(201)
      }),
    )

    shared("answers 403 before the owner's address is verified", () =>
      Effect.gen(function* () {
        const account = yield* signUp()
        const { id } = yield* arrival(account)
        const answer = yield* act(account, id, action)
        expect([answer.status, answer.json]).toEqual([
          403,
          { error: expect.any(String), code: "EMAIL_NOT_VERIFIED" },
        ])
      }),
    )

    rule("answers 402 in the trial when it would go to another than the owner", () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const { id } = yield* arrival(account)
        const answer = yield* act(account, id, action)
        expect(answer.status).toBe(402)
        expect(answer.json).toMatchObject({ code: "TRIAL_RECIPIENT_LOCKED", payment_required: true })
      }),
    )

    shared("answers 413 to files that are too large together", () =>
      Effect.gen(function* () {
        const account = yield* owner("active")
        const { id } = yield* arrival(account)
        const content = Buffer.alloc(13 * 1024 * 1024).toString("base64")
        const file = { filename: "a.bin", contentType: "application/octet-stream", content }
        const answer = yield* act(account, id, action, { attachments: [file, file] })
        expect([answer.status, answer.json]).toEqual([
          413,
          { error: expect.any(String), code: "SIZE_EXCEEDED" },
        ])
      }),
    )

    rule(
      "answers 429 above the velocity, and 503 while the relay is away",
      () =>
        Effect.gen(function* () {
          const account = yield* owner("active")
          const { id } = yield* arrival(account)
          const relay = yield* MemoryRelay
          yield* relay.reachable(false)
          expect((yield* act(account, id, action)).json).toMatchObject({ code: "RELAY_UNAVAILABLE" })
          yield* relay.reachable(true)
          const answer = yield* act(account, id, action)
          expect(answer.json).toMatchObject({ code: "SEND_VELOCITY_EXCEEDED" })
          expect(answer.headers.get("retry-after")).toBe("60")
          expect((yield* listed(account)).map((one) => one.id)).toEqual([id])
        }),
      { sendVelocityPerMinute: 1 },
    )
  })
})
