/** Event streams on sockets, where the stream outlives the fiber of its request (docs/decisions/0052). */
import { describe, expect, it } from "@effect/vitest"
import { STREAMS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Effect, type Scope } from "effect"
import { signUp } from "./support/accounts.js"
import { serverUrl, world } from "./support/sockets.js"

/** The answer to a request for the stream; its connection ends with the scope. */
const opened = (url: string, key: string): Effect.Effect<Response, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new AbortController()
        const headers = { authorization: `Bearer ${key}` }
        return { client, response: await fetch(`${url}/v1/events`, { headers, signal: client.signal }) }
      }),
      ({ client }) => Effect.sync(() => client.abort()),
    ),
    ({ response }) => response,
  )

describe("on a socket", () => {
  it.effect("a stream carries no quota headers, the refusal of a stream does", () =>
    Effect.gen(function* () {
      const { key } = yield* signUp()
      const url = yield* serverUrl
      for (let stream = 0; stream < STREAMS_MAX_PER_ACCOUNT; stream++) {
        const { status, headers } = yield* opened(url, key)
        expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"])
        expect([...headers.keys()].filter((name) => name.includes("inbound"))).toEqual([])
      }
      const { status, headers } = yield* opened(url, key)
      expect(status).toBe(429)
      expect([...headers.keys()].some((name) => name.endsWith("inbound-quota"))).toBe(true)
    }).pipe(Effect.scoped, Effect.provide(world)),
  )
})
