/** Getting in, in a browser on a running server: from the landing page to an agent that has answered its first mail. */
import { expect, layer } from "@effect/vitest"
import type { Page } from "@mailroom/test-services/browser"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { PASSWORD, signUp } from "../../server/test/support/account.js"
import { SharedServer } from "../../server/test/support/server.js"
import { linkInMail } from "./support/outbox.js"
import { desk, phone, inBrowser, PATIENT, serverAndBrowser, visit } from "./support/visit.js"

/** Runs a line that a page gave to copy, as its reader would in a terminal. */
const inTerminal = (line: string): Effect.Effect<unknown> =>
  Effect.promise(async () => JSON.parse((await promisify(execFile)("sh", ["-c", line])).stdout))

const step = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title })

/** Copies the curl line of a step of the checklist. */
const copied = async (page: Page, title: string): Promise<string> => {
  await step(page, title).getByRole("button", { name: "Copy curl" }).click()
  return page.evaluate<string>("navigator.clipboard.readText()")
}

const isDone = (page: Page, title: string) => page.getByRole("heading", { name: `${title} (done)` }).waitFor()

const headingOf = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor()

layer(serverAndBrowser, inBrowser)("getting in", (it) => {
  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(
      `on ${name}: sign up, verify, receive, use a key, answer, sign out, sign in`,
      () =>
        Effect.gen(function* () {
          const server = yield* SharedServer
          const slug = `newcomer${look.width}`
          const email = `ada@${slug}.dev`
          const { page, step: act, expectAccessible, expectQuiet } = yield* visit(server.url, "/", look)
          yield* expectAccessible

          yield* act(async () => {
            await page.getByRole("link", { name: "Create an account" }).click()
            await headingOf(page, "Create an account")
          })
          yield* expectAccessible
          yield* act(async () => {
            await page.getByLabel("Email").fill(email)
            await page.getByLabel("Password").fill(PASSWORD)
            await page.getByText(`Your first mailbox is agent@${slug}.`).waitFor()
            await page.getByRole("button", { name: "Create account" }).click()
            await headingOf(page, "First steps")
            await page.getByText(/^mr_[0-9a-f]{64}$/).waitFor()
          })
          yield* expectAccessible

          const whoami = yield* inTerminal(yield* act(() => copied(page, "Use a key")))
          expect(whoami).toMatchObject({ account: { slug }, principal: { kind: "key" } })
          yield* act(() => isDone(page, "Use a key"))

          const link = yield* linkInMail(server, email, "/v1/auth/verify-email")
          yield* act(async () => {
            await page.getByRole("link", { name: "Open the link from the mail" }).waitFor()
            await page.goto(link)
            await headingOf(page, "Verify your email address")
          })
          yield* expectAccessible
          yield* act(async () => {
            await page.getByRole("button", { name: "Verify" }).click()
            await page.waitForURL(/\/(?:onboarding|dashboard\?verified=true)$/)
            await page.goto("/onboarding")
            await isDone(page, "Verify your address")
          })

          yield* deliver(server.smtpPort, `agent@${slug}.mailroom.localhost`, plainMail("Is it you?"))
          yield* act(() => isDone(page, "Receive a first mail"))
          yield* expectAccessible
          yield* act(() => page.getByText("“Is it you?”").waitFor())
          yield* expectQuiet
          yield* act(async () => {
            if (look.width < 800) await page.getByRole("button", { name: "Open the navigation" }).click()
            await page.getByRole("button", { name: "Sign out" }).click()
            await headingOf(page, "Sign in")
          })
          expect(yield* act(() => Promise.resolve(page.url()))).toContain("/signin?next=%2Fonboarding")
          yield* act(async () => {
            await page.getByLabel("Email").fill(email)
            await page.getByLabel("Password").fill("a wrong passphrase")
            await page.getByRole("button", { name: "Sign in" }).click()
            await page.getByRole("alert").waitFor()
          })
          yield* expectAccessible
          yield* act(async () => {
            await page.getByLabel("Password").fill(PASSWORD)
            await page.getByRole("button", { name: "Sign in" }).click()
            await headingOf(page, "First steps")
          })
        }),
      PATIENT,
    )

  it.scoped(
    "a mail of the simulator, and an answer to it by the line of the page, end the first steps",
    () =>
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
        const answer = yield* inTerminal(yield* act(() => copied(page, "Send a first answer")))
        expect(answer).toMatchObject({ message: { direction: "OUTBOUND" } })
        yield* act(async () => {
          await isDone(page, "Send a first answer")
          await page.getByText("Everything works").waitFor()
          await page.getByRole("link", { name: "Go to the dashboard" }).click()
          await headingOf(page, "Home")
        })
        yield* expectQuiet
      }),
    PATIENT,
  )

  it.scoped(
    "a forgotten password: a link by mail sets a new one, and the old one is over",
    () =>
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
          await headingOf(page, "Sign in")
          await page.getByLabel("Email").fill(email)
          await page.getByLabel("Password").fill("another long passphrase")
          await page.getByRole("button", { name: "Sign in" }).click()
          await headingOf(page, "Home")
        })
        yield* expectAccessible
        yield* expectQuiet
      }),
    PATIENT,
  )

  it.scoped(
    "the verification mail comes again without a session",
    () =>
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
    PATIENT,
  )

  it.scoped(
    "what is wrong stands beside its field, and the field has the focus",
    () =>
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
    PATIENT,
  )
})
