/**
 * How soon pages can be used, and how a long list scrolls. `npm run dashboard:measure` measures both on a slow phone, and writes the
 * tables of docs/dashboard.md.
 */
import { expect, layer } from "@effect/vitest"
import { type BrowserContext, openContext, SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, type Scope } from "effect"
import { readFile, writeFile } from "node:fs/promises"
import type { Account } from "../../../server/test/support/account.js"
import { SharedServer } from "../../../server/test/support/server.js"
import { fillMailbox } from "../support/longMailbox.js"
import { signInTo } from "../support/ownerVisit.js"
import { payingAccount } from "../support/paying.js"
import {
  openMeasured,
  type Scrolled,
  scrollToEnd,
  slowPhone,
  slowProcessor,
  type Speed,
} from "../support/slowPhone.js"
import { serverAndBrowser } from "../support/visit.js"

const isMeasured = process.env["MEASURE"] === "1"
const MESSAGES = isMeasured ? 100_000 : 100
/** Visits of each page. What else the machine does makes a visit slower, never faster, so the fastest is written. */
const VISITS = isMeasured ? 15 : 1
/** Pixels of each frame while a list is scrolled: some fifty rows, and to the end of what is there. */
const FAST = 4000
const WHOLE_LIST = 10_000_000

/** Milliseconds for all visits and for the whole list. */
const TIMEOUT = isMeasured ? 20 * 60_000 : undefined

/** Pages, with what is there once they can be used. */
const pages = [
  { path: "/signin", usable: "input[name=email]" },
  { path: "/dashboard", usable: ".mailbox-line" },
  { path: "/dashboard/mail", usable: "[data-row]" },
] as const

const DOCUMENT = new URL("../../../../docs/dashboard.md", import.meta.url)

const write = (name: string, table: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.promise(async () => {
    const text = await readFile(DOCUMENT, "utf8")
    const marked = new RegExp(`(?<=<!-- generated: ${name} -->\n)[^]*?(?=<!-- /generated -->)`)
    await writeFile(
      DOCUMENT,
      text.replace(marked, () => `\n${table.join("\n")}\n\n`),
    )
  })

/** Phones with nothing in their caches, on which the owner has signed in, or nobody. */
const phones = (account: Account) =>
  Effect.gen(function* () {
    const { url } = yield* SharedServer
    const browser = yield* SharedBrowser
    const { page } = yield* signInTo(account, "/dashboard")
    const storageState = yield* Effect.promise(() => page.context().storageState())
    yield* Effect.promise(() => page.close())
    const { width, height } = slowPhone
    const options = { baseURL: url, viewport: { width, height } }
    return (isSignedIn: boolean): Effect.Effect<BrowserContext, never, Scope.Scope> =>
      openContext(browser, { ...options, ...(isSignedIn && { storageState }) })
  })

const fastest = (speeds: ReadonlyArray<Speed>, of: (speed: Speed) => number): string =>
  Math.min(...speeds.map(of)).toFixed(0)

layer(serverAndBrowser, { excludeTestServices: true })("the speed of pages", (it) => {
  it.scoped(
    "nothing moves when a page appears, and nothing is asked for twice",
    () =>
      Effect.gen(function* () {
        const account = yield* payingAccount(yield* SharedServer, "hurried")
        yield* fillMailbox(yield* SharedServer, account, 100)
        const phone = yield* phones(account)
        const lines = yield* Effect.forEach(pages, ({ path, usable }) =>
          Effect.gen(function* () {
            const visit = Effect.scoped(
              Effect.flatMap(phone(path !== "/signin"), (context) =>
                Effect.promise(() => openMeasured(context, path, usable, isMeasured)),
              ),
            )
            const visits = yield* Effect.replicateEffect(visit, VISITS)
            for (const { asked, shifted, speed } of visits) {
              expect({ path, shift: speed.shift, shifted }).toEqual({ path, shift: 0, shifted: [] })
              expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
            }
            const speeds = visits.map(({ speed }) => speed)
            const columns = (["firstPaint", "largestPaint", "usable", "blocked"] as const).map((name) =>
              fastest(speeds, (speed) => speed[name]),
            )
            const kilobytes = (Math.min(...speeds.map(({ bytes }) => bytes)) / 1000).toFixed(0)
            return `| \`${path}\` | ${[...columns, "0", kilobytes].join(" | ")} |`
          }),
        )
        if (isMeasured)
          yield* write("speed", [
            "| page | first paint | largest paint | usable | blocked | layout shift | kB |",
            "| --- | --- | --- | --- | --- | --- | --- |",
            ...lines,
          ])
      }),
    TIMEOUT,
  )

  it.scoped(
    "a list of mail loads on while it is scrolled, to its end",
    () =>
      Effect.gen(function* () {
        const account = yield* payingAccount(yield* SharedServer, "hoarder")
        yield* fillMailbox(yield* SharedServer, account, MESSAGES)
        const context = yield* (yield* phones(account))(true)
        const { page } = yield* Effect.promise(() =>
          openMeasured(context, "/dashboard/mail", "[data-row]", false),
        )
        const loading = yield* Effect.promise(() => scrollToEnd(page, MESSAGES, WHOLE_LIST))
        const rows = yield* Effect.promise(() => page.locator("[data-row]").allInnerTexts())
        expect(rows.at(-1)).toContain(`Mail ${MESSAGES - 1}`)
        if (!isMeasured) return
        const scrolling = yield* Effect.promise(async () => {
          await slowProcessor(await context.newCDPSession(page))
          await page.evaluate("document.querySelector('.virtual-list').scrollTop = 0")
          await page.locator("[aria-posinset='1']").waitFor()
          return scrollToEnd(page, MESSAGES, FAST)
        })
        const line = (name: string, { frames, dropped, longest }: Scrolled) =>
          `| ${name} | ${frames} | ${dropped} | ${longest < 50 ? "below 50" : longest.toFixed(0)} |`
        yield* write("scrolling", [
          `| a list of ${MESSAGES.toLocaleString("en-US")} messages | frames | dropped | longest task (ms) |`,
          "| --- | --- | --- | --- |",
          line("all pages load, one after the other", loading),
          line(`scrolled from end to end, ${FAST} pixels in a frame, with a slow processor`, scrolling),
        ])
      }),
    TIMEOUT,
  )
})
