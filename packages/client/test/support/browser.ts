/** A page in Chromium. */
import { openBrowser, type Page } from "@mailroom/test-services/browser"
import { Effect, type Scope } from "effect"

/** An empty page at an address of the service, so that its scripts call the service from there. */
export const pageAt = (baseUrl: string): Effect.Effect<Page, never, Scope.Scope> =>
  Effect.gen(function* () {
    const browser = yield* openBrowser
    const page = yield* Effect.promise(() => browser.newPage())
    yield* Effect.promise(async () => {
      await page.route(`${baseUrl}/page`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>A page</p>" }),
      )
      await page.goto(`${baseUrl}/page`)
    })
    return page
  })
