/** The frame of the dashboard on a running server: signing in, the navigation, the switch that stops sends. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signUp, verifiedAccount, verify } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { visitAs } from "../support/owner.js"
import { submitSignIn } from "../support/reading.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("the frame", (it) => {
  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(`on ${name}: sign in, stop all sends, sign out, sign in again`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* signUp(server, `frame${look.width}`)
        yield* verify(server, account)
        const { page, step, expectAccessible, expectQuiet } = yield* visit(
          server.url,
          "/dashboard/audit",
          look,
        )

        yield* step(() => page.getByRole("heading", { name: "Sign in" }).waitFor())
        yield* expectAccessible
        yield* step(async () => {
          await submitSignIn(page, account)
          await page.getByRole("heading", { name: "Audit" }).waitFor()
          await page.getByText("Signed in").waitFor()
        })
        yield* expectAccessible

        const openNavigation = async () => {
          if (look.width < 800) await page.getByRole("button", { name: "Open the navigation" }).click()
        }
        yield* step(async () => {
          await openNavigation()
          await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click()
          await page.getByText(account.address).waitFor()
        })
        yield* step(async () => {
          await openNavigation()
          await page.getByRole("switch", { name: "Pause all sending" }).click()
          await page.getByText("All sending is paused", { exact: true }).waitFor()
        })
        const read = yield* account.call("GET /v1/account")
        expect(read.json).toMatchObject({ account: { sendingPaused: true } })

        yield* step(async () => {
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
        })
        expect(page.url()).toContain("/signin?next=%2Fdashboard")
        yield* expectQuiet
        yield* step(async () => {
          await page.getByLabel("Email").fill(account.email)
          await page.getByLabel("Password").fill("a wrong passphrase")
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("alert").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByLabel("Password").fill(account.password)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("heading", { name: "Home" }).waitFor()
        })
      }),
    )

  it.scoped("on a phone the navigation is a drawer, which keeps the focus and gives it back", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "drawer")
      const { page, step, expectAccessible } = yield* visit(server.url, "/signin", { ...phone, width: 360 })
      const width = step(() => page.evaluate<number>("document.documentElement.scrollWidth"))
      expect(yield* width).toBe(360)
      const opener = page.getByRole("button", { name: "Open the navigation" })
      yield* step(async () => {
        await submitSignIn(page, account)
        await page.getByText(account.address).waitFor()
      })
      expect(yield* width).toBe(360)
      yield* step(async () => {
        await opener.press("Enter")
        await page.getByRole("button", { name: "Close the navigation" }).waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        for (let at = 0; at < 20; at++) await page.keyboard.press("Tab")
      })
      expect(yield* step(() => page.evaluate("document.activeElement.closest('main') === null"))).toBe(true)
      yield* step(async () => {
        await page.getByRole("link", { name: "Audit" }).focus()
        await page.keyboard.press("Escape")
        await page.locator("[aria-label='Open the navigation']:focus").waitFor()
      })
    }),
  )

  it.scoped("skipping to the content leaves what was written there", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* verifiedAccount(server, "skipper")
      const { page, step, expectQuiet } = yield* visitAs(server, account, "/dashboard/compose", desk)
      const subject = page.getByLabel("Subject")
      yield* step(async () => {
        await subject.fill("Half written")
        await page.getByRole("link", { name: "Skip to the content" }).press("Enter")
        await page.locator("#main:focus").waitFor()
        expect(await subject.inputValue()).toBe("Half written")
        await page.goBack()
        expect(await subject.inputValue()).toBe("Half written")
      })
      yield* expectQuiet
    }),
  )

  it.scoped("keys lead to pages, and ? lists them", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* signUp(server, "keys")
      const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/signin", desk)
      yield* step(async () => {
        await page.getByLabel("Email").fill(account.email)
        await page.getByLabel("Password").fill(account.password)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "Home" }).waitFor()
        await page.keyboard.press("g")
        await page.keyboard.press("a")
        await page.getByRole("heading", { name: "Audit" }).waitFor()
        await page.keyboard.press("?")
        await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Go to Audit").waitFor()
      })
      yield* expectAccessible
      yield* step(() => page.keyboard.press("Escape"))
      yield* step(async () => {
        await page.getByRole("button", { name: "Theme: As the system" }).click()
        await page.getByRole("menuitem", { name: "Dark" }).click()
        await page.reload()
        await page.getByRole("button", { name: "Theme: Dark" }).waitFor()
        await page.goto("/dashboard/nothing/here")
        await page.getByRole("heading", { name: "This page does not exist" }).waitFor()
      })
      expect(yield* step(() => page.evaluate("document.documentElement.dataset.theme"))).toBe("dark")
      yield* expectAccessible
      yield* expectQuiet
    }),
  )
})
