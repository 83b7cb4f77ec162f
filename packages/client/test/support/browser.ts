/** A page in Chromium. */
import { openBrowser, openContext, type Page } from "@mailroom/test-services/browser"
import { Effect, type Scope } from "effect"

/** An empty page at an address of the service, so that its scripts call the service from there. */
export const pageAt = (baseUrl: string): Effect.Effect<Page, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.flatMap(openBrowser, openContext)
    const page = yield* Effect.promise(() => context.newPage())
    yield* Effect.promise(async () => {
      await page.route(`${baseUrl}/page`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>A page</p>" }),
      )
      await page.goto(`${baseUrl}/page`)
    })
    return page
  })
