/** The owner of an account who has signed in. */
import type { SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, type Scope } from "effect"
import { type Account, verifiedAccount } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { submitSignIn } from "./reading.js"
import { desk, type Look, visit, type Visit } from "./visit.js"

export interface OwnerVisit extends Visit {
  readonly account: Account
}

/** Signs in on the way to a page. */
export const signInTo = (account: Account, path: string, look: Look = desk) =>
  Effect.gen(function* () {
    const server = yield* SharedServer
    const opened = yield* visit(server.url, path, look)
    yield* opened.step(async (page) => {
      await submitSignIn(page, account)
      // On a phone the navigation is in a drawer.
      await page.locator("nav").waitFor({ state: "attached" })
    })
    return opened
  })

/** Opens a page as the owner of a new, verified account. */
export const openAsOwner = (
  slug: string,
  path: string,
  look: Look = desk,
): Effect.Effect<OwnerVisit, never, SharedServer | SharedBrowser | Scope.Scope> =>
  Effect.gen(function* () {
    const account = yield* verifiedAccount(yield* SharedServer, slug)
    return { account, ...(yield* signInTo(account, path, look)) }
  })
