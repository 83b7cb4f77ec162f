/** Chromium, for tests of pages. It is not an npm package: each machine has its own. */
import { Context, Effect, Layer, type Scope } from "effect"
import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core"

export type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const MISSING = `Tests of pages need Chromium, in one of ${places.join(", ")} or where CHROMIUM says. Install it
with \`apt-get install chromium\`, or by \`npx playwright-core install chromium\`.`

const executable = (): string => {
  const found = [process.env["CHROMIUM"] ?? "", ...places].find((path) => existsSync(path))
  if (found === undefined) throw new Error(MISSING)
  return found
}

/** Milliseconds that one step in a page may take: it ends what hangs. Browsers share a machine that may be slow and busy. */
const STEP_MAX = 180_000

/** A browser with further switches of Chromium, which is closed with the scope. */
export const openBrowserWith = (
  switches: ReadonlyArray<string>,
): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({
        executablePath: executable(),
        args: ["--no-sandbox", ...switches],
        timeout: STEP_MAX,
      }),
    ),
    (browser) => Effect.promise(() => browser.close()),
  )

/** A browser that is closed with the scope. */
export const openBrowser: Effect.Effect<Browser, never, Scope.Scope> = openBrowserWith([])

/** A context with cookies and storage of its own, which is closed with the scope. */
export const openContext = (
  browser: Browser,
  options: BrowserContextOptions = {},
): Effect.Effect<BrowserContext, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(STEP_MAX)
      return context
    }),
    (context) => Effect.promise(() => context.close()),
  )

/** One browser for all tests of a file. Each visit has its own cookies and storage. */
export class SharedBrowser extends Context.Tag("test/SharedBrowser")<SharedBrowser, Browser>() {
  static readonly layer = Layer.scoped(SharedBrowser, openBrowser)
}
