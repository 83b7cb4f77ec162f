/** A fresh mailroom in memory for each test, at noon of a day in the middle of a month. */
import { it } from "@effect/vitest"
import { Engine, type EngineSettings } from "@mailroom/engine"
import { clockAt, InMemoryMailroom, inMemoryPorts } from "@mailroom/testing"
import { Effect, Layer, type Scope, type TestServices } from "effect"

/** 10 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 10, 12)

type Ports = Layer.Layer.Success<ReturnType<typeof inMemoryPorts>>

type RuleBody<A, E, R> = Effect.Effect<A, E, R | Scope.Scope | TestServices.TestServices>

/**
 * Tests on a mailroom that `world` builds anew for each of them: they run side by side, because a `TestClock` waits some
 * milliseconds of real time before each step.
 */
const testedOn =
  <R>(world: Layer.Layer<R>) =>
  <A, E>(name: string, body: RuleBody<A, E, R>, timeout?: number) =>
    it.scoped(name, () => body.pipe(Effect.provide(world), Effect.provide(clockAt(NOON))), {
      concurrent: true,
      ...(timeout !== undefined && { timeout }),
    })

/** One rule, on a mailroom with the settings of a test. */
export const rule = testedOn(InMemoryMailroom.layer())

/** Rules under other settings. */
export const ruleUnder = (settings: Partial<EngineSettings>) => testedOn(InMemoryMailroom.layer(settings))

/** Rules on a mailroom some of whose ports are replaced; a replacement may be built on the port it replaces. */
export const ruleWith = <O>(ports: Layer.Layer<O, never, Ports>) =>
  testedOn(Layer.provideMerge(Engine.layer, Layer.provideMerge(ports, inMemoryPorts())))

/** Rules on ports in memory, over which a test starts engines of its own. */
export const ruleOnPorts = testedOn(inMemoryPorts())
