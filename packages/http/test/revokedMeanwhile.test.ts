/** A credential that is revoked while the body of its request comes (docs/decisions/0036). */
import { describe, expect } from "@effect/vitest"
import { eventLoopTurns } from "@mailroom/test-services"
import { InMemoryHttp } from "@mailroom/testing"
import { Deferred, Effect, Fiber, Schema, Stream, TestClock } from "effect"
import { owner } from "./support/accounts.js"
import { rule } from "./support/service.js"

const Made = Schema.Struct({ id: Schema.String, key: Schema.String })

describe("a body that takes longer than a second", () => {
  for (const [what, isRevoked, status] of [
    ["is refused when its key was revoked meanwhile", true, 401],
    ["is taken otherwise", false, 201],
  ] as const)
    rule(what, () =>
      Effect.gen(function* () {
        const account = yield* owner("trial")
        const http = yield* InMemoryHttp
        const made = yield* http.call("POST /v1/api-keys", { key: account.key, body: { name: "slow" } })
        const { id, key } = yield* Schema.decodeUnknown(Made)(made.json)
        const come = yield* Deferred.make<Uint8Array>()
        const body = Stream.toReadableStream(Stream.fromEffect(Deferred.await(come)))
        const answer = yield* Effect.fork(
          Effect.promise(() =>
            http.fetch("http://mailroom.test/v1/suppressions", {
              method: "POST",
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
              body,
              duplex: "half",
            }),
          ),
        )
        yield* eventLoopTurns()
        yield* TestClock.adjust("2 seconds")
        if (isRevoked)
          expect((yield* http.call(`DELETE /v1/api-keys/${id}`, { key: account.key })).status).toBe(200)
        yield* Deferred.succeed(come, Buffer.from('{"email":"bob@partner.dev"}'))
        expect((yield* Fiber.join(answer)).status).toBe(status)
      }),
    )
})
