/**
 * Hostile mail, opened in a browser: nothing in it runs, and nothing calls out. A listener has all host names of the samples; the
 * browser's own log of the network (net log) tells which names it looked up.
 */
import { layer } from "@effect/vitest"
import { deliver, eventually, temporaryFolder } from "@mailroom/test-services"
import { openBrowserWith, openContext, type Page } from "@mailroom/test-services/browser"
import { Effect, Exit, Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Account } from "../../../server/test/support/account.js"
import { type Server, SharedServer } from "../../../server/test/support/server.js"
import { hostileMails } from "../support/hostileMails.js"
import { listen } from "../support/listener.js"
import { payingAccount } from "../support/paying.js"
import { openThread, signIn } from "../support/reading.js"

/** A name below it leads to the listener, in the browser of the test alone. */
const OUTSIDE = "outside.test"

/** Handlers and a `<base>` in a document that only the sanitiser sees. */
const REFUSED = /^(?:Blocked script execution|Setting the document's base URI)/

/** The first byte of a TLS connection. */
const TLS = "\x16"

interface Watched {
  readonly page: Page
  /** what ran, by the function `hit` */
  readonly hits: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  /** closes the browser; the result is the text of its log of the network */
  readonly close: Effect.Effect<string>
}

const watched = (server: Server, account: Account) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const log = join(folder, "net.json")
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Scope.close(scope, exit))
    const browser = yield* Scope.extend(
      openBrowserWith([`--log-net-log=${log}`, `--host-resolver-rules=MAP *.${OUTSIDE} 127.0.0.1`]),
      scope,
    )
    const context = yield* Scope.extend(
      openContext(browser, { baseURL: server.url, viewport: { width: 1280, height: 900 } }),
      scope,
    )
    const hits: Array<string> = []
    const faults: Array<string> = []
    const page = yield* Effect.promise(async () => {
      const opened = await context.newPage()
      await opened.exposeFunction("hit", (what: string) => void hits.push(what))
      context.on("page", () => hits.push("opened a window"))
      opened.on("dialog", (dialog) => {
        hits.push("opened a dialog")
        void dialog.dismiss()
      })
      opened.on("pageerror", (error) => faults.push(String(error)))
      opened.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text())
      })
      await signIn(opened, account)
      return opened
    })
    const watch: Watched = {
      page,
      hits,
      faults,
      close: Effect.as(Scope.close(scope, Exit.void), log).pipe(
        Effect.map((path) => readFileSync(path, "utf8")),
      ),
    }
    return watch
  })

/** The names of the samples that are on the screen. */
const shown = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const texts = await Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) => frame.locator("main").textContent()),
    )
    return texts.flatMap((text) => /^\s*Sample (\w+)\./.exec(text ?? "")?.[1] ?? []).toSorted()
  })

const htmlMail = (id: string, html: string, thread?: string): string =>
  [
    "From: Mallory <mallory@example.com>",
    "Subject: Samples",
    `Message-ID: <${id}@example.com>`,
    ...(thread === undefined ? [] : [`In-Reply-To: <${thread}@example.com>`]),
    "MIME-Version: 1.0",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    (
      Buffer.from(html)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\r\n"),
  ].join("\r\n")

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"

/** A mail that shows one picture of its own many times. */
const repeatedPicture = (times: number): string =>
  [
    "From: Mallory <mallory@example.com>",
    "Subject: Samples",
    "Message-ID: <repeated@example.com>",
    "MIME-Version: 1.0",
    "Content-Type: multipart/related; boundary=rel",
    "",
    "--rel",
    "Content-Type: text/html; charset=utf-8",
    "",
    ...Array.from({ length: times }, () => '<img src="cid:picture" alt="">'),
    "--rel",
    "Content-Type: image/png",
    "Content-ID: <picture>",
    "Content-Disposition: inline; filename=picture.png",
    "Content-Transfer-Encoding: base64",
    "",
    PICTURE,
    "--rel--",
    "",
  ].join("\r\n")

layer(SharedServer.layer(), { excludeTestServices: true })("hostile mail", (it) => {
  it.scoped("runs nothing and calls nothing outside", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { port, calls } = yield* listen
      const account = yield* payingAccount(server, "hostile")
      const mails = hostileMails(OUTSIDE, port)
      const [first] = mails
      for (const { name, html } of mails)
        yield* deliver(
          server.smtpPort,
          account.address,
          htmlMail(name, html, name === first?.name ? undefined : first?.name),
        )
      const { page, hits, faults, close } = yield* watched(server, account)
      yield* Effect.promise(() => openThread(page, "Samples", mails.length))
      yield* eventually("every sample is in its frame", shown(page), (names) => names.length === mails.length)
      expect(yield* shown(page)).toEqual(mails.map(({ name }) => name).toSorted())
      expect(yield* Effect.promise(() => page.title())).toBe("Samples · Mailroom")
      expect(hits).toEqual([])
      expect(calls).toEqual([])
      // The browser tells what the frame refused while the mail was parsed. Nothing else was even tried.
      expect(faults.filter((text) => !REFUSED.test(text))).toEqual([])

      // What would be seen, is seen.
      yield* Effect.promise(async () => {
        await page.evaluate(`hit("control")`)
        await page.goto(`http://control.${OUTSIDE}:${port}/`).catch(() => undefined)
      })
      expect(hits).toEqual(["control"])
      expect(calls.map((text) => text.split("\r\n")[0])).toEqual(["GET / HTTP/1.1"])
      const names = (yield* close).match(/[\w-]+\.outside\.test/g) ?? []
      expect([...new Set(names)]).toEqual([`control.${OUTSIDE}`])
    }),
  )

  it.scoped("images from elsewhere come when they are asked for, by https alone", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const { port, calls } = yield* listen
      const account = yield* payingAccount(server, "pictures")
      const html = hostileMails(OUTSIDE, port).map((mail) => mail.html)
      yield* deliver(server.smtpPort, account.address, htmlMail("pictures", html.join("\n")))
      const { page, hits } = yield* watched(server, account)
      yield* Effect.promise(async () => {
        await openThread(page, "Samples", 1)
        await page.locator("iframe").contentFrame().getByText("Sample script.").waitFor()
      })
      expect(calls).toEqual([])
      yield* Effect.promise(() => page.getByRole("button", { name: "Show images" }).click())
      yield* eventually(
        "images were asked for",
        Effect.sync(() => calls.length),
        (count) => count > 0,
      )
      yield* Effect.promise(() => page.locator("iframe").contentFrame().getByText("Sample images.").waitFor())
      expect(calls.filter((text) => !text.startsWith(TLS))).toEqual([])
      expect(hits).toEqual([])
      // Nothing proves the sender, so there is no lasting permission.
      expect(yield* Effect.promise(() => page.getByRole("button", { name: /^Always/ }).count())).toBe(0)
    }),
  )

  it.scoped("loads a file once that it shows many times", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "repeated")
      yield* deliver(server.smtpPort, account.address, repeatedPicture(200))
      const { page } = yield* watched(server, account)
      const asked: Array<string> = []
      page.on("request", (request) => {
        if (request.url().includes("/content?")) asked.push(request.url())
      })
      yield* Effect.promise(async () => {
        await openThread(page, "Samples", 1)
        const pictures = page.locator("iframe").contentFrame().locator('img[src^="blob:"]')
        await expect.poll(() => pictures.count()).toBe(200)
      })
      expect(asked).toHaveLength(1)
    }),
  )

  it.scoped("shows its text when its frame cannot be loaded, with a way to load it again", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "frameless")
      yield* deliver(server.smtpPort, account.address, htmlMail("frameless", "<p>Hello <b>Ada</b>.</p>"))
      const { page } = yield* watched(server, account)
      yield* Effect.promise(async () => {
        await page.route("**/mail-frame", (route) => route.abort())
        await openThread(page, "Samples", 1)
        await page.getByText("The formatted mail could not be loaded").waitFor()
        await page.getByText("Hello Ada.").first().waitFor()
        await page.unroute("**/mail-frame")
        await page.getByRole("button", { name: "Load again" }).click()
        await page.locator("iframe").contentFrame().getByText("Ada").waitFor()
      })
    }),
  )

  it.scoped("a mail of 5 MB shows its text at once, and its HTML when it is asked for", () =>
    Effect.gen(function* () {
      const server = yield* SharedServer
      const account = yield* payingAccount(server, "large")
      const line = `<p style="margin:0"><b>Row</b> <a href="https://example.com">link</a> and some more text in it</p>`
      const html = `<p>First row.</p>${line.repeat(Math.ceil(5_000_000 / line.length))}`
      yield* deliver(server.smtpPort, account.address, htmlMail("large", html))
      const { page, hits } = yield* watched(server, account)
      yield* Effect.promise(async () => {
        await openThread(page, "Samples", 1)
        await page.getByText("This mail is very long.").waitFor()
        // The page reacts: its menu opens.
        await page.getByRole("button", { name: "More for this message" }).click()
        await page.getByRole("menuitem", { name: "Delete" }).press("Escape")
      })
      expect(yield* Effect.promise(() => page.locator("iframe").count())).toBe(0)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Show the HTML" }).click()
        const rows = page.locator("iframe").contentFrame().locator("main p")
        await rows.first().waitFor()
        expect(await rows.first().textContent()).toBe("First row.")
      })
      expect(hits).toEqual([])
    }),
  )
})
