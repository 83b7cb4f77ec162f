/** A page in Chromium. */
import { Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const MISSING = `The test of the client in a page needs Chromium, in one of ${places.join(", ")} or where CHROMIUM says. Install it
with \`apt-get install chromium\`, or by \`npx playwright-core install chromium\`.`

const executable = (): string => {
  const found = [process.env["CHROMIUM"] ?? "", ...places].find((path) => existsSync(path))
  if (found === undefined) throw new Error(MISSING)
  return found
}

/** An empty page at an address of the service, so that its scripts call the service from there. */
export const pageAt = (baseUrl: string): Effect.Effect<Page, never, Scope.Scope> =>
  Effect.gen(function* () {
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() => chromium.launch({ executablePath: executable(), args: ["--no-sandbox"] })),
      (browser) => Effect.promise(() => browser.close()),
    )
    const page = yield* Effect.promise(() => browser.newPage())
    yield* Effect.promise(async () => {
      await page.route(`${baseUrl}/page`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>A page</p>" }),
      )
      await page.goto(`${baseUrl}/page`)
    })
    return page
  })
