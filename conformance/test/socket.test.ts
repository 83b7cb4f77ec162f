/** Every row over sockets: HTTP, SMTP and webhooks of a running server. */
import { it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { SocketWorld } from "../src/SocketWorld.js"
import { World } from "../src/World.js"
import { nameOf } from "./nameOf.js"
import { tests } from "./parts/index.js"

const all = Object.values(tests).flat()

// Rows have accounts of their own: they run side by side.
describe.concurrent("over sockets", () => {
  layer(SocketWorld.layer(), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    for (const test of all)
      if (test.kind === "both" || (test.kind === "wire" && test.variables === null))
        it.scoped(nameOf(test), () => test.run)

    describe.sequential("after all of them", () => {
      it.effect("every operation of the OpenAPI document was answered with success", () =>
        Effect.map(World, ({ operations, succeeded }) => {
          expect(operations.filter((operation) => !succeeded().has(operation))).toEqual([])
        }),
      )
    })
  })
  for (const test of all)
    if (test.kind === "wire" && test.variables !== null)
      it.scopedLive(nameOf(test), () => Effect.provide(test.run, SocketWorld.layer(test.variables ?? {})))
})
