/** Paying, in a browser on a running server: what waited is unlocked; the plan is given up; the account is deleted. */
import { expect, layer } from "@effect/vitest"
import { deliver, eventually, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { call } from "../../server/test/support/http.js"
import { SharedServer } from "../../server/test/support/server.js"
import { openAsOwner } from "./support/ownerVisit.js"
import { inBrowser, PATIENT, phone, serverAndBrowser } from "./support/visit.js"

/** Received mails of a trial that are visible (docs/specification/limits.md). */
const VISIBLE = 10

layer(serverAndBrowser, inBrowser)("plan and billing", (it) => {
  it.scoped(
    "mail above the limit of the trial waits, and the checkout unlocks it",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const { account, page, step, expectAccessible, expectQuiet } = yield* openAsOwner(
          "payer",
          "/dashboard/billing",
        )
        for (let mail = 0; mail <= VISIBLE; mail++)
          yield* deliver(server.smtpPort, account.address, plainMail(`Mail ${mail}`))
        const listed = Effect.map(
          account.call(`GET /v1/mailboxes/${account.mailboxId}/messages`),
          ({ json }) => json,
        )
        yield* eventually("one mail is gated", Effect.map(listed, JSON.stringify), (text) =>
          text.includes('"overLimitCount":1'),
        )
        yield* step(async () => {
          await page.reload()
          await page.getByText("1 mail waits").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Choose Developer" }).click()
          await page.getByRole("button", { name: "Pay" }).click()
          await page.waitForURL("**/dashboard?upgraded=true")
          await page.getByText("Thank you", { exact: true }).waitFor()
        })
        yield* eventually("no mail is gated", Effect.map(listed, JSON.stringify), (text) =>
          text.includes('"overLimitCount":0'),
        )
        yield* step(async () => {
          await page.goto("/dashboard/billing")
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

  it.scoped(
    "the account is deleted once the word is typed, and its key opens nothing any more",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const { account, page, step, expectAccessible } = yield* openAsOwner(
          "leaver",
          "/dashboard/settings",
          phone,
        )
        yield* step(async () => {
          await page.getByRole("button", { name: "Delete the account…" }).click()
          await page.getByText(`take leaver.`).waitFor()
        })
        yield* expectAccessible
        const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete the account" })
        expect(yield* step(() => confirm.isDisabled())).toBe(true)
        yield* step(async () => {
          await page.getByLabel("Type DELETE to go on").fill("DELETE")
          await confirm.click()
          await page.getByText("The account is deleted").waitFor()
        })
        expect((yield* call(server, "GET /v1/account", { key: account.key })).status).toBe(401)
      }),
    PATIENT,
  )
})
