/** Signing up. */
import { expect } from "vitest"
import { newcomer, signUp } from "../../src/agents.js"
import { type Part, row } from "../../src/Row.js"
import { World } from "../../src/World.js"
import { anyText, expectAnswer, expectError } from "../expectations.js"

export const signup: Part = [
  row("signup.create.201", "a signup answers 201 with exactly what it is told to", function* () {
    const { call } = yield* World
    const { slug, body, headers } = yield* newcomer
    const answer = yield* call("POST /v1/signup", { body, headers })
    expectAnswer(answer, 201, {
      user: { slug, platform_domain: `${slug}.mailroom.localhost` },
      api_key: { key: expect.stringMatching(/^mr_[0-9a-f]{64}$/) },
      email_verified: false,
      next_steps: { verify_email: anyText, create_mailbox: anyText },
    })
  }),

  row("signup.create.409-slug", "the second signup with a slug answers 409 SLUG_TAKEN", function* () {
    const { call } = yield* World
    const { slug } = yield* signUp()
    const { body, headers } = yield* newcomer
    expectError(yield* call("POST /v1/signup", { body: { ...body, slug }, headers }), 409, "SLUG_TAKEN")
  }),
]
