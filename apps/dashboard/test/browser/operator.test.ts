/** The operator's pages on a running server. */
import { expect, layer } from "@effect/vitest"
import { eventually } from "@mailroom/test-services"
import { SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, Layer } from "effect"
import { call } from "../../../server/test/support/http.js"
import { verifiedAccount } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { payingAccount } from "../support/paying.js"
import { desk, phone, visit } from "../support/visit.js"

const ADMIN_TOKEN = "the-token-of-the-operator-0123456789"

const serverAndBrowser = Layer.merge(SharedServer.layer({ ADMIN_TOKEN, SIGNUP: "open" }), SharedBrowser.layer)

layer(serverAndBrowser, { excludeTestServices: true })("the operator's pages", (it) => {
  it.scoped("suspend an account with a reason, and end the suspension", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "suspect")
      const { page, step, expectAccessible, expectQuiet } = yield* visit(
        server.url,
        "/operator/accounts?q=suspect",
        phone,
      )
      const status = Effect.map(
        call(server, "GET /v1/mailboxes", { key: account.key }),
        (answer) => answer.status,
      )
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Admin token").fill(ADMIN_TOKEN)
        await page.getByRole("button", { name: "Continue" }).click()
        await page.getByRole("list", { name: "Accounts" }).getByText(account.email).click()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Reason of a suspension").fill("Sends spam")
        await page.getByRole("button", { name: "Suspend the account" }).click()
        await page.getByText("suspect is suspended.").waitFor()
      })
      expect(yield* status).toBe(403)
      yield* step(async () => {
        await page.getByRole("button", { name: "End the suspension" }).click()
        await page.getByText("suspect works again.").waitFor()
      })
      expect(yield* status).toBe(200)
      yield* step(async () => {
        await page.getByRole("link", { name: "Audit trail" }).click()
        await page.getByText("Suspension ended").waitFor()
      })
      yield* expectAccessible
      expect(page.url()).not.toContain(ADMIN_TOKEN)
      yield* expectQuiet
    }),
  )

  for (const look of [phone, desk])
    it.scoped(`the overview examines the service, and invitations are given, at ${look.width} px`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/operator", look)
        yield* step(async () => {
          await page.getByLabel("Admin token").fill(ADMIN_TOKEN)
          await page.getByRole("button", { name: "Continue" }).click()
          await page.getByText("Mail accepted").waitFor()
          await page.getByRole("button", { name: "Examine now" }).click()
          await page.getByText("Nothing is wrong").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.goto("/operator/invitations")
          await page.getByRole("button", { name: "New invitation" }).first().click()
          await page.getByRole("button", { name: "Create invitation" }).click()
          await page.getByText("/signup?invitation=").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Done, I have stored it" }).click()
          await page.getByRole("button", { name: "Revoke" }).first().click()
          await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
          await page.getByText("The invitation is revoked.").waitFor()
        })
        yield* expectAccessible
        yield* expectQuiet
      }),
    )

  it.scoped("the overview names the accounts that are complained about, with what bounces for them", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "loud")
      for (const recipient of ["complained", "bounced"])
        yield* account.call(`POST /v1/mailboxes/${account.mailboxId}/messages`, {
          body: { to: [`${recipient}@simulator.mailroom.localhost`], subject: "Offer", bodyText: "Buy!" },
        })
      yield* eventually(
        "the service has the complaint",
        call(server, "GET /admin/v1/complaints", { key: ADMIN_TOKEN }),
        ({ text }) => text.includes("loud"),
      )
      const { page, step, expectAccessible } = yield* visit(server.url, "/operator", phone)
      yield* step(async () => {
        await page.getByLabel("Admin token").fill(ADMIN_TOKEN)
        await page.getByRole("button", { name: "Continue" }).click()
        await page
          .getByRole("list", { name: "Accounts with complaints" })
          .getByRole("listitem")
          .filter({ hasText: "loud1 complaint · 1 of 2 bounced today" })
          .waitFor()
      })
      yield* expectAccessible
    }),
  )

  it.scoped("a wrong token opens nothing", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { page, step } = yield* visit(server.url, "/operator", desk)
      yield* step(async () => {
        await page.getByLabel("Admin token").fill("wrong")
        await page.getByRole("button", { name: "Continue" }).click()
        await page.getByRole("alert").waitFor()
      })
      expect(yield* step(() => page.getByRole("navigation").count())).toBe(0)
      expect(yield* step(() => page.evaluate("sessionStorage.length"))).toBe(0)
    }),
  )
})
