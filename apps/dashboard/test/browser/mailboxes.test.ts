/** The pages of mailboxes in a browser on a running server. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { SharedServer } from "../../../server/test/support/server.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

layer(serverAndBrowser, { excludeTestServices: true })("mailboxes", (it) => {
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
