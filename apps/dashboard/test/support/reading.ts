/** What a reader does in tests: sign in, open a thread with all of its messages. */
import type { Page } from "@mailroom/test-services/browser"
import type { Account } from "../../../server/test/support/account.js"

/** Fills in the form to sign in, and sends it. */
export const submitSignIn = async (
  page: Page,
  { email, password }: Pick<Account, "email" | "password">,
): Promise<void> => {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
}

/** Signs in and goes to a page. */
export const signIn = async (page: Page, account: Account, path = "/dashboard/mail"): Promise<void> => {
  await page.goto(`/signin?next=${encodeURIComponent(path)}`)
  await submitSignIn(page, account)
  await page.waitForURL((url) => `${url.pathname}${url.search}` === path)
}

/** From the list: opens the thread of a subject, and all of its messages. */
export const openThread = async (page: Page, subject: string, messages: number): Promise<void> => {
  const rows = page.getByRole("list", { name: "Messages" }).getByRole("listitem")
  await rows.filter({ hasText: subject }).first().click()
  const heads = page.locator(".message-head")
  await heads.nth(messages - 1).waitFor()
  for (let index = 0; index < messages; index++) {
    const head = heads.nth(index)
    if ((await head.getAttribute("aria-expanded")) === "false") await head.click()
  }
}
