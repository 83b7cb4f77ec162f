/** An account that pays, so that the limits of the trial do not hold. */
import { Effect, Schema } from "effect"
import { type Account, verifiedAccount } from "../../../server/test/support/account.js"
import { call, read } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"

const Checkout = Schema.Struct({ checkout_url: Schema.String })

export const payingAccount = (server: Server, slug: string): Effect.Effect<Account> =>
  Effect.gen(function* () {
    const account = yield* verifiedAccount(server, slug)
    const upgrade = yield* account.call("POST /v1/billing/upgrade")
    const { pathname } = new URL(read(Checkout, upgrade).checkout_url)
    yield* call(server, `POST ${pathname}/complete`, { body: {} })
    return account
  })
