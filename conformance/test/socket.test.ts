/** Every row over sockets: HTTP, SMTP and webhooks of a running server. */
import { it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { SocketWorld } from "../src/SocketWorld.js"
import { nameOf } from "./nameOf.js"
import { tests } from "./parts/index.js"

const all = Object.values(tests).flat()

// Rows have accounts of their own: they run side by side.
describe.concurrent("over sockets", () => {
  layer(SocketWorld.layer(), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    for (const test of all)
      if (test.kind === "both" || (test.kind === "wire" && test.variables === null))
        it.scoped(nameOf(test), () => test.run)
  })
  for (const test of all)
    if (test.kind === "wire" && test.variables !== null)
      it.scopedLive(nameOf(test), () => Effect.provide(test.run, SocketWorld.layer(test.variables ?? {})))
})
