/**
 * The whole story of an owner, in a browser on a running server: from the landing page to the end of the account. Other tests begin
 * where it does not go.
 */
import { expect, layer } from "@effect/vitest"
import type { Page } from "@mailroom/test-services/browser"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect, Schema } from "effect"
import { PASSWORD } from "../../../server/test/support/account.js"
import { call, type CallOptions, read } from "../../../server/test/support/http.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { copiedLine, headingOf, inTerminal, isDone } from "../support/firstSteps.js"
import { linkInMail } from "../support/outbox.js"
import { firstLeftTo, leftTo } from "../support/owner.js"
import { desk, type Look, phone, serverAndBrowser, visit } from "../support/visit.js"

/** Received mails of a trial that are visible (docs/specification/limits.md). */
const VISIBLE = 10

const looks: ReadonlyArray<readonly [name: string, look: Look]> = [
  ["a phone, in light", phone],
  ["a desk, in dark", { ...desk, theme: "dark" }],
]

const Mailboxes = Schema.Struct({ mailboxes: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String })) })
const Messages = Schema.Struct({
  messages: Schema.NonEmptyArray(Schema.Struct({ id: Schema.String, subject: Schema.String })),
})

/** A mail of the owner: in the trial an agent may answer nobody else. */
const question = (from: string): string =>
  [
    `From: Ada <${from}>`,
    "Subject: Opening hours",
    "Message-ID: <question@owner.dev>",
    "",
    "When are you open?",
  ].join("\r\n")

const further = (from: string): string =>
  [
    `From: Ada <${from}>`,
    "Subject: Re: Opening hours",
    "Message-ID: <further@owner.dev>",
    "In-Reply-To: <question@owner.dev>",
    "",
    "Also on Sunday?",
  ].join("\r\n")

/** Goes to a page by the navigation, which is in a drawer on a phone. */
const goTo = async (page: Page, name: string): Promise<void> => {
  const opener = page.getByRole("button", { name: "Open the navigation" })
  if (await opener.isVisible()) await opener.click()
  const link = { name: new RegExp(`^${name}(?: \\d+ waiting)?$`) }
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", link).click()
  await headingOf(page, name)
}

layer(serverAndBrowser, { excludeTestServices: true })("the story of an owner", (it) => {
  for (const [name, look] of looks)
    it.scoped(
      `on ${name}: sign up, verify, receive, approve, take over, add a key, pay, unlock, and leave`,
      () =>
        Effect.gen(function* () {
          const server = yield* SharedServer
          const slug = `newcomer${look.width}`
          const email = `ada@${slug}.dev`
          const address = `agent@${slug}.mailroom.localhost`
          const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/", look)
          yield* expectAccessible

          // Signing up.
          yield* step(async () => {
            await page.getByRole("link", { name: "Create an account" }).click()
            await headingOf(page, "Create an account")
          })
          yield* expectAccessible
          yield* step(async () => {
            await page.getByLabel("Email").fill(email)
            await page.getByLabel("Password").fill(PASSWORD)
            await page.getByText(`Your first mailbox is agent@${slug}.`).waitFor()
            await page.getByRole("button", { name: "Create account" }).click()
            await headingOf(page, "First steps")
          })
          const key = yield* step(async () => {
            const shown = page.getByText(/^mr_[0-9a-f]{64}$/)
            await shown.waitFor()
            return (await shown.textContent()) ?? ""
          })
          yield* expectAccessible
          const ask = (endpoint: string, options: CallOptions = {}) =>
            call(server, endpoint, { key, ...options })

          // The first steps: a key, the link of the verification mail, a first mail.
          const whoami = yield* inTerminal(yield* step(() => copiedLine(page, "Use a key")))
          expect(whoami).toMatchObject({ account: { slug }, principal: { kind: "key" } })
          yield* step(() => isDone(page, "Use a key"))
          const link = yield* linkInMail(server, email, "/v1/auth/verify-email")
          yield* step(async () => {
            await page.getByRole("link", { name: "Open the link from the mail" }).waitFor()
            await page.goto(link)
            await headingOf(page, "Verify your email address")
          })
          yield* expectAccessible
          yield* step(async () => {
            await page.getByRole("button", { name: "Verify" }).click()
            await page.waitForURL(/\/(?:onboarding|dashboard\?verified=true)$/)
            await page.goto("/onboarding")
            await isDone(page, "Verify your address")
          })
          yield* deliver(server.smtpPort, address, question(email))
          yield* step(() => isDone(page, "Receive a first mail"))
          yield* expectAccessible
          yield* step(() => page.getByText("“Opening hours”").waitFor())

          // A mail arrives while the owner looks.
          yield* step(async () => {
            await goTo(page, "Home")
            await page.getByText(address).waitFor()
          })
          yield* expectAccessible
          const received = page.locator("dl div", { hasText: /^Received\d/ }).locator("dd")
          expect(yield* step(() => received.textContent())).toBe("1")
          yield* deliver(server.smtpPort, address, plainMail("Hello"))
          yield* step(() => received.filter({ hasText: "2" }).waitFor())

          // The agent answers, and the owner approves it.
          const [{ id: mailboxId }] = read(Mailboxes, yield* ask("GET /v1/mailboxes")).mailboxes
          const mailbox = `/v1/mailboxes/${mailboxId}`
          yield* ask(`PATCH ${mailbox}`, { body: { outboundPolicy: "review" } })
          const { messages } = read(Messages, yield* ask(`GET ${mailbox}/messages`))
          const asked = messages.find(({ subject }) => subject === "Opening hours")
          const reply = (bodyText: string) =>
            ask(`POST ${mailbox}/messages/${asked?.id}/reply`, { body: { bodyText } })
          expect(yield* reply("From nine to five.")).toMatchObject({ status: 202 })
          yield* step(async () => {
            await goTo(page, "Reviews")
            await page
              .getByRole("article", { name: "Re: Opening hours" })
              .getByText("From nine to five.")
              .waitFor()
          })
          yield* expectAccessible
          const isAnswer = ({ subject }: { readonly subject: string }) => subject === "Re: Opening hours"
          expect((yield* leftTo(server, email)).filter(isAnswer)).toEqual([])
          yield* step(async () => {
            await page.getByRole("button", { name: "Approve and send" }).click()
            await page.getByText("Approved and sent.").waitFor()
            await headingOf(page, "Reviews")
          })
          expect((yield* firstLeftTo(server, email)).filter(isAnswer)).toMatchObject([
            { text: expect.stringContaining("From nine to five.") },
          ])

          // The owner takes the thread over, and gives it back.
          yield* step(async () => {
            await goTo(page, "Mail")
            const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
            await rows.filter({ hasText: "Opening hours" }).click()
            await page.getByText("From nine to five.").first().waitFor()
            await page.getByRole("button", { name: "Take over" }).click()
            await page.getByText("You answer this thread", { exact: true }).waitFor()
          })
          expect(yield* reply("Always.")).toMatchObject({ status: 409, json: { code: "THREAD_TAKEN_OVER" } })
          yield* deliver(server.smtpPort, address, further(email))
          yield* step(() => page.getByText("Also on Sunday?").waitFor())
          yield* expectAccessible
          yield* step(async () => {
            await page.getByRole("button", { name: "Release to the agent" }).click()
            await page.getByText("Your agent answers this thread").waitFor()
          })
          expect(yield* reply("Always.")).toMatchObject({ status: 202 })

          // A key for one mailbox, which is shown once.
          yield* step(async () => {
            await goTo(page, "Keys")
            await page.getByText("Default key").waitFor()
          })
          yield* expectAccessible
          yield* step(async () => {
            await page.keyboard.press("c")
            await page.getByLabel("Name").fill("Reader")
            await page.getByLabel(/^A reader/).check()
            await page.getByLabel(/^Only these/).check()
            await page.getByLabel(address).check()
          })
          yield* expectAccessible
          const made = yield* step(async () => {
            await page.getByRole("button", { name: "Create key" }).click()
            await page.getByText("Copy it now").waitFor()
            return (await page.getByLabel("key", { exact: true }).textContent()) ?? ""
          })
          yield* expectAccessible
          expect((yield* call(server, "GET /v1/whoami", { key: made })).json).toMatchObject({
            principal: { scoped: true, mailboxIds: [mailboxId], permissions: ["read"] },
          })
          yield* step(() => page.getByRole("button", { name: "Done, I have stored it" }).click())

          // Mail above the limit of the trial waits, and the checkout unlocks it.
          for (let mail = 4; mail <= VISIBLE + 1; mail++)
            yield* deliver(server.smtpPort, address, plainMail(`Mail ${mail}`))
          yield* step(async () => {
            await goTo(page, "Mail")
            await page.getByText("1 message waits to be unlocked").waitFor()
          })
          yield* expectAccessible
          yield* step(async () => {
            await page.getByRole("link", { name: "Unlock" }).click()
            await page.getByText("1 mail waits").waitFor()
          })
          yield* expectAccessible
          yield* step(async () => {
            await page.getByRole("button", { name: "Choose Developer" }).click()
            await page.getByRole("button", { name: "Pay" }).click()
            await page.waitForURL("**/dashboard?upgraded=true")
            await page.getByText("Thank you", { exact: true }).waitFor()
            await goTo(page, "Mail")
            const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
            await rows.filter({ hasText: `Mail ${VISIBLE + 1}` }).waitFor()
          })
          expect((yield* ask(`GET ${mailbox}/messages`)).json).toMatchObject({
            metadata: { overLimitCount: 0 },
          })

          // The end of the account.
          yield* step(async () => {
            await goTo(page, "Settings")
            await page.getByRole("button", { name: "Delete the account…" }).click()
            await page.getByText(`take ${slug}.`).waitFor()
          })
          yield* expectAccessible
          const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete the account" })
          expect(yield* step(() => confirm.isDisabled())).toBe(true)
          yield* step(async () => {
            await page.getByLabel("Type DELETE to go on").fill("DELETE")
            await confirm.click()
            await page.getByText("The account is deleted").waitFor()
          })
          expect((yield* ask("GET /v1/account")).status).toBe(401)
          yield* expectQuiet
        }),
    )
})
