/** Waits beyond `sharing.wait.*`: clients that hang up, and a service that stops. */
import { describe, expect, it } from "@effect/vitest"
import { WAITS_MAX_PER_ACCOUNT } from "@mailroom/domain"
import { Draining } from "@mailroom/http"
import { InMemoryHttp } from "@mailroom/testing"
import { eventually } from "@mailroom/test-services"
import { Deferred, Effect, Fiber } from "effect"
import { request } from "node:http"
import { owner } from "./support/accounts.js"
import { ask } from "./support/contract.js"
import { rule } from "./support/service.js"
import { serverUrl, world } from "./support/sockets.js"

describe("a wait, and a claim that waits,", () => {
  rule("end without a message when the service stops", () =>
    Effect.gen(function* () {
      const { call } = yield* InMemoryHttp
      const { begin } = yield* Draining
      const { key, mailboxId } = yield* owner()
      const messages = `/v1/mailboxes/${mailboxId}/messages`
      const waiting = yield* Effect.fork(call(`GET ${messages}/wait?timeout=55`, { key }))
      const claiming = yield* Effect.fork(call(`POST ${messages}/claim`, { key, body: { timeout: 55 } }))
      yield* begin
      expect((yield* Fiber.join(waiting)).json).toMatchObject({ message: null, timedOut: true })
      expect((yield* Fiber.join(claiming)).json).toEqual({ message: null, claim: null })
    }),
  )
})

describe("waits whose clients hang up", () => {
  it.live("free their slots at once", () =>
    Effect.gen(function* () {
      const { key, mailboxId } = yield* owner()
      const target = `/v1/mailboxes/${mailboxId}/messages/wait`
      const url = `${yield* serverUrl}${target}?timeout=55`
      const refused = yield* Deferred.make<number | undefined>()
      const open = Effect.sync(() =>
        request(url, { agent: false, headers: { authorization: `Bearer ${key}` } })
          .on("error", () => undefined)
          .on("response", ({ statusCode }) => Deferred.unsafeDone(refused, Effect.succeed(statusCode)))
          .end(),
      )
      const clients = yield* Effect.replicateEffect(open, WAITS_MAX_PER_ACCOUNT + 1)
      expect(yield* Deferred.await(refused)).toBe(429)
      for (const client of clients) client.destroy()
      yield* eventually(
        "a slot is free",
        ask(`GET ${target}?timeout=1`, { key }),
        ({ status }) => status === 200,
        "5 seconds",
      )
    }).pipe(Effect.provide(world)),
  )
})
