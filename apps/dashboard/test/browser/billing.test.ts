/**
 * A plan that is changed, in a browser on a running server. The first purchase is in story.test.ts. What Stripe answers is in the tests
 * of `packages/payments`; here the answers of the API have its addresses, and its pages are made up.
 */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SharedServer } from "../../../server/test/support/server.js"
import { signInTo } from "../support/ownerVisit.js"
import { verifiedAccount } from "../../../server/test/support/account.js"
import { buy, payingAccount } from "../support/paying.js"
import { serverAndBrowser } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("plan and billing", (it) => {
  it.scoped("the owner goes up to a larger plan after reading what follows", () =>
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
  )

  it.scoped("after the checkout the account shows the payment as soon as it is confirmed", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "confirmed")
      const { page, step } = yield* signInTo(account, "/dashboard?upgraded=true")
      const trial = page.getByText("It ends")
      yield* step(async () => {
        await page.getByText("Thank you").waitFor()
        await trial.waitFor()
      })
      yield* buy(server, account)
      yield* step(() => trial.waitFor({ state: "detached" }))
    }),
  )

  it.scoped("with Stripe the owner pays, and sees invoices, on its pages", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const visits = [
        {
          account: yield* verifiedAccount(server, "newcustomer"),
          button: "Choose Growth",
          request: "**/v1/billing/upgrade",
          answer: { checkout_url: "https://checkout.stripe.com/c/pay/1#a", plan: "Growth" },
        },
        {
          account: yield* payingAccount(server, "oldcustomer"),
          button: "Invoices and payment details",
          request: "**/v1/billing/portal",
          answer: { url: "https://billing.stripe.com/p/session/1" },
        },
      ]
      for (const { account, button, request, answer } of visits) {
        const { page, step } = yield* signInTo(account, "/dashboard")
        yield* step(async () => {
          await page.route("**/dashboard/billing", async (route) => {
            const shell = await route.fetch()
            const body = (await shell.text()).replace(
              "&quot;billing&quot;:&quot;simulated&quot;",
              "&quot;billing&quot;:&quot;stripe&quot;",
            )
            await route.fulfill({ response: shell, body })
          })
          await page.route(request, (route) => route.fulfill({ json: answer }))
          await page.route("https://*.stripe.com/**", (route) =>
            route.fulfill({ contentType: "text/html", body: "<h1>Stripe</h1>" }),
          )
          await page.goto("/dashboard/billing")
          await page.getByRole("button", { name: button }).click()
          await page.getByRole("heading", { name: "Stripe" }).waitFor()
        })
        expect(Object.values(answer)).toContain(page.url())
      }
    }),
  )
})
