/** The frame of the dashboard on a running server: signing in, what arrives live, the switch that stops sends. */
import { expect, layer } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { signUp, verify } from "../../server/test/support/account.js"
import { SharedServer } from "../../server/test/support/server.js"
import { desk, phone, serverAndBrowser, visit } from "./support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("the frame", (it) => {
  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(`on ${name}: sign in, see a mail arrive, stop all sends, sign out`, () =>
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
          await page.getByLabel("Email").fill(account.email)
          await page.getByLabel("Password").fill(account.password)
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByRole("heading", { name: "Audit" }).waitFor()
          await page.getByText("session.created").waitFor()
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
        yield* expectAccessible
        const received = page.locator("dl div", { hasText: /^Received\d/ }).locator("dd")
        expect(yield* step(() => received.textContent())).toBe("0")
        yield* deliver(server.smtpPort, account.address, plainMail("Hello"))
        yield* step(() => received.filter({ hasText: "1" }).waitFor())

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
        yield* expectQuiet
      }),
    )
})
