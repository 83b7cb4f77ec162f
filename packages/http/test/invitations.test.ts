/** Who may sign up: SIGNUP and the operator's invitations (docs/operations.md, Who may sign up). */
import { describe } from "@effect/vitest"
import { InvitationsBody, NewInvitation } from "@mailroom/api"
import { DAY } from "@mailroom/domain"
import { Engine } from "@mailroom/engine"
import { ADMIN_TOKEN } from "@mailroom/testing"
import { Effect, TestClock } from "effect"
import { expect } from "vitest"
import { PASSWORD } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { rule } from "./support/service.js"

const asAdmin = (target: string, body?: object) =>
  ask(target, { key: ADMIN_TOKEN, ...(body !== undefined && { body }) })

const invite = (body?: object) => Effect.map(asAdmin("POST /admin/v1/invitations", body), read(NewInvitation))

const signUp = (slug: string, invitation?: string) =>
  ask("POST /v1/signup", {
    body: {
      email: `ada@${slug}.dev`,
      password: PASSWORD,
      slug,
      ...(invitation !== undefined && { invitation }),
    },
    headers: { "x-forwarded-for": "198.18.0.7" },
  })

const codeOf = (answer: { readonly status: number; readonly json: unknown }) => [answer.status, answer.json]

describe("SIGNUP=invite", () => {
  const invited = (name: string, body: Parameters<typeof rule>[1]) => rule(name, body, { signup: "invite" })

  invited("refuses who has no invitation, and takes who has one, once", () =>
    Effect.gen(function* () {
      expect(codeOf(yield* signUp("acme"))).toMatchObject([403, { code: "INVITATION_REQUIRED" }])
      const { token } = yield* invite()
      const answers = yield* Effect.all([signUp("one", token), signUp("two", token)], { concurrency: 2 })
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]))
      expect(codeOf(yield* signUp("three", token))).toMatchObject([400, { code: "INVALID_TOKEN" }])
      expect(codeOf(yield* signUp("three", "made up"))).toMatchObject([400, { code: "INVALID_TOKEN" }])
    }),
  )

  invited("leaves the invitation good when the signup is refused for another reason", () =>
    Effect.gen(function* () {
      const { token } = yield* invite()
      expect((yield* signUp("admin", token)).status).toBe(409)
      expect((yield* signUp("acme", token)).status).toBe(201)
    }),
  )

  invited("invitations expire, in seven days or as the operator says, and can be taken back", () =>
    Effect.gen(function* () {
      const week = yield* invite()
      const month = yield* invite({ days: 30 })
      const revoked = yield* invite({ days: 30 })
      expect((yield* asAdmin(`DELETE /admin/v1/invitations/${revoked.invitation.id}`)).status).toBe(200)
      yield* TestClock.adjust(7 * DAY)
      expect((yield* signUp("one", week.token)).status).toBe(400)
      expect((yield* signUp("two", revoked.token)).status).toBe(400)
      expect((yield* signUp("three", month.token)).status).toBe(201)
      const { invitations } = read(InvitationsBody)(yield* asAdmin("GET /admin/v1/invitations"))
      expect(invitations).toEqual([
        { ...month.invitation, usedAt: "1970-01-08T00:00:00.000Z" },
        week.invitation,
      ])
      yield* TestClock.adjust(60 * DAY)
      yield* Engine.settle
      expect((yield* asAdmin("GET /admin/v1/invitations")).json).toEqual({ invitations: [] })
    }),
  )

  invited("the operator's list has no token, and bounds days to 90", () =>
    Effect.gen(function* () {
      const { token } = yield* invite()
      expect((yield* asAdmin("GET /admin/v1/invitations")).text).not.toContain(token)
      for (const days of [0, 91, 1.5])
        expect((yield* asAdmin("POST /admin/v1/invitations", { days })).status, String(days)).toBe(400)
    }),
  )
})

describe("SIGNUP=closed", () => {
  rule(
    "takes nobody, with an invitation or without",
    () =>
      Effect.gen(function* () {
        const { token } = yield* invite()
        for (const invitation of [undefined, token])
          expect(codeOf(yield* signUp("acme", invitation))).toMatchObject([403, { code: "SIGNUP_CLOSED" }])
      }),
    { signup: "closed" },
  )
})
