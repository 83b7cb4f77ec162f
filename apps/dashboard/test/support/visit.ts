/** A reader's browser: it notes what a page must not do, and examines how accessible pages are. */
import axe from "axe-core"
import { openContext, type Page, SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, Layer, type Scope } from "effect"
import { expect } from "vitest"
import { SharedServer } from "../../../server/test/support/server.js"

export interface Look {
  readonly width: number
  readonly height: number
  readonly theme: "light" | "dark"
}

export const phone: Look = { width: 390, height: 844, theme: "light" }
export const desk: Look = { width: 1280, height: 800, theme: "light" }

export interface Visit {
  readonly page: Page
  /** Does something in the page. */
  readonly step: <A>(act: (page: Page) => Promise<A>) => Effect.Effect<A>
  /** Fails with the rules of WCAG 2.2 AA that the present page breaks, in light and in dark. */
  readonly expectAccessible: Effect.Effect<void>
  /** Fails with the errors of the console, faults of scripts, and violations of the policy (CSP) so far. */
  readonly expectQuiet: Effect.Effect<void>
}

interface Violation {
  readonly rule: string
  readonly where: ReadonlyArray<string>
}

/** What a page runs, as text: tests have no types of a page. */
const examination = `axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  }).then(({ violations }) => violations.map(({ id, nodes }) => ({
    rule: id, where: nodes.map(({ html, failureSummary }) => html + " " + failureSummary)
  })))`

const examine = async (page: Page, colorScheme: Look["theme"]): Promise<void> => {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
  const found = await page.evaluate<ReadonlyArray<Violation>>(examination)
  expect(found, `${page.url()} in ${colorScheme}`).toEqual([])
}

/** A server and a browser for all tests of a file. */
export const serverAndBrowser = Layer.merge(SharedServer.layer(), SharedBrowser.layer)

/** Opens an address of the service, with cookies and storage of its own. */
export const visit = (
  baseUrl: string,
  path: string,
  look: Look,
): Effect.Effect<Visit, never, Scope.Scope | SharedBrowser> =>
  Effect.gen(function* () {
    const browser = yield* SharedBrowser
    const { width, height, theme } = look
    const context = yield* openContext(browser, {
      baseURL: baseUrl,
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      locale: "en-GB",
      permissions: ["clipboard-read", "clipboard-write"],
    })
    const page = yield* Effect.promise(() => context.newPage())
    const faults: Array<string> = []
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(String(error)))
    yield* Effect.promise(async () => {
      await page.goto(path)
      // The script of a page draws it some time after the page is loaded.
      await page.getByRole("heading", { level: 1 }).first().waitFor()
    })
    return {
      page,
      step: (act) => Effect.promise(() => act(page)),
      expectAccessible: Effect.promise(async () => {
        if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe.source)
        await examine(page, "light")
        await examine(page, "dark")
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" })
      }),
      expectQuiet: Effect.sync(() => expect(faults).toEqual([])),
    }
  })
