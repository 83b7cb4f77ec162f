/** The documentation in a browser: without errors, on a phone and at a desk, by keyboard, and without script. */
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { root } from "@mailroom/docs/site/root"
import { SharedServer } from "../../../server/test/support/server.js"
import { openBrowser } from "@mailroom/test-services/browser"
import { axeViolations, openPage, overflow } from "../support/browsing.js"

const Manifest = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Struct({ immutable: Schema.Boolean }) }),
)

/** The addresses of all pages; of the decisions, which are alike, the first one. */
const addresses = Effect.map(
  Effect.promise(() => readFile(join(root, "apps/server/bundle/docs/manifest.json"), "utf8")),
  (text) =>
    Object.entries(Schema.decodeUnknownSync(Manifest)(text))
      .filter(([path, { immutable }]) => !immutable && path !== "404")
      .map(([path]) => path)
      .filter((path) => !path.startsWith("decisions/") || path.startsWith("decisions/0001"))
      .map((path) => (path === "" ? "/docs" : `/docs/${path}`)),
)

const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 900 }

/** A page of each kind. */
const samples = [
  "/docs",
  "/docs/guides/receive",
  "/docs/reference",
  "/docs/reference/reviews",
  "/docs/specification/events",
]

layer(SharedServer.layer(), { excludeTestServices: true })("a reader", (it) => {
  it.scoped("sees every page on a narrow phone without an error, and without scrolling sideways", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page, problems } = yield* openPage(yield* openBrowser, {
        viewport: { width: 360, height: 740 },
      })
      const wide: Array<string> = []
      for (const address of yield* addresses)
        yield* Effect.promise(async () => {
          await page.goto(`${url}${address}`)
          if ((await overflow(page)) > 0) wide.push(address)
        })
      expect([wide, problems]).toEqual([[], []])
    }),
  )

  for (const colorScheme of ["light", "dark"] as const)
    it.scoped(`finds pages that axe has nothing to say about, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const { url } = yield* SharedServer
        const started = yield* openBrowser
        for (const viewport of [phone, desk]) {
          const { page } = yield* openPage(started, { viewport, colorScheme })
          for (const address of samples) {
            yield* Effect.promise(() => page.goto(`${url}${address}`))
            expect([address, yield* axeViolations(page)]).toEqual([address, []])
          }
          yield* Effect.promise(async () => {
            await page.keyboard.press("/")
            await page.keyboard.type("webhook")
            await page.waitForSelector("#results li")
          })
          expect(yield* axeViolations(page)).toEqual([])
        }
      }),
    )

  it.scoped("searches by keyboard alone, and loads the index only then", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page, problems } = yield* openPage(yield* openBrowser, { viewport: desk })
      const loaded: Array<string> = []
      page.on("request", (request) => loaded.push(request.url()))
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs`)
        expect(loaded.filter((address) => address.includes("/search-"))).toEqual([])
        await page.keyboard.press("/")
        await page.keyboard.type("reply to the sender")
        await page.waitForSelector("#results [aria-selected=true]")
        await page.keyboard.press("Enter")
        await page.waitForURL(`${url}/docs/reference/messages#messages.reply`)
        const heading = page.locator("[id='messages.reply']")
        const top = () => heading.evaluate((shown) => shown.getBoundingClientRect().top)
        await expect.poll(top).toBeLessThan(200)
        expect(await top()).toBeGreaterThan(0)
        await page.keyboard.press("Control+k")
        expect(await page.locator("#search").isVisible()).toBe(true)
        await page.keyboard.press("Escape")
        expect(await page.locator("#search").isVisible()).toBe(false)
      })
      expect(problems).toEqual([])
    }),
  )

  it.scoped("comes to the content by the first press of Tab", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page } = yield* openPage(yield* openBrowser, { viewport: desk })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/guides/errors`)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        expect(await page.evaluate<string>("document.activeElement.id")).toBe("main")
      })
    }),
  )

  it.scoped("chooses a tab once for all examples and pages, and a theme that stays", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page } = yield* openPage(yield* openBrowser, { viewport: desk, colorScheme: "light" })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/reference/messages`)
        await page.locator(".tabs").first().getByText("Client").click()
        expect(await page.locator(".panel.client:visible").count()).toBe(
          await page.locator(".panel.client").count(),
        )
        await page.locator("#theme").click()
        await page.locator("#theme").click()
        await page.goto(`${url}/docs/reference/threads`)
        expect(await page.locator(".panel.curl:visible").count()).toBe(0)
        const ground = await page.evaluate<string>(
          "getComputedStyle(document.documentElement).backgroundColor",
        )
        expect(ground).toBe("rgb(13, 14, 17)")
      })
    }),
  )

  it.scoped("copies a command with the address of this service", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page } = yield* openPage(yield* openBrowser, {
        viewport: desk,
        permissions: ["clipboard-read", "clipboard-write"],
      })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/guides/receive`)
        await page.locator("figure.code", { hasText: "export MAILROOM_URL" }).getByText("Copy").click()
        const copied = await page.evaluate<string>("navigator.clipboard.readText()")
        expect(copied).toContain(`export MAILROOM_URL=${url}\n`)
      })
    }),
  )

  it.scoped("without script reads everything, opens the menu, and changes tabs", () =>
    Effect.gen(function* () {
      const { url } = yield* SharedServer
      const { page } = yield* openPage(yield* openBrowser, { viewport: phone, javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/reference/messages#messages.send`)
        expect(await page.locator("#open-search").isVisible()).toBe(false)
        await page.getByText("Menu").click()
        await page.locator("#navigation").getByRole("link", { name: "Threads" }).click()
        expect(page.url()).toBe(`${url}/docs/reference/threads`)
        const example = page.locator(".tabs").first()
        await example.getByText("Client").click()
        expect(await example.locator(".panel.client").isVisible()).toBe(true)
        expect(await example.locator(".panel.curl").isVisible()).toBe(false)
      })
    }),
  )
})
