/** Large bodies in JSON are decoded in turns of the event loop of their own (docs/decisions/0036, docs/decisions/0054). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { describe, expect, it } from "@effect/vitest"
import { BodyLimit } from "@mailroom/api"
import { eachTurn } from "@mailroom/test-services"
import { Context, Effect, Layer, Schema } from "effect"
import { BodiesInFlight } from "../src/bodies/BodiesInFlight.js"
import { RequestBodies } from "../src/bodies/RequestBodies.js"

const BODIES = 4
const size = { maxBytes: 2 * 1024 * 1024, maxValues: 10 }

describe("large bodies that come at one time", () => {
  it.scoped("are decoded one by one, and the event loop turns in between", () =>
    Effect.gen(function* () {
      let turn = 0
      yield* eachTurn(() => (turn += 1))
      const decodedIn: Array<number> = []
      const text = Schema.transform(Schema.String, Schema.String, {
        strict: true,
        decode: (given) => {
          decodedIn.push(turn)
          return given
        },
        encode: (given) => given,
      })
      const endpoint = HttpApiEndpoint.post("large", "/large").setPayload(Schema.Struct({ text }))
      const payload = (yield* RequestBodies).payload(endpoint, Context.make(BodyLimit, size))
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({ text: "x".repeat(1024 * 1024) })
      const bodies = Array.from({ length: BODIES }, (_, index) =>
        payload(
          HttpServerRequest.fromWeb(
            new Request("http://mailroom.test/large", { method: "POST", headers, body }),
          ),
          { known: true, id: String(index) },
        ),
      )
      yield* Effect.all(bodies, { concurrency: "unbounded" })
      expect(decodedIn).toHaveLength(BODIES)
      expect(new Set(decodedIn).size).toBe(BODIES)
    }).pipe(
      Effect.provide(
        Layer.merge(Layer.provide(RequestBodies.layer, BodiesInFlight.layer), NodeContext.layer),
      ),
    ),
  )
})
