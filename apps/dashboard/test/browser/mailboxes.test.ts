/** The pages of mailboxes in a browser on a running server. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { SharedServer } from "../../../server/test/support/server.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("mailboxes", (it) => {
  it.scoped("two choices in a row are both saved, and a refused one is not shown any more", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "choices")
      const { page, step } = yield* visit(server.url, "/signin", desk)
      const mailbox = `/v1/mailboxes/${account.mailboxId}`
      let letGo: () => void = () => undefined
      const areMade = new Promise<void>((resolve) => {
        letGo = resolve
      })
      const whoMayWrite = page.getByLabel("Who may write to it")
      yield* step(async () => {
        await signIn(page, account, `/dashboard/mailboxes/${account.mailboxId}`)
        await page.getByLabel("Suspicious mail").waitFor()
        await page.route(`**${mailbox}`, async (route) => {
          if (route.request().method() === "PATCH") await areMade
          return route.fallback()
        })
        await page.getByLabel("Suspicious mail").click()
        await page.getByLabel("Mail whose sender is not proven").click()
        letGo()
        await expect.poll(() => page.getByText("Saved.").count()).toBe(2)
      })
      const read = yield* account.call(`GET ${mailbox}`)
      expect(read.json).toMatchObject({ mailbox: { quarantine: ["suspicious", "unverified"] } })
      yield* step(async () => {
        await page.route(`**${mailbox}`, (route) =>
          route.request().method() === "PATCH"
            ? route.fulfill({ status: 403, json: { error: "Not now", code: "FORBIDDEN" } })
            : route.fallback(),
        )
        const before = await whoMayWrite.inputValue()
        await whoMayWrite.selectOption({ index: 1 })
        await page.getByLabel("Suspicious mail").click()
        await expect.poll(() => page.getByLabel("Suspicious mail").isChecked()).toBe(true)
        await expect.poll(() => whoMayWrite.inputValue()).toBe(before)
      })
    }),
  )

  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(`on ${name}: create a mailbox, name it, set its policies and lists, pause it, delete it`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* payingAccount(server, `boxes${look.width}`)
        const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/signin", look)
        yield* step(async () => {
          await signIn(page, account, "/dashboard/mailboxes")
          await page.getByRole("link", { name: account.address }).waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "New mailbox" }).click()
          await page.getByLabel("Address", { exact: true }).fill("support")
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.getByLabel("Name").fill("Support")
          await page.getByRole("button", { name: "Create mailbox" }).click()
          await page.getByRole("heading", { name: /^support@/, level: 1 }).waitFor()
        })
        yield* expectAccessible

        const saved = page.getByText("Saved.").first()
        yield* step(async () => {
          await page.getByLabel("When your agent wants to send").selectOption("review_new")
          await page.getByLabel("Without your decision, reject after").selectOption("24")
          await page.getByLabel("Suspicious mail").click()
          await saved.waitFor()
          await page.getByRole("switch", { name: "Pause this mailbox" }).click()
          await page.getByRole("tab", { name: "Blocked senders" }).click()
          await page.getByLabel("Address or domain").fill("@spam.example")
          await page.getByRole("button", { name: "Add", exact: true }).click()
          await page.getByRole("list", { name: "Blocked senders" }).getByText("@spam.example").waitFor()
        })
        yield* expectAccessible
        const listed = yield* account.call("GET /v1/mailboxes")
        expect(listed.json).toMatchObject({
          mailboxes: expect.arrayContaining([
            expect.objectContaining({
              displayName: "Support",
              outboundPolicy: "review_new",
              reviewTtlHours: 24,
              quarantine: ["suspicious"],
              status: "paused",
            }),
          ]),
        })

        yield* step(async () => {
          await page.getByRole("button", { name: "Delete mailbox" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("Type support to go on").fill("support")
          await dialog.getByRole("button", { name: "Delete mailbox" }).click()
          await page.getByRole("heading", { name: "Mailboxes", level: 1 }).waitFor()
          await page.getByRole("link", { name: account.address }).waitFor()
        })
        expect(yield* step(() => page.getByRole("link", { name: /^support@/ }).count())).toBe(0)
        yield* expectQuiet
      }),
    )
})
