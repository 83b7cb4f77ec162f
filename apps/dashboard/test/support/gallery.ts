/** The page with every component, at an address of a running server, with the styles of the dashboard. */
import type { Page, SharedBrowser } from "@mailroom/test-services/browser"
import { Effect, type Scope } from "effect"
import { build } from "esbuild"
import { fileURLToPath } from "node:url"
import { call } from "../../../server/test/support/http.js"
import type { Server } from "../../../server/test/support/server.js"
import { type Look, visit, type Visit } from "./visit.js"

const folder = fileURLToPath(new URL("../../", import.meta.url))

const script = Effect.promise(async () => {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: ["gallery/main.tsx"],
    bundle: true,
    format: "iife",
    tsconfig: "tsconfig.json",
    write: false,
  })
  return outputFiles[0]?.text ?? ""
})

const serve = async (page: Page, content: string, styles: string): Promise<void> => {
  await page.route("**/gallery", (route) =>
    route.fulfill({
      contentType: "text/html",
      body:
        `<!doctype html><html lang="en"><head><title>Components</title><link rel="icon" href="data:,">${styles}</head><body><div id="app"></div>` +
        `<script src="/gallery.js"></script></body></html>`,
    }),
  )
  await page.route("**/gallery.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: content }),
  )
  await page.goto("/gallery")
  await page.getByRole("heading", { name: "Components" }).waitFor()
}

export const openGallery = (
  server: Pick<Server, "url">,
  look: Look,
): Effect.Effect<Visit, never, Scope.Scope | SharedBrowser> =>
  Effect.gen(function* () {
    const shell = yield* call(server, "GET /signin")
    const styles = /<link rel="stylesheet"[^>]+>/.exec(shell.text)?.[0] ?? ""
    const opened = yield* visit(server.url, "/signin", look)
    const content = yield* script
    yield* opened.step((page) => serve(page, content, styles))
    return opened
  })
