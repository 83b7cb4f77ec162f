/**
 * Tests in a service of their own, which takes 50 to 70 ms to build, and tests that share one. The former run side by side,
 * because a `TestClock` waits some milliseconds of real time before each step.
 */
import { it, layer } from "@effect/vitest"
import { Engine, type EngineSettings } from "@mailroom/engine"
import type { HttpSettings } from "@mailroom/http"
import { clockAt, InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Context, Effect, Layer, type Scope } from "effect"
import { SlugSuffix } from "./accounts.js"

/** Everything a test can look into. */
export type Service = Layer.Layer.Success<ReturnType<typeof InMemoryHttp.layer>>

type Ports = Layer.Layer.Success<ReturnType<typeof inMemoryPorts>>

/** An engine in memory some of whose ports are replaced; a replacement may be built on the port it replaces. */
export const engineWith = <O>(ports: Layer.Layer<O, never, Ports>) =>
  Layer.provideMerge(Engine.layer, Layer.provideMerge(ports, inMemoryPorts()))

type Body<A, E> = () => Effect.Effect<A, E, Service | Scope.Scope>

const tested =
  (concurrent: boolean) =>
  <A, E>(
    name: string,
    body: Body<A, E>,
    settings: Partial<EngineSettings> = {},
    http: Partial<HttpSettings["Type"]> = {},
  ) =>
    it.scoped(
      name,
      () =>
        // Tests of the file that share a service share its clock too: this one starts at 0.
        body().pipe(Effect.provide(InMemoryHttp.layer(settings, http)), Effect.provide(clockAt(0))),
      { concurrent },
    )

export const rule = tested(true)

/** A test that nothing of its file runs beside: it sets or counts what the process has once (system time, metrics). */
export const ruleAlone = tested(false)

export type RuleIn<R> = <A, E>(name: string, body: () => Effect.Effect<A, E, R | Scope.Scope>) => void

/**
 * Tests in one service. Each signs up accounts of its own (their slugs get the number of the test), leaves the clock alone
 * and counts nothing that other tests add to.
 */
export const inOne = <R>(service: Layer.Layer<R>, rules: (rule: RuleIn<R>) => void): void =>
  // A `layer` inside of this one replaces the testers of the object that both are handed: these are taken before.
  layer(service)(({ scoped }) => {
    let tests = 0
    rules((name, body) => {
      const suffix = `-${++tests}`
      scoped(name, () => Effect.provideService(body(), SlugSuffix, suffix))
    })
  })

/** Tests in one service in memory. */
export const inOneService = (
  rules: (rule: RuleIn<Service>) => void,
  settings: Partial<EngineSettings> = {},
  http: Partial<HttpSettings["Type"]> = {},
): void => inOne(InMemoryHttp.layer(settings, http), rules)

/** Tests that look at the same `scene`, made once in a service of its own: none of them may change it. */
export const inOneScene = <A, E>(
  scene: Effect.Effect<A, E, Service>,
  rules: (
    rule: <B, F>(name: string, body: (scene: A) => Effect.Effect<B, F, Service | Scope.Scope>) => void,
  ) => void,
): void => {
  const Scene = Context.GenericTag<A>("@mailroom/http/test/Scene")
  const made = Layer.effect(Scene, scene)
  layer(Layer.provideMerge(made, InMemoryHttp.layer()))(({ scoped }) =>
    rules((name, body) => scoped(name, () => Effect.flatMap(Scene, body))),
  )
}
