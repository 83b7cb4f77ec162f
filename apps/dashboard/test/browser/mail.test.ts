/** Reading mail in a browser on a running server: the list, a thread, quarantine, the search. */
import { layer } from "@effect/vitest"
import { deliver } from "@mailroom/test-services"
import { Effect } from "effect"
import { expect } from "vitest"
import { SharedServer } from "../../../server/test/support/server.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, phone, serverAndBrowser, visit } from "../support/visit.js"

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"

const contract = [
  "From: Bob Martin <bob@corp.org>",
  "Subject: Contract for March",
  "Message-ID: <contract@corp.org>",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=mix",
  "",
  "--mix",
  "Content-Type: multipart/related; boundary=rel",
  "",
  "--rel",
  "Content-Type: text/html; charset=utf-8",
  "",
  '<p dir="ltr">The code is <b>482913</b>. <a href="https://corp.org/confirm">Confirm it</a>.</p>' +
    '<img src="cid:pixel@corp.org" alt="inline"><img src="https://corp.org/open.gif" alt="remote">',
  "--rel",
  "Content-Type: image/png",
  "Content-ID: <pixel@corp.org>",
  "Content-Disposition: inline; filename=pixel.png",
  "Content-Transfer-Encoding: base64",
  "",
  PIXEL,
  "--rel--",
  "--mix",
  'Content-Type: text/plain; name="terms.txt"',
  'Content-Disposition: attachment; filename="terms.txt"',
  "",
  "Payment within thirty days.",
  "--mix--",
  "",
].join("\r\n")

const answer = [
  "From: Bob Martin <bob@corp.org>",
  "Subject: Re: Contract for March",
  "Message-ID: <again@corp.org>",
  "In-Reply-To: <contract@corp.org>",
  "",
  "One more thing: the price is lower.",
].join("\r\n")

layer(serverAndBrowser, { excludeTestServices: true })("reading mail", (it) => {
  for (const [name, look] of [
    ["a phone", phone],
    ["a desk", desk],
  ] as const)
    it.scoped(`on ${name}: a mail arrives, is read, quarantined, found, and deleted`, () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* payingAccount(server, `reader${look.width}`)
        const { page, step, expectAccessible, expectQuiet } = yield* visit(server.url, "/signin", look)
        const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
        yield* step(async () => {
          await signIn(page, account)
          await page.getByRole("heading", { name: "No mail yet" }).waitFor()
        })
        yield* expectAccessible

        yield* deliver(server.smtpPort, account.address, contract)
        yield* step(() => rows.filter({ hasText: "Contract for March" }).waitFor())
        yield* expectAccessible

        /** The second message of the thread. */
        const newest = page.getByRole("article").nth(1)
        const frame = page.locator("iframe").contentFrame()
        yield* step(async () => {
          await rows.first().click()
          await page.getByRole("heading", { name: "Contract for March", level: 1 }).waitFor()
          await frame.getByText("482913").waitFor()
          await frame.locator('img[src^="blob:"]').waitFor()
          await page.getByText("1 image from elsewhere is not loaded").waitFor()
          await page.getByRole("button", { name: "Copy the code 482913" }).click()
        })
        expect(yield* step(() => page.evaluate<string>("navigator.clipboard.readText()"))).toBe("482913")
        expect(yield* step(() => frame.getByRole("link").getAttribute("rel"))).toBe("noopener noreferrer")
        yield* expectAccessible
        yield* step(async () => {
          await page.getByRole("button", { name: "Read the text of terms.txt" }).click()
          await page.getByText("Payment within thirty days.").waitFor()
        })
        yield* expectAccessible
        yield* step(() => page.getByRole("dialog").getByRole("button", { name: "Close" }).click())

        yield* deliver(server.smtpPort, account.address, answer)
        yield* step(() => page.getByText("One more thing: the price is lower.").waitFor())
        yield* expectAccessible
        yield* step(async () => {
          const label = newest.getByLabel("Add a label")
          await label.fill("todo")
          await label.press("Enter")
          await page.getByRole("link", { name: "todo" }).waitFor()
          await newest.getByRole("button", { name: "More for this message" }).click()
          await page.getByRole("menuitem", { name: "Move to quarantine" }).click()
          await page.getByText("This message is in quarantine").waitFor()
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.goto("/dashboard/mail?folder=quarantine")
          await rows.filter({ hasText: "Re: Contract" }).first().click()
          await page.getByRole("button", { name: "Release", exact: true }).click()
          await page.getByText("The message is released").waitFor()
        })

        yield* step(async () => {
          await page.goto("/dashboard/mail")
          await page.getByRole("button", { name: "How to search" }).click()
          await page.getByRole("button", { name: "has:attachment" }).click()
          await page.getByLabel("Search mail").press("Enter")
          await page.waitForURL(/[?&]q=has/)
          await expect.poll(() => rows.count()).toBe(1)
        })
        yield* expectAccessible
        yield* step(async () => {
          await rows.first().press("Enter")
          await newest.getByRole("button", { name: "More for this message" }).click()
          await page.getByRole("menuitem", { name: "Delete" }).click()
          await page.getByRole("button", { name: "Delete message" }).click()
          await page.getByText("The message is deleted.").waitFor()
        })
        const left = yield* account.call("GET /v1/messages")
        expect(left.json).toMatchObject({ messages: [{ subject: "Contract for March" }] })
        yield* expectQuiet
      }),
    )
})
