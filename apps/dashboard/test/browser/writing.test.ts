/** Writing mails in a browser on a running server: drafts, files, schedules, refusals. */
import { expect, layer } from "@effect/vitest"
import { deliver, eventually, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { arrivedAs } from "../../../server/test/support/messages.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { firstLeftTo, leftTo, reviewEverything, visitAs } from "../support/owner.js"
import { payingAccount } from "../support/paying.js"
import { desk, phone, serverAndBrowser } from "../support/visit.js"

const COMPOSE = "/dashboard/compose"
const DRAFTS = "/dashboard/drafts"

layer(serverAndBrowser, { excludeTestServices: true })("writing", (it) => {
  it.scoped(
    "by keyboard: a mail with a file is kept while it is written, survives a reload, and leaves",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "writer")
        // The person who writes is the one who approves.
        yield* reviewEverything(owner)
        const { page, step, expectAccessible, expectQuiet } = yield* visitAs(server, owner, DRAFTS, desk)
        yield* step(() => page.getByRole("heading", { name: "No drafts" }).waitFor())
        yield* expectAccessible
        const focused = (name: string) =>
          expect.poll(() => page.evaluate("document.activeElement?.getAttribute('name')")).toBe(name)
        const file = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("The plan") }
        yield* step(async () => {
          await page.keyboard.press("c")
          await focused("to")
          await page.keyboard.type("ivy@corp.dev,Jo Doe <jo@corp.dev>")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Change ivy@corp.dev" }).waitFor()
          await page.keyboard.press("Tab")
          await page.keyboard.press("Tab")
          await focused("subject")
          await page.keyboard.type("Plan")
          await page.keyboard.press("Tab")
          await focused("bodyText")
          await page.keyboard.type("Here it is.")
          await page.getByLabel("Files to attach").setInputFiles(file)
          await page.getByRole("button", { name: "Save plan.txt" }).waitFor()
          await page.getByText("Saved just now").waitFor()
          await page.waitForURL(/draft=/)
        })
        yield* expectAccessible
        yield* step(async () => {
          await page.reload()
          await page.getByRole("button", { name: "Remove plan.txt" }).waitFor()
          expect(await page.getByLabel("Text").inputValue()).toBe("Here it is.")
          await page.getByLabel("Text").focus()
          await page.keyboard.press("Control+Enter")
          await page.getByText(/^Sent to /).waitFor()
        })
        expect(yield* firstLeftTo(server, "jo@corp.dev")).toMatchObject([
          { subject: "Plan", text: expect.stringContaining("Here it is."), attachments: [{ sizeBytes: 8 }] },
        ])
        const left = yield* owner.call("GET /v1/drafts")
        expect(left.json).toMatchObject({ drafts: [] })
        yield* expectQuiet
      }),
  )

  it.scoped("a mail waits for the time that was chosen, until its schedule ends", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "scheduler")
      const { page, step, expectAccessible, expectQuiet } = yield* visitAs(
        server,
        owner,
        `${COMPOSE}?to=kim@corp.dev`,
        desk,
      )
      const dropped = `(() => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File(["Dropped"], "dropped.txt", { type: "text/plain" }))
          return dataTransfer
        })()`
      yield* step(async () => {
        await page.getByLabel("Subject").fill("Later")
        await page.getByLabel("Text").fill("Not now.")
        const dataTransfer = await page.evaluateHandle(dropped)
        await page.getByRole("form", { name: "Mail" }).dispatchEvent("drop", { dataTransfer })
        await page.getByRole("button", { name: "Save dropped.txt" }).waitFor()
        await page.getByRole("button", { name: "Send later" }).click()
        await page.getByRole("button", { name: /^Tomorrow morning/ }).waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByRole("button", { name: "Schedule" }).click()
        await page.getByText("Choose a date and a time.").waitFor()
        await page.getByLabel("Another time").fill("2020-01-01T10:00")
        await page.getByRole("button", { name: "Schedule" }).click()
        await page.getByText("This time has passed.").waitFor()
        await page.getByRole("button", { name: /^Tomorrow morning/ }).click()
        await page.waitForURL(/drafts/)
      })
      const row = page.getByRole("listitem").filter({ hasText: "Later" })
      const state = () =>
        Effect.map(
          owner.call("GET /v1/drafts"),
          ({ json }) => JSON.stringify(json).match(/"status":"(\w+)"/)?.[1],
        )
      yield* step(() => row.getByText(/^Leaves /).waitFor())
      expect(yield* state()).toBe("SCHEDULED")
      yield* expectAccessible
      yield* step(() => row.getByRole("button", { name: "Do not send by itself" }).click())
      yield* eventually("the schedule has ended", state(), (status) => status === "DRAFT")
      yield* step(() => page.getByRole("button", { name: "Undo" }).click())
      yield* eventually("the mail is scheduled again", state(), (status) => status === "SCHEDULED")

      yield* step(async () => {
        await row.click()
        await page.getByText("Changing it ends the schedule.", { exact: false }).waitFor()
        await page.getByLabel("Text").fill("Now.")
        await page.getByText("because you changed it", { exact: false }).waitFor()
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.getByText("Sent to kim@corp.dev.").waitFor()
      })
      expect(yield* firstLeftTo(server, "kim@corp.dev")).toMatchObject([
        { attachments: [{ filename: "dropped.txt" }] },
      ])
      yield* expectQuiet
    }),
  )

  it.scoped("on a phone: what is missing, wrong or refused is said in words, and nothing is lost", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "refused")
      yield* owner.call("POST /v1/suppressions", { body: { email: "leo@corp.dev" } })
      const { page, step, expectAccessible } = yield* visitAs(server, owner, COMPOSE, phone)
      const send = page.getByRole("button", { name: "Send", exact: true })
      const to = page.getByRole("textbox", { name: "To", exact: true })
      yield* step(async () => {
        await send.click()
        for (const text of ["Add a recipient.", "Write a subject.", "Write a text."])
          await page.getByText(text).waitFor()
        await to.fill("leo@corp.dev, nobody,")
        await page.getByText("“nobody” is not a mail address. Correct or remove it.").waitFor()
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByRole("button", { name: "Open the navigation" }).click()
        await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drafts" }).click()
        await page.getByRole("heading", { name: "Leave this page?" }).waitFor()
        await page.getByRole("button", { name: "Stay here" }).click()
        await page.getByRole("button", { name: "Remove nobody" }).click()
        await page.getByLabel("Subject").fill("Hello")
        await page.getByLabel("Text").fill("Hello Leo")
        await send.click()
        await page.getByText("A recipient must not be written to (leo@corp.dev)").waitFor()
        await page.getByRole("link", { name: "Open suppressions" }).waitFor()
        expect(await page.getByLabel("Text").inputValue()).toBe("Hello Leo")
      })
      yield* expectAccessible
      expect(yield* leftTo(server, "leo@corp.dev")).toEqual([])
      yield* step(async () => {
        await page.goto(DRAFTS)
        const row = page.getByRole("listitem").filter({ hasText: "Hello" })
        await row.getByRole("button", { name: "Delete" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
        await page.getByRole("heading", { name: "No drafts" }).waitFor()
      })
    }),
  )

  it.scoped(
    "what was written within the moment before the page was left, and cannot be saved, is not lost unsaid",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const owner = yield* payingAccount(server, "leaver")
        const { page, step } = yield* visitAs(server, owner, COMPOSE, desk)
        yield* step(async () => {
          await page.route("**/drafts", (route) =>
            route.request().method() === "POST" ? route.fulfill({ status: 403, json: {} }) : route.fallback(),
          )
          await page.getByLabel("Subject").fill("Leaving")
          await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drafts" }).click()
          await page.getByText("What you wrote last could not be saved.").waitFor()
          await page.unroute("**/drafts")
          await page.getByRole("button", { name: "Try again" }).click()
          await page.getByText("Saved as a draft.").waitFor()
        })
        expect((yield* owner.call("GET /v1/drafts")).json).toMatchObject({ drafts: [{ subject: "Leaving" }] })
      }),
  )

  it.scoped("an answer goes into its thread, a forward takes the files along", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const owner = yield* payingAccount(server, "answerer")
      yield* deliver(server.smtpPort, owner.address, plainMail("Question"))
      const asked = yield* arrivedAs(owner, "Question")
      const where = `mailbox=${owner.mailboxId}`
      const { page, step, expectAccessible, expectQuiet } = yield* visitAs(
        server,
        owner,
        `${COMPOSE}?reply=${asked.id}&${where}`,
        desk,
      )
      yield* step(async () => {
        await page.getByRole("button", { name: /^Change "Bob" <bob@corp\.org>/ }).waitFor()
        await page.getByText("You answer").click()
        await page.getByText("This is Question.").waitFor()
        expect(await page.getByLabel("Subject").inputValue()).toBe("Re: Question")
      })
      yield* expectAccessible
      yield* step(async () => {
        await page.getByLabel("Text").fill("Yes.")
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.waitForURL(new RegExp(asked.threadId))
        await page.getByText("Yes.").first().waitFor()
      })
      yield* step(async () => {
        await page.goto(`${COMPOSE}?forward=${asked.id}&${where}`)
        await page.getByRole("textbox", { name: "To", exact: true }).fill("mia@corp.dev,")
        await page.getByLabel("Text").fill("Look.")
        await page.getByRole("button", { name: "Send", exact: true }).click()
        await page.getByText("Sent to mia@corp.dev.").waitFor()
      })
      const [forwarded] = yield* firstLeftTo(server, "mia@corp.dev")
      expect(forwarded?.subject).toBe("Fwd: Question")
      for (const part of ["Look.", "Forwarded message", "This is Question."])
        expect(forwarded?.text).toContain(part)
      yield* expectQuiet
    }),
  )
})
