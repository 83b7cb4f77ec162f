/** Answers that come after something has changed: they do not bring back what was before. */
import { expect, layer } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import type { Page } from "@mailroom/test-services/browser"
import { Effect } from "effect"
import { verifiedAccount } from "../../../server/test/support/account.js"
import { arrivedAs } from "../../../server/test/support/messages.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { visitAs } from "../support/owner.js"
import { payingAccount } from "../support/paying.js"
import { desk, serverAndBrowser } from "../support/visit.js"

/** Holds the answer to the next read of an address until it is let go. */
const holdNext = async (page: Page, address: RegExp) => {
  let letGo: () => void = () => undefined
  const gone = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let say: () => void = () => undefined
  const isHeld = new Promise<void>((resolve) => {
    say = resolve
  })
  let isWaiting = true
  await page.route("**/v1/**", async (route) => {
    const request = route.request()
    if (!isWaiting || request.method() !== "GET" || !address.test(request.url())) return route.fallback()
    isWaiting = false
    const response = await route.fetch()
    say()
    await gone
    // The page may have ended the request.
    return route.fulfill({ response }).catch(() => undefined)
  })
  return { isHeld, letGo }
}

layer(serverAndBrowser, { excludeTestServices: true })("a late answer", (it) => {
  it.scoped("a mail that comes while the list is loading is in the list", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "late-list")
      const { page, step, expectQuiet } = yield* visitAs(server, owner, "/dashboard", desk)
      const list = yield* step(() => holdNext(page, /preview&limit=25$/))
      const looked = page.waitForResponse(/preview&limit=20$/)
      yield* step(async () => {
        await page
          .getByRole("navigation", { name: "Main" })
          .getByRole("link", { name: "Mail", exact: true })
          .click()
        await list.isHeld
      })
      yield* deliver(server.smtpPort, owner.address, plainMail("Early"))
      yield* arrivedAs(owner, "Early")
      yield* step(async () => {
        await (await looked).finished()
        list.letGo()
        await page.getByRole("list", { name: "Messages" }).getByText("Early").first().waitFor()
      })
      yield* expectQuiet
    }),
  )

  it.scoped("a page that looks again and again waits for it", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* verifiedAccount(server, "late-look")
      const { page, step } = yield* visitAs(server, owner, "/dashboard", desk)
      const looks: Array<string> = []
      yield* step(async () => {
        await page.clock.install()
        const keys = await holdNext(page, /\/v1\/api-keys$/)
        page.on("request", (request) => {
          if (request.url().endsWith("/v1/api-keys")) looks.push(request.url())
        })
        await page.goto("/onboarding")
        await keys.isHeld
        await page.clock.runFor(10_000)
        expect(looks).toHaveLength(1)
        keys.letGo()
        await page.getByRole("heading", { name: "Use a key" }).waitFor()
      })
    }),
  )

  it.scoped("a switch stays where the owner put it", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "late-switch")
      const address = new RegExp(`/v1/mailboxes/${owner.mailboxId}$`)
      const { page, step } = yield* visitAs(server, owner, `/dashboard/mailboxes/${owner.mailboxId}`, desk)
      const paused = page.getByRole("switch", { name: "Pause this mailbox" })
      yield* step(() => paused.waitFor())
      const before = yield* step(() => holdNext(page, address))
      yield* deliver(server.smtpPort, owner.address, plainMail("Event"))
      yield* step(async () => {
        await before.isHeld
        const readAgain = page.waitForResponse(
          (response) => response.request().method() === "GET" && address.test(response.url()),
        )
        await paused.click()
        await (await readAgain).finished()
        before.letGo()
        expect(await paused.isChecked()).toBe(true)
      })
    }),
  )
})
