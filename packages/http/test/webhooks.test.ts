/**
 * POST /v1/webhooks beyond `webhooks.create.*` and `decisions.webhook.*`: lists, line breaks, receivers inside the
 * network.
 */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { rule } from "./support/service.js"

const url = "https://receiver.mailroom.dev/in"
const create = (key: string, body: unknown) => ask("POST /v1/webhooks", { key, body })

describe("POST /v1/webhooks", () => {
  for (const [what, path, wrong] of [
    ["events that are no list", "events", { events: "message.sent" }],
    ["a header with a line break", "headers", { headers: { "X-A": "1\r\nX-B: 2" } }],
    [
      "11 headers",
      "headers",
      { headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, "1"])) },
    ],
  ] as const)
    rule(`answers 400 to ${what}`, () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { url, events: ["message.sent"], ...wrong })
        expect(answer.status).toBe(400)
        expect(answer.json).toMatchObject({ code: "VALIDATION_FAILED" })
        expect(answer.json).toMatchObject({
          issues: expect.arrayContaining([expect.objectContaining({ path })]),
        })
      }),
    )

  rule(
    "takes http and private addresses where the operator allows it",
    () =>
      Effect.gen(function* () {
        const { key } = yield* signUp()
        const answer = yield* create(key, { url: "http://127.0.0.1:9000/in", events: ["message.sent"] })
        expect(answer.status).toBe(201)
      }),
    { webhookAllowPrivate: true },
  )
})
