/** The components in Chromium: names, keys and focus, and long lists. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SharedServer } from "../../../server/test/support/server.js"
import { openGallery } from "../support/gallery.js"
import { desk, phone, serverAndBrowser } from "../support/visit.js"

const FOCUSED = "document.activeElement.textContent || document.activeElement.getAttribute('aria-label')"

const LIST = "document.querySelector('[aria-label=Rows]')"

layer(serverAndBrowser, { excludeTestServices: true })("the components", (it) => {
  const inGallery = Effect.flatMap(SharedServer, (server) => openGallery(server, desk))

  for (const look of [phone, desk])
    it.scoped(`are accessible in light and dark at ${look.width} px, and do not scroll sideways`, () =>
      Effect.gen(function* () {
        const { page, step, expectAccessible, expectQuiet } = yield* openGallery(yield* SharedServer, look)
        yield* expectAccessible
        yield* expectQuiet
        const width = yield* step(() => page.evaluate<number>("document.documentElement.scrollWidth"))
        expect(width).toBeLessThanOrEqual(look.width)
      }),
    )

  it.scoped("tabs move by arrow keys", () =>
    Effect.gen(function* () {
      const { page, step } = yield* inGallery
      yield* step(async () => {
        await page.getByRole("tab", { name: "First" }).focus()
        await page.keyboard.press("ArrowRight")
        await page.getByText("The second view.").waitFor()
      })
      expect(yield* step(() => page.evaluate(FOCUSED))).toBe("Second")
      yield* step(() => page.keyboard.press("ArrowRight"))
      expect(yield* step(() => page.evaluate(FOCUSED))).toBe("First")
    }),
  )

  it.scoped(
    "a menu opens with the focus on its first entry, moves by arrow keys, and gives the focus back",
    () =>
      Effect.gen(function* () {
        const { page, step } = yield* inGallery
        // The focus moves in an effect, a moment after the menu is there.
        const focusIsOn = (text: string) =>
          step(() => page.locator(":focus").filter({ hasText: text }).waitFor())
        yield* step(() => page.getByRole("button", { name: "More" }).press("Enter"))
        yield* focusIsOn("Rename")
        yield* step(() => page.keyboard.press("ArrowUp"))
        yield* focusIsOn("Delete")
        yield* step(() => page.keyboard.press("Escape"))
        yield* focusIsOn("…")
        expect(yield* step(() => page.getByRole("menu").count())).toBe(0)
      }),
  )

  it.scoped("a dialog asks for the word, shows why it failed, and gives the focus back", () =>
    Effect.gen(function* () {
      const { page, step, expectAccessible } = yield* inGallery
      const dialog = page.getByRole("dialog", { name: "Delete this mailbox?" })
      const confirm = dialog.getByRole("button", { name: "Delete mailbox" })
      yield* step(async () => {
        await page.getByRole("button", { name: "Delete mailbox" }).press("Enter")
        await dialog.waitFor()
      })
      yield* expectAccessible
      expect(yield* step(() => confirm.isDisabled())).toBe(true)
      yield* step(async () => {
        await dialog.getByLabel("Type DELETE to go on").fill("DELETE")
        await confirm.click()
        await dialog.getByText("Mailroom cannot be reached").waitFor()
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "detached" })
      })
      expect(yield* step(() => page.evaluate(FOCUSED))).toBe("Delete mailbox")
    }),
  )

  it.scoped(
    "a dialog closes by a press on its backdrop, not by a selection that ends there; a secret stays",
    () =>
      Effect.gen(function* () {
        const { page, step } = yield* inGallery
        const dialog = page.getByRole("dialog")
        yield* step(async () => {
          await page.getByRole("button", { name: "Delete mailbox" }).click()
          const text = await dialog.getByText("Its mail is gone for good.").boundingBox()
          await page.mouse.move((text?.x ?? 0) + 4, (text?.y ?? 0) + 4)
          await page.mouse.down()
          await page.mouse.move(5, 5)
          await page.mouse.up()
          expect(await dialog.count()).toBe(1)
          await page.mouse.click(5, 5)
          await dialog.waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Show the secret" }).click()
          await page.mouse.click(5, 5)
          await dialog.getByRole("button", { name: "Close" }).click()
          await dialog.waitFor({ state: "detached" })
        })
      }),
  )

  it.scoped("without TLS a text in a dialog is copied, and the button says so when it was not", () =>
    Effect.gen(function* () {
      const { page, step } = yield* inGallery
      const dialog = page.getByRole("dialog")
      yield* step(async () => {
        await page.evaluate("delete Navigator.prototype.clipboard")
        await page.getByRole("button", { name: "Show the secret" }).click()
        await dialog.getByRole("button", { name: "Copy key" }).click()
        await dialog.getByText("Copied").waitFor({ state: "attached" })
        expect(await page.evaluate(FOCUSED)).toBe("Copied")
        const kept = dialog.getByLabel("Where it is kept")
        await kept.press("Control+V")
        expect(await kept.inputValue()).toBe("sk_1234")
        await page.evaluate("document.execCommand = () => false")
        await dialog.getByRole("button", { name: "Copy key" }).click()
        await dialog.getByText("Not copied").waitFor({ state: "attached" })
      })
    }),
  )

  it.scoped("a message has a way back, and a switch says what it is", () =>
    Effect.gen(function* () {
      const { page, step } = yield* inGallery
      yield* step(async () => {
        await page.getByRole("button", { name: "Move" }).click()
        await page.getByRole("button", { name: "Undo" }).click()
        await page.getByText("Moved back.").waitFor()
        await page.getByRole("switch", { name: "Switch" }).press("Space")
        await page.getByText("It is on.").waitFor()
      })
      expect(yield* step(() => page.getByRole("switch", { name: "Switch" }).isChecked())).toBe(true)
    }),
  )

  it.scoped(
    "a list of 100,000 rows of different heights has few in the document, and every key reaches its row",
    () =>
      Effect.gen(function* () {
        const { page, step, expectAccessible } = yield* inGallery
        const list = page.getByRole("list", { name: "Rows" })
        const place = step(() => page.evaluate("document.activeElement.getAttribute('aria-posinset')"))
        const press = (key: string) => step(() => page.keyboard.press(key))
        yield* step(() => list.getByRole("listitem").first().focus())
        yield* press("ArrowDown")
        expect(yield* place).toBe("2")
        yield* press("End")
        yield* step(() => page.locator("[aria-posinset='100000']:focus").waitFor())
        expect(yield* step(() => list.getByRole("listitem").count())).toBeLessThan(60)
        yield* press("ArrowUp")
        expect(yield* place).toBe("99999")
        yield* press("Enter")
        yield* step(() => page.getByRole("heading", { name: "List: Row 99999" }).waitFor())
        yield* expectAccessible
        yield* press("Home")
        yield* step(() => page.locator("[aria-posinset='1']:focus").waitFor())
        yield* press("PageDown")
        expect(Number(yield* place)).toBeGreaterThan(5)
        yield* step(async () => {
          await page.evaluate(`${LIST}.scrollTop = ${LIST}.scrollHeight / 2`)
          await list
            .getByText(/^Row (?:49|50)\d{3}$/)
            .first()
            .waitFor()
        })
        const gaps = yield* step(() =>
          page.evaluate<number>(`
          [...${LIST}.querySelectorAll("[data-row]")]
            .map((row) => row.getBoundingClientRect())
            .filter((edge, at, all) => at > 0 && Math.abs(edge.top - all[at - 1].bottom) > 1).length`),
        )
        expect(gaps).toBe(0)
      }),
  )
})
