/** Chromium, for tests of pages. It is not an npm package: each machine has its own. */
import { Context, Effect, Layer, type Scope } from "effect"
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

export type { Browser, BrowserContext, Locator, Page } from "playwright-core"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const MISSING = `Tests of pages need Chromium, in one of ${places.join(", ")} or where CHROMIUM says. Install it
with \`apt-get install chromium\`, or by \`npx playwright-core install chromium\`.`

const executable = (): string => {
  const found = [process.env["CHROMIUM"] ?? "", ...places].find((path) => existsSync(path))
  if (found === undefined) throw new Error(MISSING)
  return found
}

/** A browser with further switches of Chromium, which is closed with the scope. */
export const openBrowserWith = (
  switches: ReadonlyArray<string>,
): Effect.Effect<Browser, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ executablePath: executable(), args: ["--no-sandbox", ...switches] }),
    ),
    (browser) => Effect.promise(() => browser.close()),
  )

/** A browser that is closed with the scope. */
export const openBrowser: Effect.Effect<Browser, never, Scope.Scope> = openBrowserWith([])

/** One browser for all tests of a file. Each visit has its own cookies and storage. */
export class SharedBrowser extends Context.Tag("test/SharedBrowser")<SharedBrowser, Browser>() {
  static readonly layer = Layer.scoped(SharedBrowser, openBrowser)
}
