/** The simulated checkout, without a browser; and an account that pays, so that the limits of the trial do not hold. */
import { Effect, Schema } from "effect"
import { type Account, verifiedAccount } from "../../../server/test/support/account.js"
import { call, read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"

const Checkout = Schema.Struct({ checkout_url: Schema.String })

/** Buys the Developer plan. */
export const buy = (server: Server, account: Account): Effect.Effect<void> =>
  Effect.gen(function* () {
    const upgrade = yield* account.call("POST /v1/billing/upgrade")
    const { pathname } = new URL(read(Checkout, upgrade).checkout_url)
    yield* call(server, `POST ${pathname}/complete`, { body: {} })
  })

export const payingAccount = (server: Server, slug: string): Effect.Effect<Account> =>
  Effect.tap(verifiedAccount(server, slug), (account) => buy(server, account))
