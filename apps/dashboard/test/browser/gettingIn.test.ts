/** Getting in, in a browser on a running server, where it is not straight: a simulated mail, a forgotten password, a wrong one. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PASSWORD, signUp } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { copiedLine, headingOf, inTerminal, isDone } from "../support/firstSteps.js"
import { linkInMail } from "../support/outbox.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("getting in", (it) => {
  it.scoped("a mail of the simulator, and an answer to it by the line of the page, end the first steps", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const email = "bob@simulated.dev"
      const { page, step: act, expectQuiet } = yield* visit(server.url, "/signup?plan=Growth", desk)
      yield* act(async () => {
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password").fill(PASSWORD)
        await page.getByRole("button", { name: "Create account" }).click()
        await headingOf(page, "First steps")
      })
      const link = yield* linkInMail(server, email, "/v1/auth/verify-email")
      const mailTab = yield* act(() => page.context().newPage())
      yield* Effect.promise(async () => {
        await mailTab.goto(link)
        await mailTab.getByRole("button", { name: "Verify" }).click()
        await mailTab.waitForURL(/onboarding/)
        await mailTab.close()
      })
      yield* act(async () => {
        await isDone(page, "Verify your address")
        await page.getByRole("button", { name: "Get a mail from the simulator" }).click()
        await isDone(page, "Receive a first mail")
      })
      const answer = yield* inTerminal(yield* act(() => copiedLine(page, "Send a first answer")))
      expect(answer).toMatchObject({ message: { direction: "OUTBOUND" } })
      yield* act(async () => {
        await isDone(page, "Send a first answer")
        await page.getByText("Everything works").waitFor()
        await page.getByRole("link", { name: "Go to the dashboard" }).click()
        await headingOf(page, "Home")
      })
      yield* expectQuiet
    }),
  )

  it.scoped("a forgotten password: a link by mail sets a new one, and the old one is over", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { email } = yield* signUp(server, "forgetful")
      const { page, step: act, expectAccessible, expectQuiet } = yield* visit(server.url, "/signin", phone)
      yield* act(async () => {
        await page.getByRole("link", { name: "Forgot it?" }).click()
        await headingOf(page, "Set a new password")
      })
      yield* expectAccessible
      yield* act(async () => {
        await page.getByLabel("Email").fill(email)
        await page.getByRole("button", { name: "Send the link" }).click()
        await page.getByText("A mail is on its way").waitFor()
      })
      yield* expectAccessible
      const link = yield* linkInMail(server, email, "/reset-password")
      yield* act(() => page.goto(link))
      yield* expectAccessible
      yield* act(async () => {
        await page.getByLabel("New password").fill("another long passphrase")
        await page.getByRole("button", { name: "Set password" }).click()
        await headingOf(page, "Your password is set")
      })
      yield* expectAccessible
      yield* act(async () => {
        await page.getByRole("link", { name: "Sign in" }).click()
        await headingOf(page, "Sign in")
        await page.getByLabel("Email").fill(email)
        await page.getByLabel("Password").fill("another long passphrase")
        await page.getByRole("button", { name: "Sign in" }).click()
        await headingOf(page, "Home")
      })
      yield* expectAccessible
      yield* expectQuiet
    }),
  )

  it.scoped("the verification mail comes again without a session", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { email } = yield* signUp(server, "twice")
      const { page, step: act, expectAccessible, expectQuiet } = yield* visit(server.url, "/verify", desk)
      yield* expectAccessible
      yield* act(async () => {
        await page.getByLabel("Email").fill(email)
        await page.getByRole("button", { name: "Send the link" }).click()
        await page.getByText("A mail is on its way").waitFor()
      })
      yield* linkInMail(server, email, "/v1/auth/verify-email")
      yield* expectQuiet
    }),
  )

  it.scoped("what is wrong stands beside its field, and the field has the focus", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { page, step: act, expectAccessible } = yield* visit(server.url, "/signup", phone)
      yield* act(async () => {
        await page.getByLabel("Email").fill("carol@wrong.dev")
        await page.getByLabel("Password").fill("short")
        await page.getByRole("button", { name: "Create account" }).click()
        await page.locator("input[name=password][aria-invalid=true]:focus").waitFor()
      })
      const described = yield* act(() => page.locator("input:focus").getAttribute("aria-describedby"))
      const error = described?.split(" ").at(-1) ?? ""
      expect(yield* act(() => page.locator(`[id="${error}"]`).textContent())).toMatch(/\b8\b/)
      expect(error).toMatch(/-error$/)
      yield* expectAccessible
    }),
  )
})
