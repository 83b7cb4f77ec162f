/** A server under BILLING=stripe takes what Stripe signs. Stripe itself is not called. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { call } from "./support/http.js"
import { freshServer } from "./support/server.js"

const SECRET = "whsec_ofthistest"

const settings = {
  BILLING: "stripe",
  STRIPE_SECRET_KEY: "sk_test_ofthistest",
  STRIPE_WEBHOOK_SECRET: SECRET,
  STRIPE_PRICES:
    "Developer:monthly=price_1, Developer:annual=price_2, Growth:monthly=price_3, Growth:annual=price_4, Scale:monthly=price_5",
}

/** As Stripe posts it: indented, which a body that was parsed and written again would not be. */
const event = JSON.stringify({ object: "event", type: "customer.created", data: { object: {} } }, null, 2)

const signature = (body: string) => {
  const at = Math.floor(Date.now() / 1000)
  return `t=${at},v1=${createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex")}`
}

describe("a server under BILLING=stripe", () => {
  it.scopedLive("takes what Stripe signed, byte by byte, and nothing else", () =>
    Effect.gen(function* () {
      const server = yield* freshServer(settings)
      const deliver = (body: string) =>
        Effect.map(
          call(server, "POST /v1/billing/stripe/webhook", {
            body,
            headers: { "stripe-signature": signature(event) },
          }),
          ({ status, json }) => [status, json],
        )
      expect(yield* deliver(event)).toEqual([200, { received: true }])
      expect(yield* deliver(event.replace("created", "deleted"))).toEqual([
        400,
        { error: expect.any(String), code: "INVALID_SIGNATURE" },
      ])
    }),
  )
})
