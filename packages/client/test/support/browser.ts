/** Chromium, and a page in it. */
import { Effect, type Scope } from "effect"
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const MISSING = `Tests of pages need Chromium, in one of ${places.join(", ")} or where CHROMIUM says. Install it
with \`apt-get install chromium\`, or by \`npx playwright-core install chromium\`.`

const executable = (): string => {
  const found = [process.env["CHROMIUM"] ?? "", ...places].find((path) => existsSync(path))
  if (found === undefined) throw new Error(MISSING)
  return found
}

export const browser: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => chromium.launch({ executablePath: executable(), args: ["--no-sandbox"] })),
  (started) => Effect.promise(() => started.close()),
)

/** An empty page at an address of the service, so that its scripts call the service from there. */
export const pageAt = (baseUrl: string): Effect.Effect<Page, never, Scope.Scope> =>
  Effect.gen(function* () {
    const started = yield* browser
    const page = yield* Effect.promise(() => started.newPage())
    yield* Effect.promise(async () => {
      await page.route(`${baseUrl}/page`, (route) =>
        route.fulfill({ contentType: "text/html", body: "<p>A page</p>" }),
      )
      await page.goto(`${baseUrl}/page`)
    })
    return page
  })
