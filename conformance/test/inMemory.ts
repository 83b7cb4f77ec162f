/** Runs tests in memory. */
import { it, layer } from "@effect/vitest"
import { clockAt } from "@mailroom/testing"
import { Effect } from "effect"
import { describe } from "vitest"
import { InMemoryWorld } from "../src/InMemoryWorld.js"
import type { Part } from "../src/Row.js"
import { nameOf, runsInMemory } from "./running.js"

export const inMemory = (parts: Readonly<Record<string, Part>>): void => {
  for (const [part, tests] of Object.entries(parts))
    describe(part, () => {
      // Tests that only need their own accounts share a service.
      layer(InMemoryWorld.layer())((it) => {
        for (const test of tests) if (runsInMemory(test)) it.scoped(nameOf(test), () => test.run)
      })
      // The others have one each, side by side: a `TestClock` waits some milliseconds of real time before each step.
      for (const test of tests)
        if (test.kind === "virtual")
          it.scoped(
            nameOf(test),
            () =>
              test.run.pipe(
                Effect.provide(InMemoryWorld.layer(test.settings, test.http)),
                Effect.provide(clockAt(0)),
              ),
            { concurrent: true },
          )
    })
}
