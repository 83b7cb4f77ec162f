/** Tabs that nobody looked at for long: they show what happened meanwhile, and who is signed in now. */
import { expect, layer } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import type { Page } from "@mailroom/test-services/browser"
import { Effect } from "effect"
import type { Account } from "../../../server/test/support/account.js"
import { arrivedAs } from "../../../server/test/support/messages.js"
import { type Server, SharedServer } from "../../../server/test/support/server.js"
import { visitAs } from "../support/owner.js"
import { fillMailbox } from "../support/longMailbox.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, serverAndBrowser } from "../support/visit.js"

const MAIL = "/dashboard/mail"

/** A browser without a screen shows every tab: the page is told otherwise. */
const tell = (page: Page, visibility: "visible" | "hidden"): Promise<void> =>
  page.evaluate(`{
    Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
  }`)

/** Hides the tab until it has left the events to others. */
const hideForLong = async (page: Page): Promise<void> => {
  await page.clock.install()
  await tell(page, "hidden")
  await page.clock.fastForward("06:00")
}

/** Thirty mails, more than a page looks at after an event. Returns when all are there. */
const nightMail = (server: Server, owner: Account) =>
  Effect.gen(function* () {
    const names = Array.from({ length: 30 }, (_, at) => `Night ${at}`)
    yield* Effect.forEach(names, (name) => deliver(server.smtpPort, owner.address, plainMail(name)))
    yield* Effect.forEach(names, (name) => arrivedAs(owner, name), { discard: true })
  })

const rows = (page: Page) => page.getByRole("list", { name: "Messages" }).getByRole("listitem")

layer(serverAndBrowser, { excludeTestServices: true })("a tab that was hidden for long", (it) => {
  it.scoped("shows all mail that came meanwhile, also more than it looks at after an event", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "away")
      const { page, step, expectQuiet } = yield* visitAs(server, owner, MAIL, desk)
      yield* step(() => page.getByRole("heading", { name: "No mail yet" }).waitFor())
      yield* step(hideForLong)
      yield* nightMail(server, owner)
      yield* step(async () => {
        await tell(page, "visible")
        await page.locator("[aria-setsize='30']").first().waitFor()
      })
      yield* expectQuiet
    }),
  )

  it.scoped("keeps the pages, the place and the row of its reader when more came than it looks at", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "reading-on")
      yield* fillMailbox(server, owner, 120)
      const { page, step, expectQuiet } = yield* visitAs(server, owner, MAIL, desk)
      const focused = page.locator("[data-row]:focus")
      yield* step(async () => {
        await rows(page).first().focus()
        const loadOn = async () => {
          await page.keyboard.press("End")
          return rows(page).first().getAttribute("aria-setsize")
        }
        await expect.poll(loadOn).toBe("120")
        for (let pages = 0; pages < 4; pages++) await page.keyboard.press("PageUp")
        await page.keyboard.press("ArrowDown")
      })
      const numberOf = async () => /Mail (\d+)/.exec(await focused.innerText())?.[1]
      const read = yield* step(numberOf)
      const place = yield* step(() => focused.boundingBox())
      yield* step(hideForLong)
      yield* nightMail(server, owner)
      yield* step(async () => {
        await tell(page, "visible")
        await page.locator("[aria-setsize='150']").first().waitFor()
        expect(await numberOf()).toBe(read)
        expect(await focused.boundingBox()).toEqual(place)
      })
      yield* expectQuiet
      // The id of a copied message ends with its number.
      const id = Number(read).toString(16).padStart(12, "0")
      yield* step(async () => {
        await page.keyboard.press("Enter")
        await page.waitForURL((url) => url.href.endsWith(id))
      })
    }),
  )

  it.scoped("shows what came while another tab read the events, and goes on reading", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "two-tabs")
      const { page: away, step, expectQuiet } = yield* visitAs(server, owner, MAIL, desk)
      yield* step(() => away.getByRole("heading", { name: "No mail yet" }).waitFor())
      const other = yield* step(() => away.context().newPage())
      yield* step(async () => {
        await other.goto(MAIL)
        await other.getByRole("heading", { name: "No mail yet" }).waitFor()
        await hideForLong(away)
      })
      yield* deliver(server.smtpPort, owner.address, plainMail("Meanwhile"))
      yield* step(async () => {
        await rows(other).filter({ hasText: "Meanwhile" }).waitFor()
        expect(await rows(away).count()).toBe(0)
        await tell(away, "visible")
        await rows(away).filter({ hasText: "Meanwhile" }).waitFor()
      })
      yield* deliver(server.smtpPort, owner.address, plainMail("Afterwards"))
      yield* step(() => rows(away).filter({ hasText: "Afterwards" }).waitFor())
      yield* expectQuiet
    }),
  )
})

layer(serverAndBrowser, { excludeTestServices: true })("a tab of another account", (it) => {
  it.scoped("shows the account that another tab has signed in to, so that nothing is done to it unseen", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const first = yield* payingAccount(server, "first-account")
      const second = yield* payingAccount(server, "second-account")
      const { page, step } = yield* visitAs(server, first, "/dashboard/settings", desk)
      const main = page.getByRole("main")
      yield* step(async () => {
        await main.getByText(first.email).first().waitFor()
        await page.getByRole("button", { name: "Delete the account…" }).click()
        await page.getByRole("dialog").getByText("Delete the account for good?").waitFor()
      })
      const other = yield* step(() => page.context().newPage())
      yield* step(async () => {
        await other.goto("/dashboard")
        await other.getByRole("button", { name: "Sign out", exact: true }).click()
        await other.waitForURL(/signin/)
        await page.waitForURL(/signin/)
        await signIn(other, second, "/dashboard/settings")
        await main.getByText(second.email).first().waitFor()
      })
      expect(yield* step(() => main.getByText(first.email).count())).toBe(0)
      expect(yield* step(() => page.getByRole("dialog").count())).toBe(0)
    }),
  )
})
