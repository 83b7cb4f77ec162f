/** Much mail in a browser on a running server: a thread of more than 500 messages, and more than 50 threads. */
import { layer } from "@effect/vitest"
import { eventually, plainMail, smtpSession, transfer } from "@mailroom/test-services"
import { Effect } from "effect"
import { expect } from "vitest"
import type { Account } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { fillMailbox } from "../support/longMailbox.js"
import { payingAccount } from "../support/paying.js"
import { signIn } from "../support/reading.js"
import { desk, serverAndBrowser, visit } from "../support/visit.js"

const MAILS = 620
const THREADS = 60

/** Mails `mail-1` to `mail-{count}` arrive. */
const arrive = ({ address }: Account, count: number, ...header: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { smtpPort } = yield* SharedServer
      const session = yield* smtpSession(smtpPort)
      for (let number = 1; number <= count; number++) {
        const reply = yield* transfer(session, address, plainMail(`mail-${number}`, ...header))
        if (!reply.startsWith("250")) return yield* Effect.dieMessage(reply)
      }
    }),
  )

layer(serverAndBrowser, { excludeTestServices: true })("much mail", (it) => {
  it.scoped(
    "a thread of 620 messages says that the newest 500 are shown, and shows the others when it is asked to",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* payingAccount(server, "longthread")
        yield* arrive(account, MAILS, "References: <first@corp.org>")
        yield* eventually(
          "all mails are in one thread",
          account.call(`GET /v1/mailboxes/${account.mailboxId}/threads`),
          ({ json }) => JSON.stringify(json).includes(`"messageCount":${MAILS}`),
        )
        const { page, step, expectQuiet } = yield* visit(server.url, "/signin", desk)
        const articles = page.getByRole("article")
        yield* step(async () => {
          await signIn(page, account, "/dashboard/mail?folder=threads")
          await page.getByRole("list", { name: "Threads" }).getByRole("listitem").first().click()
          await page.getByText("The newest 500 messages of this thread are shown").waitFor()
          await page.getByText("120 older messages are not shown").waitFor()
        })
        expect(yield* step(() => articles.count())).toBe(500)
        yield* step(async () => {
          await page.getByRole("button", { name: "Show 100 older" }).click()
          await page.getByText("The newest 600 messages of this thread are shown").waitFor()
        })
        expect(yield* step(() => articles.count())).toBe(600)
        yield* step(async () => {
          await page.getByRole("button", { name: "Show 20 older" }).click()
          await articles.nth(MAILS - 1).waitFor()
          await page.getByText("messages of this thread are shown").waitFor({ state: "detached" })
        })
        expect(yield* step(() => articles.count())).toBe(MAILS)
        // Mails of one session that arrive together can be delivered in another order.
        const shown = (yield* step(() => articles.allTextContents())).map((text) =>
          Number(/This is mail-(\d+)\./.exec(text)?.[1]),
        )
        expect(shown.toSorted((one, other) => one - other)).toEqual(
          Array.from({ length: MAILS }, (_, at) => at + 1),
        )
        yield* expectQuiet
      }),
  )

  it.scoped(
    "a page that cannot be loaded is asked for again by the reader alone, who keeps the pages before",
    () =>
      Effect.gen(function* () {
        const server = yield* SharedServer
        const account = yield* payingAccount(server, "failingpage")
        // The page that fails is the last one: otherwise the page after it is loaded as well when its place is in sight.
        yield* fillMailbox(server, account, 75)
        const { page, step } = yield* visit(server.url, "/signin", desk)
        const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
        const next = /\/v1\/messages\?.*cursor=/
        let asked = 0
        yield* step(async () => {
          await signIn(page, account)
          await rows.first().waitFor()
          await page.locator("[aria-setsize='50']").first().waitFor()
          await page.route(next, (route) => {
            asked++
            return route.fulfill({ status: 500, json: { error: "No", code: "INTERNAL_ERROR" } })
          })
          await rows.first().press("End")
          await page.getByRole("button", { name: "Try again" }).waitFor()
          const before = asked
          await page.waitForTimeout(2_000)
          expect(asked).toBe(before)
          await page.unroute(next)
          await page.getByRole("button", { name: "Try again" }).click()
          await page.locator("[aria-setsize='75']").first().waitFor()
        })
      }),
  )

  it.scoped("the threads of a mailbox go on below the newest 50", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "manythreads")
      yield* arrive(account, THREADS)
      yield* eventually(
        "all mails have arrived",
        account.call("GET /v1/threads?limit=100"),
        ({ json }) => JSON.stringify(json).split('"messageCount"').length === THREADS + 1,
      )
      const { page, step, expectQuiet } = yield* visit(server.url, "/signin", desk)
      const rows = page.getByRole("list", { name: "Threads" }).getByRole("listitem")
      yield* step(async () => {
        await signIn(page, account, `/dashboard/mail?folder=threads&mailbox=${account.mailboxId}`)
        await rows.first().press("End")
        // The first End ends at the rows that are there; the rest follows them.
        await page.locator(`[aria-setsize="${THREADS}"]`).first().waitFor()
        await rows.last().press("End")
        await rows.filter({ hasText: /mail-1\b/ }).waitFor()
      })
      yield* expectQuiet
    }),
  )
})
