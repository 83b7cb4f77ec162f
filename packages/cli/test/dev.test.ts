/** `mailroom dev` in the process of the test. */
import { Effect } from "effect"
import { expect, it, vi } from "vitest"
import { startDevServer } from "../src/dev/devServer.js"
import { freePort } from "./support/program.js"

it("makes its account at the address on which it listens: at localhost another program may answer", async () => {
  const asked = vi.spyOn(globalThis, "fetch")
  const [httpPort, smtpPort] = [await freePort(), await freePort()]
  const service = await Effect.runPromise(Effect.scoped(startDevServer({ httpPort, smtpPort })))
  expect(service).toMatchObject({
    url: `http://localhost:${httpPort}`,
    apiKey: expect.stringMatching(/^mr_/),
  })
  const origins = asked.mock.calls.map(([url]) => new URL(url instanceof Request ? url.url : url).origin)
  expect(new Set(origins)).toEqual(new Set([`http://127.0.0.1:${httpPort}`]))
})
