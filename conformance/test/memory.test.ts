/** Every row in memory. */
import { it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { InMemoryWorld } from "../src/InMemoryWorld.js"
import { nameOf } from "./nameOf.js"
import { tests } from "./parts/index.js"

for (const [part, all] of Object.entries(tests))
  describe(part, () => {
    // Rows that need no more than their own accounts share a service.
    layer(InMemoryWorld.layer())((it) => {
      for (const test of all) if (test.kind === "both") it.scoped(nameOf(test), () => test.run)
    })
    for (const test of all)
      if (test.kind === "virtual")
        it.scoped(nameOf(test), () => Effect.provide(test.run, InMemoryWorld.layer(test.settings)))
  })
