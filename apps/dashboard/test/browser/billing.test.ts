/** A plan that is changed, in a browser on a running server. The first purchase is in story.test.ts. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SharedServer } from "../../../server/test/support/server.js"
import { signInTo } from "../support/ownerVisit.js"
import { payingAccount } from "../support/paying.js"
import { inBrowser, PATIENT, serverAndBrowser } from "../support/visit.js"

layer(serverAndBrowser, inBrowser)("plan and billing", (it) => {
  it.scoped(
    "the owner goes up to a larger plan after reading what follows",
    () =>
      Effect.gen(function* () {
        const account = yield* payingAccount(yield* SharedServer, "payer")
        const { page, step, expectAccessible, expectQuiet } = yield* signInTo(account, "/dashboard/billing")
        yield* step(async () => {
          await page.getByText("You are on Developer, billed by the month.").waitFor()
          await page.getByRole("button", { name: "Go up to Growth" }).click()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Change to Growth" }).click()
          await page.getByText("You are on Growth, billed by the month.").waitFor()
        })
        yield* expectQuiet
      }),
    PATIENT,
  )
})
