/** The first steps as a reader takes them. */
import type { Page } from "@mailroom/test-services/browser"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Runs a line that a page gave to copy, as its reader would in a terminal. */
export const inTerminal = (line: string): Effect.Effect<unknown> =>
  Effect.promise(async () => JSON.parse((await promisify(execFile)("sh", ["-c", line])).stdout))

/** Copies the curl line of a step of the checklist. */
export const copiedLine = async (page: Page, title: string): Promise<string> => {
  const step = page.getByRole("listitem").filter({ hasText: title })
  await step.getByRole("button", { name: "Copy curl" }).click()
  return page.evaluate<string>("navigator.clipboard.readText()")
}

export const isDone = (page: Page, title: string): Promise<void> =>
  page.getByRole("heading", { name: `${title} (done)` }).waitFor()

export const headingOf = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { name, level: 1 }).waitFor()
