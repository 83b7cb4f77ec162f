/** Pages of the documentation in Chromium. */
import {
  type Browser,
  type BrowserContextOptions,
  openContext,
  type Page,
} from "@mailroom/test-services/browser"
import axe from "axe-core"
import { Effect, Schema, type Scope } from "effect"

export interface OpenPage {
  readonly page: Page
  /** errors of scripts, refused loads and failed requests so far */
  readonly problems: ReadonlyArray<string>
}

export const openPage = (
  browser: Browser,
  options: BrowserContextOptions,
): Effect.Effect<OpenPage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* openContext(browser, options)
    const page = yield* Effect.promise(() => context.newPage())
    const problems: Array<string> = []
    page.on("pageerror", (error) => problems.push(error.message))
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text())
    })
    page.on("requestfailed", (request) => problems.push(request.url()))
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
    })
    return { page, problems }
  })

const Violations = Schema.parseJson(Schema.Array(Schema.String))

/** What axe-core finds on a page, each with the first element that has it. */
export const axeViolations = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const found = await page.evaluate(
      `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes[0].html + " " + nodes[0].failureSummary)))`,
    )
    return Schema.decodeUnknownSync(Violations)(found)
  })

/** How far a page is wider than the window, in pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")
