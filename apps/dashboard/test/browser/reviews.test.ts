/** The review queue in a browser on a running server: an agent's mail is held, and a person decides. */
import { expect, layer } from "@effect/vitest"
import { deliver, eventually, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { arrivedAs } from "../../../server/test/support/messages.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { agentSends, firstLeftTo, leftTo, reviewEverything, visitAs } from "../support/owner.js"
import { payingAccount } from "../support/paying.js"
import { desk, phone, serverAndBrowser } from "../support/visit.js"

const REVIEWS = "/dashboard/reviews"

layer(serverAndBrowser, { excludeTestServices: true })("the review queue", (it) => {
  it.scoped(
    "by keyboard: an answer appears live, is read, edited and approved, leaves, and is in its thread",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "reviewer")
        yield* reviewEverything(owner)
        yield* deliver(server.smtpPort, owner.address, plainMail("Offer"))
        const asked = yield* arrivedAs(owner, "Offer")
        const { page, step, expectAccessible, expectQuiet } = yield* visitAs(server, owner, REVIEWS, desk)
        yield* step(() => page.getByRole("heading", { name: "Nothing waits for you" }).waitFor())
        yield* expectAccessible

        const body = { bodyText: "We pay 100.", cc: ["carol@corp.dev"] }
        yield* owner.call(`POST /v1/mailboxes/${owner.mailboxId}/messages/${asked.id}/reply`, { body })
        const card = page.getByRole("article", { name: "Re: Offer" })
        yield* step(async () => {
          await card.waitFor()
          await page.getByRole("link", { name: "Reviews 1 waiting" }).waitFor()
          await card.getByText("2 recipients are new to it.").waitFor()
          await card.getByText("Sender unproven").click()
          await card.getByText("This is Offer.").waitFor()
        })
        expect(yield* step(() => card.getByRole("listitem").allInnerTexts())).toEqual([
          expect.stringMatching(/bob@corp\.org\s+New/),
          expect.stringMatching(/carol@corp\.dev\s+New/),
        ])
        yield* expectAccessible
        expect(yield* leftTo(server, "bob@corp.org")).toEqual([])

        yield* step(async () => {
          await page.keyboard.press("e")
          await expect.poll(() => page.evaluate("document.activeElement?.tagName")).toBe("TEXTAREA")
          await page.keyboard.press("Control+A")
          await page.keyboard.type("We pay 120.")
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.keyboard.press("Control+Enter")
          await page.getByText("Approved and sent.").waitFor()
          await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor()
        })
        expect(yield* firstLeftTo(server, "bob@corp.org")).toMatchObject([
          { subject: "Re: Offer", text: expect.stringContaining("We pay 120.") },
        ])
        yield* step(async () => {
          await page.goto(`/dashboard/mail/threads/${asked.threadId}`)
          await page.getByText("We pay 120.").first().waitFor()
        })
        yield* expectQuiet
      }),
  )

  it.scoped("by keyboard: a mail is rejected with a reason, which the agent reads", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "rejecter")
      yield* reviewEverything(owner)
      const mail = { to: ["dan@corp.dev"], subject: "Final notice", bodyText: "Pay now!" }
      const { id } = yield* agentSends(owner, mail)
      const { page, step, expectAccessible } = yield* visitAs(server, owner, REVIEWS, desk)
      yield* step(async () => {
        await page.getByRole("article", { name: "Final notice" }).waitFor()
        await page.keyboard.press("?")
        for (const does of ["Approve and send", "Edit", "Reject", "Next mail"])
          await page.getByRole("dialog").getByText(does, { exact: true }).waitFor()
        await page.keyboard.press("Escape")
        await page.keyboard.press("r")
        await page.getByLabel("Why?").waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Why?").fill("Too harsh")
        await page.keyboard.press("Control+Enter")
        await page.getByText("1 mail rejected. Nothing was sent.").waitFor()
      })
      const read = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/drafts/${id}`)
      expect(read.json).toMatchObject({ draft: { status: "REJECTED", error: { message: "Too harsh" } } })
      expect(yield* leftTo(server, "dan@corp.dev")).toEqual([])
      yield* step(async () => {
        await page.goto("/dashboard/drafts?show=rejected")
        await page.getByText("Rejected: Too harsh").waitFor()
      })
      yield* expectAccessible
    }),
  )

  it.scoped("two tabs that decide at once: one sends, the other says what happened", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "twotabs")
      yield* reviewEverything(owner)
      yield* agentSends(owner, { to: ["eve@corp.dev"], subject: "Once", bodyText: "Once only." })
      const { page, step } = yield* visitAs(server, owner, REVIEWS, desk)
      const other = yield* step(() => page.context().newPage())
      yield* step(async () => {
        await other.goto(REVIEWS)
        const shown = [page, other].map((tab) => tab.getByRole("article", { name: "Once" }))
        await Promise.all(shown.map((card) => card.waitFor()))
        await Promise.all([page, other].map((tab) => tab.keyboard.press("a")))
        const sent = (tab: typeof page) => tab.getByText("Approved and sent.").isVisible()
        await expect.poll(async () => [await sent(page), await sent(other)].filter(Boolean).length).toBe(1)
        const late = (await sent(page)) ? other : page
        const told = late.getByRole("article", { name: /^(?:Approved elsewhere|No longer here): Once$/ })
        await told.waitFor()
        await told.getByRole("button", { name: "Dismiss" }).click()
        await late.getByRole("heading", { name: "Nothing waits for you" }).waitFor()
      })
      expect(yield* firstLeftTo(server, "eve@corp.dev")).toHaveLength(1)
    }),
  )

  it.scoped("leaving the page asks before the changes of a reviewer are lost", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "editor")
      yield* reviewEverything(owner)
      yield* agentSends(owner, { to: ["eva@corp.dev"], subject: "Price", bodyText: "It costs 10." })
      const { page, step, expectAccessible, expectQuiet } = yield* visitAs(server, owner, REVIEWS, desk)
      const drafts = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drafts" })
      const text = page.getByRole("article", { name: "Price" }).getByLabel("Text")
      yield* step(async () => {
        await page.getByRole("button", { name: "Edit" }).click()
        await text.fill("It costs 12.")
        await drafts.click()
        await page.getByRole("heading", { name: "Leave this page?" }).waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByRole("button", { name: "Stay here" }).click()
        expect(await text.inputValue()).toBe("It costs 12.")
        await text.fill("It costs 10.")
        await drafts.click()
        await page.getByRole("heading", { name: "Drafts", level: 1 }).waitFor()
      })
      yield* expectQuiet
    }),
  )

  it.scoped("two mails are changed side by side: each keeps its changes until it is approved", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "side-by-side")
      yield* reviewEverything(owner)
      for (const subject of ["First", "Second"])
        yield* agentSends(owner, { to: ["ida@corp.dev"], subject, bodyText: "Hello" })
      const { page, step, expectAccessible, expectQuiet } = yield* visitAs(server, owner, REVIEWS, desk)
      const card = (name: string) => page.getByRole("article", { name, exact: true })
      const change = async (name: string) => {
        await card(name).getByRole("button", { name: "Edit" }).click()
        await card(name).getByLabel("Text").fill(`${name} changed`)
      }
      yield* step(async () => {
        await change("First")
        await change("Second")
        expect(await card("First").getByLabel("Text").inputValue()).toBe("First changed")
        await card("Second").getByLabel("Text").press("Escape")
        await page.getByRole("heading", { name: "Reviews" }).click()
        // The key approves the mail as it came, which the reviewer does not see any more.
        await page.keyboard.press("a")
        await page.getByText("Approve your changes to this mail, or cancel them first.").waitFor()
        await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drafts" }).click()
        await page.getByText("Your changes to 2 mails are not kept.").waitFor()
        await page.getByRole("button", { name: "Stay here" }).click()
      })
      yield* expectAccessible
      yield* step(async () => {
        for (const name of ["Second", "First"]) {
          await card(name).getByRole("button", { name: "Approve this version and send" }).click()
          await card(name).waitFor({ state: "detached" })
        }
      })
      const left = yield* eventually(
        "both mails left",
        leftTo(server, "ida@corp.dev"),
        (mails) => mails.length === 2,
      )
      expect(new Set(left.map(({ text }) => text?.trim()))).toEqual(
        new Set(["First changed", "Second changed"]),
      )
      yield* expectQuiet
    }),
  )

  it.scoped(
    "what an agent changes while it is edited leaves the changes of the reviewer where they are",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "overtaken")
        yield* reviewEverything(owner)
        const mail = { to: ["jon@corp.dev"], subject: "Price", bodyText: "It costs 10." }
        const { id } = yield* agentSends(owner, mail)
        const { page, step } = yield* visitAs(server, owner, REVIEWS, desk)
        const card = page.getByRole("article", { name: "Price", exact: true })
        yield* step(async () => {
          await card.getByRole("button", { name: "Edit" }).click()
          await card.getByLabel("Text").fill("It costs 12.")
        })
        const draft = `/v1/mailboxes/${owner.mailboxId}/drafts/${id}`
        yield* owner.call(`PATCH ${draft}`, { body: { bodyText: "It costs 1000." } })
        yield* step(() => page.getByRole("heading", { name: "Taken back" }).waitFor())
        yield* owner.call(`POST ${draft}/send`)
        yield* step(async () => {
          await card.getByText("The agent changed this mail while you edit it.").waitFor()
          await card.getByRole("button", { name: "Approve this version and send" }).click()
          await page.getByText("Not approved: this mail was changed or decided meanwhile.").waitFor()
          expect(await card.getByLabel("Text").inputValue()).toBe("It costs 12.")
          await card.getByRole("button", { name: "Cancel" }).click()
          await card.getByText("It costs 1000.").waitFor()
        })
        expect(yield* leftTo(server, "jon@corp.dev")).toEqual([])
      }),
  )

  it.scoped("what an agent changes while it is shown must be read again", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "changer")
      yield* reviewEverything(owner)
      const mail = { to: ["fay@corp.dev"], subject: "Price", bodyText: "It costs 10." }
      const { id } = yield* agentSends(owner, mail)
      const { page, step } = yield* visitAs(server, owner, REVIEWS, desk)
      const card = page.getByRole("article", { name: "Price" })
      yield* step(() => card.getByText("It costs 10.").waitFor())
      const draft = `/v1/mailboxes/${owner.mailboxId}/drafts/${id}`
      yield* owner.call(`PATCH ${draft}`, { body: { bodyText: "It costs 1000." } })
      yield* step(async () => {
        await page.keyboard.press("a")
        await page.getByRole("heading", { name: "Taken back" }).waitFor()
      })
      expect(yield* leftTo(server, "fay@corp.dev")).toEqual([])

      yield* owner.call(`POST ${draft}/send`)
      yield* step(async () => {
        await card.getByText("Changed since you read it").waitFor()
        await card.getByText("It costs 1000.").waitFor()
        await card.getByRole("button", { name: "Approve and send" }).click()
        await page.getByText("Approved and sent.").waitFor()
      })
      expect(yield* firstLeftTo(server, "fay@corp.dev")).toMatchObject([
        { text: expect.stringContaining("It costs 1000.") },
      ])
    }),
  )

  it.scoped(
    "what an agent changes or deletes is taken out of the queue by itself, and comes back when it is sent again",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "withdrawer")
        yield* reviewEverything(owner)
        const mail = { to: ["gus@corp.dev"], bodyText: "Hello." }
        const edited = yield* agentSends(owner, { ...mail, subject: "Edited" })
        const deleted = yield* agentSends(owner, { ...mail, subject: "Deleted" })
        const { page, step, expectAccessible } = yield* visitAs(server, owner, REVIEWS, desk)
        const card = (name: string) => page.getByRole("article", { name, exact: true })
        yield* step(() => Promise.all(["Edited", "Deleted"].map((name) => card(name).waitFor())))
        const drafts = `/v1/mailboxes/${owner.mailboxId}/drafts`
        yield* owner.call(`PATCH ${drafts}/${edited.id}`, { body: { bodyText: "Good bye." } })
        yield* owner.call(`DELETE ${drafts}/${deleted.id}`)
        yield* step(async () => {
          await card("Taken back: Edited").waitFor()
          await card("No longer here: Deleted").waitFor()
        })
        yield* expectAccessible
        yield* owner.call(`POST ${drafts}/${edited.id}/send`)
        yield* step(async () => {
          await card("Edited").getByText("Good bye.").waitFor()
          await card("Edited").getByText("Changed since you read it").waitFor()
          await card("No longer here: Deleted").getByRole("button", { name: "Dismiss" }).click()
          await card("No longer here: Deleted").waitFor({ state: "detached" })
        })
      }),
  )

  it.scoped("keys act on the marked card, which keeps its place when another mail comes", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "steady")
      yield* reviewEverything(owner)
      const send = (subject: string, bodyText = "Hello") =>
        agentSends(owner, { to: [`${subject.toLowerCase()}@corp.dev`], subject, bodyText })
      yield* send("First")
      yield* send("Second")
      const { page, step, expectQuiet } = yield* visitAs(server, owner, REVIEWS, desk)
      const card = (name: string) => page.getByRole("article", { name, exact: true })
      const marked = (name: string) =>
        expect.poll(() => card(name).getAttribute("class")).toContain("current")
      const topOf = async (name: string) => Math.round((await card(name).boundingBox())?.y ?? Number.NaN)
      // The newest is first.
      yield* step(async () => {
        await marked("Second")
        await page.keyboard.press("j")
        await marked("First")
        await page.keyboard.press("k")
        await marked("Second")
      })
      const before = yield* step(() => topOf("Second"))
      yield* send("Third", Array.from({ length: 30 }, (_, at) => `Line ${at}`).join("\n"))
      yield* step(async () => {
        await card("Third").waitFor()
        await marked("Second")
        expect(await topOf("Second")).toBe(before)
        await page.keyboard.press("a")
        await page.getByText("Approved and sent.").waitFor()
        await marked("First")
      })
      expect(yield* firstLeftTo(server, "second@corp.dev")).toHaveLength(1)
      expect(yield* leftTo(server, "third@corp.dev")).toEqual([])
      yield* step(async () => {
        await page.getByRole("heading", { name: "Reviews" }).scrollIntoViewIfNeeded()
        await page.evaluate("window.scrollTo(0, 0)")
        await marked("Third")
      })
      yield* expectQuiet
    }),
  )

  it.scoped(
    "what leaves its box is in the frame, and a mail that scrolls inside counts once its end was reached",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "overflow")
        yield* reviewEverything(owner)
        const send = (subject: string, bodyHtml: string) =>
          agentSends(owner, { to: ["kim@corp.dev"], subject, bodyHtml })
        yield* send(
          "Far down",
          '<p>Hello</p><p style="position: absolute; top: 3000px">Pay 9,000 to Mallory.</p>',
        )
        yield* send(
          "No height",
          '<div style="height: 0">Hello<p style="margin-top: 2000px">Pay Mallory.</p></div>',
        )
        yield* send("Endless", '<p>Hello</p><div style="height: 70000px"></div><p>Pay Mallory.</p>')
        const { page, step } = yield* visitAs(server, owner, REVIEWS, desk)
        const card = (name: string) => page.getByRole("article", { name, exact: true })
        const heightOf = async (name: string) =>
          (await card(name).locator("iframe").boundingBox())?.height ?? 0
        const toEnd = (name: string) =>
          card(name)
            .getByRole("group", { name: "Formatted mail" })
            .evaluate((sheet: { scrollTop: number }) => {
              sheet.scrollTop = 1_000_000
            })
        yield* step(async () => {
          await expect.poll(() => heightOf("Far down")).toBeGreaterThan(3_000)
          await expect.poll(() => heightOf("No height")).toBeGreaterThan(2_000)
          await expect.poll(() => heightOf("Endless")).toBe(60_000)
          const boxes = ["Endless", "No height"].map((name) => card(name).getByRole("checkbox"))
          const [endless, flat] = boxes
          await card("No height").scrollIntoViewIfNeeded()
          await toEnd("No height")
          await expect.poll(() => flat?.isEnabled()).toBe(true)
          await card("Endless").scrollIntoViewIfNeeded()
          await toEnd("Endless")
          expect(await endless?.isEnabled()).toBe(false)
          await card("Endless")
            .frameLocator("iframe")
            .locator("html")
            .evaluate((root: { scrollTop: number }) => {
              root.scrollTop = 1_000_000
            })
          await toEnd("Endless")
          await expect.poll(() => endless?.isEnabled()).toBe(true)
        })
      }),
  )

  it.scoped("an answered mail that cannot be read now is asked for again, not called missing", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "unread")
      yield* reviewEverything(owner)
      yield* deliver(server.smtpPort, owner.address, plainMail("Offer"))
      const asked = yield* arrivedAs(owner, "Offer")
      const body = { bodyText: "We pay 100." }
      yield* owner.call(`POST /v1/mailboxes/${owner.mailboxId}/messages/${asked.id}/reply`, { body })
      const { page, step } = yield* visitAs(server, owner, "/dashboard", desk)
      const card = page.getByRole("article", { name: "Re: Offer" })
      yield* step(async () => {
        await page.route(`**/messages/${asked.id}?*`, (route) => route.abort())
        await page.goto(REVIEWS)
        await card.getByText("Mailroom cannot be reached").waitFor()
        await page.unrouteAll()
        await card.getByRole("button", { name: "Try again" }).click()
        await card.getByText("Sender unproven").waitFor()
      })
    }),
  )

  it.scoped("on a phone: several are approved together only after each was shown whole", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "several")
      yield* reviewEverything(owner)
      const long = Array.from({ length: 80 }, (_, at) => `Line ${at + 1}`).join("\n")
      yield* agentSends(owner, { to: ["gil@corp.dev"], subject: "Long", bodyText: long })
      const both = { bodyText: "Hello", bodyHtml: "<p>Hello <b>Hal</b></p>" }
      yield* agentSends(owner, { to: ["hal@corp.dev"], subject: "Formatted", ...both })
      const { page, step, expectAccessible, expectQuiet } = yield* visitAs(server, owner, REVIEWS, phone)
      const [formatted, plain] = ["Formatted", "Long"].map((name) =>
        page.getByRole("article", { name, exact: true }),
      )
      if (formatted === undefined || plain === undefined) return yield* Effect.dieMessage("two cards")
      yield* step(async () => {
        const box = formatted.getByRole("checkbox")
        await formatted.scrollIntoViewIfNeeded()
        await formatted.frameLocator("iframe").getByText("Hal").waitFor()
        await expect.poll(() => box.isDisabled()).toBe(true)
        await formatted.getByRole("tab", { name: "Plain text" }).click()
        await formatted.getByRole("button", { name: "Reject" }).scrollIntoViewIfNeeded()
        await expect.poll(() => box.isEnabled()).toBe(true)
        await box.check()
      })
      yield* expectAccessible
      yield* step(async () => {
        const box = plain.getByRole("checkbox")
        await box.scrollIntoViewIfNeeded()
        expect(await box.isDisabled()).toBe(true)
        await plain.getByRole("group", { name: "Text of the mail" }).press("End")
        await plain.getByText("Line 80").scrollIntoViewIfNeeded()
        await expect.poll(() => box.isEnabled()).toBe(true)
        await box.check()
        await page.getByRole("button", { name: "Approve and send 2" }).click()
        await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor()
      })
      expect(yield* firstLeftTo(server, "gil@corp.dev")).toHaveLength(1)
      expect(yield* firstLeftTo(server, "hal@corp.dev")).toHaveLength(1)
      yield* expectQuiet
    }),
  )
})
