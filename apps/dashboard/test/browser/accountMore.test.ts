/** More pages of the account on a running server: domains, suppressions, the audit trail, usage, settings and the outbox. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SharedServer } from "../../../server/test/support/server.js"
import { openAsOwner } from "../support/ownerVisit.js"
import { buy } from "../support/paying.js"
import { desk, phone, serverAndBrowser } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("more pages of the account", (it) => {
  it.scoped("a domain is added, its records are copied, and it is removed", () =>
    Effect.gen(function* () {
      const { account, page, step, expectAccessible } = yield* openAsOwner(
        "domainer",
        "/dashboard/domains",
        phone,
      )
      // A trial has no custom domain: the page says so in words.
      yield* step(async () => {
        await page.getByRole("button", { name: "Add domain" }).first().click()
        await page.getByRole("dialog").getByLabel("Domain").fill("agents.acme.dev")
        await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click()
        await page.getByRole("alert").waitFor()
      })
      yield* buy(yield* SharedServer, account)
      yield* step(async () => {
        await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click()
        await page.getByRole("heading", { name: "agents.acme.dev" }).waitFor()
        await page.getByRole("button", { name: "Copy value of the SPF record" }).click()
      })
      expect(yield* step(() => page.evaluate("navigator.clipboard.readText()"))).toMatch(/^v=spf1 /)
      expect(yield* step(() => page.getByText("Not found yet").count())).toBe(4)
      yield* expectAccessible
      yield* step(async () => {
        await page.getByRole("button", { name: "More for this domain" }).click()
        await page.getByRole("menuitem", { name: "Remove the domain" }).click()
        await page.getByRole("button", { name: "Remove domain" }).click()
        await page.getByText("No domain of your own yet").waitFor()
      })
      yield* expectAccessible
    }),
  )

  it.scoped("an address is suppressed, found, and removed; the trail tells it by topic", () =>
    Effect.gen(function* () {
      const { page, step, expectAccessible, expectQuiet } = yield* openAsOwner(
        "silencer",
        "/dashboard/suppressions",
      )
      yield* step(async () => {
        await page.getByText("No address is suppressed").waitFor()
        await page.getByRole("button", { name: "Suppress an address" }).click()
        await page.getByRole("textbox", { name: "Address" }).fill("bob@corp.org")
        await page.getByRole("button", { name: "Suppress", exact: true }).click()
        await page.getByText("bob@corp.org", { exact: true }).waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Find an address").fill("eve@corp.org")
        await page.keyboard.press("Enter")
        await page.getByText("eve@corp.org is not suppressed").waitFor()
        await page.getByRole("button", { name: "Show all" }).click()
        await page.getByRole("button", { name: "Remove bob@corp.org" }).click()
        await page.getByRole("button", { name: "Remove from the list" }).click()
        await page.getByText("No address is suppressed").waitFor()
        await page.goto("/dashboard/audit?topic=mailboxes")
        await page.getByText("Address taken off the suppressions").waitFor()
      })
      expect(yield* step(() => page.getByText("Signed in").count())).toBe(0)
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Show").selectOption("keys")
        await page.getByText("Signed in").waitFor()
      })
      yield* expectQuiet
    }),
  )

  for (const look of [phone, desk])
    it.scoped(`usage, settings and the outbox are accessible at ${look.width} px`, () =>
      Effect.gen(function* () {
        const { account, page, step, expectAccessible, expectQuiet } = yield* openAsOwner(
          `watcher${look.width}`,
          "/dashboard/usage",
          look,
        )
        yield* step(() => page.locator("canvas").nth(1).waitFor())
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Show figures" }).click()
          await page.getByRole("table", { name: "Mail by the day" }).waitFor()
          await page.getByLabel("Time").selectOption("day")
          await page.getByRole("table", { name: "Mail by the hour" }).waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.goto("/dashboard/settings")
          await page.getByRole("main").getByText(account.email).waitFor()
        })
        yield* expectAccessible
        const file = yield* step(async () => {
          const saved = page.waitForEvent("download")
          await page.getByRole("button", { name: `Save as mbox: ${account.address}` }).click()
          return (await saved).suggestedFilename()
        })
        expect(file).toBe(`${account.address}.mbox`)
        yield* step(async () => {
          await page.goto(`/dashboard/outbox?to=${account.email}`)
          await page.getByText("Verify your email address").click()
          await page.getByRole("dialog").getByText(account.email).waitFor()
        })
        yield* expectAccessible
        expect(
          yield* step(() => page.evaluate<number>("document.documentElement.scrollWidth")),
        ).toBeLessThanOrEqual(look.width)
        yield* expectQuiet
      }),
    )
})
