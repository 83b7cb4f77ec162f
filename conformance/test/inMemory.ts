/** Runs tests in memory. */
import { it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { InMemoryWorld } from "../src/InMemoryWorld.js"
import type { Part } from "../src/Row.js"
import { nameOf, ROW_TIMEOUT, runsInMemory } from "./running.js"

export const inMemory = (parts: Readonly<Record<string, Part>>): void => {
  for (const [part, tests] of Object.entries(parts))
    describe(part, () => {
      // Tests that only need their own accounts share a service.
      layer(InMemoryWorld.layer())((it) => {
        for (const test of tests) if (runsInMemory(test)) it.scoped(nameOf(test), () => test.run, ROW_TIMEOUT)
      })
      for (const test of tests)
        if (test.kind === "virtual")
          it.scoped(
            nameOf(test),
            () => Effect.provide(test.run, InMemoryWorld.layer(test.settings, test.http)),
            ROW_TIMEOUT,
          )
    })
}
