/** The simulated checkout, without a browser. */
import { Effect, Schema } from "effect"
import { call, read } from "../../../server/test/support/http.js"
import { SharedServer } from "../../../server/test/support/server.js"
import type { Account } from "../../../server/test/support/account.js"

const Link = Schema.Struct({ checkout_url: Schema.String })

/** Buys the Developer plan. */
export const buy = (account: Account): Effect.Effect<void, never, SharedServer> =>
  Effect.gen(function* () {
    const server = yield* SharedServer
    const { checkout_url } = read(Link, yield* account.call("POST /v1/billing/upgrade"))
    yield* call(server, `POST ${new URL(checkout_url).pathname}/complete`)
  })
