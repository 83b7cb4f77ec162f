/** Layers that are built in order (docs/decisions/0080). */
import { describe, expect, it } from "@effect/vitest"
import { inOrder } from "@mailroom/engine"
import { Cause, Context, Effect, Exit, Layer } from "effect"

class First extends Context.Tag("test/First")<First, string>() {}
class Second extends Context.Tag("test/Second")<Second, string>() {}

/** Layers that write down when they are built and closed. */
const recorded = () => {
  const steps: Array<string> = []
  const noted = (name: string) =>
    Effect.acquireRelease(
      Effect.sync(() => steps.push(`builds ${name}`)),
      () => Effect.sync(() => steps.push(`closes ${name}`)),
    )
  const first = Layer.scoped(First, Effect.as(noted("first"), "1"))
  const second = Layer.scoped(
    Second,
    Effect.zipRight(
      noted("second"),
      Effect.map(First, (one) => `${one}, 2`),
    ),
  )
  return { steps, first, second }
}

describe("layers in order", () => {
  it.effect("have the services of those before them, and close in the opposite order", () => {
    const { steps, first, second } = recorded()
    return Effect.gen(function* () {
      const both = yield* Effect.provide(Effect.all([First, Second]), inOrder(first, second))
      expect(both).toEqual(["1", "1, 2"])
      expect(steps).toEqual(["builds first", "builds second", "closes second", "closes first"])
    })
  })

  it.effect("are built once, wherever else they are provided", () => {
    const { steps, first, second } = recorded()
    const twice = inOrder(inOrder(first, second), Layer.provide(second, first))
    return Effect.gen(function* () {
      yield* Effect.provide(Second, twice)
      expect(steps.filter((step) => step.startsWith("builds"))).toEqual(["builds first", "builds second"])
    })
  })

  it.effect("provide nothing of what was there before", () => {
    const { first, second } = recorded()
    return Effect.gen(function* () {
      const services = yield* Effect.provide(Layer.build(inOrder(second)), first)
      expect([...services.unsafeMap.keys()]).toEqual([Second.key])
    }).pipe(Effect.scoped)
  })

  it.effect("in a wrong order die with the name of the service that is missing", () => {
    const { first, second } = recorded()
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(Second, inOrder(second, first)))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("Service not found: test/First")
    })
  })
})
