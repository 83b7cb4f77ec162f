/** Modules of the pages that ask the service, for tests without a browser, and a service that answers as a test says. */
import { vi } from "vitest"

// The client takes the address of the page when it is loaded.
vi.stubGlobal("location", new URL("https://mail.acme.dev/dashboard"))
export const { Composition } = await import("@mailroom/dashboard/pages/compose/Composition")
export const { exportMailbox } = await import("@mailroom/dashboard/data/exporting")
export const { account, followOtherTabs, loadSession, session, setAccount } =
  await import("@mailroom/dashboard/data/session")
export const { enterOperator } = await import("@mailroom/dashboard/data/operator")
vi.unstubAllGlobals()

/** Answers requests, such as `DELETE /v1/…`, until `vi.unstubAllGlobals`. */
export const answerWith = (answer: (request: string) => Response | Promise<Response>): void => {
  vi.stubGlobal("fetch", async (url: string, { method = "GET" }: RequestInit) => {
    const { pathname, search } = new URL(url)
    return answer(`${method} ${pathname}${search}`)
  })
}

/** An error of the service. */
export const refusal = (status: number, code: string): Response =>
  Response.json({ error: code, code }, { status })
