/** The log and `/readyz` name a relay that does not answer. */
import { expect, it } from "@effect/vitest"
import { eventually, freePort } from "@mailroom/test-services"
import { Effect } from "effect"
import { call } from "./support/http.js"
import { freshServer } from "./support/server.js"

it.scopedLive("a relay that does not answer is named in the log and by /readyz, without its password", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const server = yield* freshServer({ OUTBOUND_URL: `smtp://me:hunter2@127.0.0.1:${port}` })
    const line = yield* eventually(
      "the relay is named in the log",
      Effect.sync(() =>
        server
          .stdout()
          .split("\n")
          .find((text) => text.includes("The relay of OUTBOUND_URL")),
      ),
      (found) => found !== undefined,
    )
    const reason = "does not take mail: no connection to the relay (ECONNREFUSED)"
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      logLevel: "WARN",
      message: `The relay of OUTBOUND_URL ${reason}. Mail that is to leave is refused until it does.`,
    })
    const ready = yield* call(server, "GET /readyz")
    expect([ready.status, ready.json]).toEqual([200, { status: "ok", relay: reason }])
    expect(server.stdout() + server.stderr()).not.toContain("hunter2")
  }),
)
