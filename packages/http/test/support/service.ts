/** A test with a whole service of its own: nothing of another test is in it; and tests that share one. */
import { it, layer } from "@effect/vitest"
import { Engine, type EngineSettings } from "@mailroom/engine"
import type { HttpSettings } from "@mailroom/http"
import { clockAt, InMemoryHttp, inMemoryPorts } from "@mailroom/testing"
import { Context, Effect, Layer, type Scope } from "effect"

/** Everything a test can look into. */
export type Service = Layer.Layer.Success<ReturnType<typeof InMemoryHttp.layer>>

type Ports = Layer.Layer.Success<ReturnType<typeof inMemoryPorts>>

/** An engine in memory some of whose ports are replaced; a replacement may be built on the port it replaces. */
export const engineWith = <O>(ports: Layer.Layer<O, never, Ports>) =>
  Layer.provideMerge(Engine.layer, Layer.provideMerge(ports, inMemoryPorts()))

type Body<A, E> = () => Effect.Effect<A, E, Service | Scope.Scope>

export const rule = <A, E>(
  name: string,
  body: Body<A, E>,
  settings: Partial<EngineSettings> = {},
  http: Partial<HttpSettings["Type"]> = {},
) =>
  it.scoped(name, () =>
    // Where rules of the file share a service, the clock is theirs, and stands where they left it.
    body().pipe(Effect.provide(InMemoryHttp.layer(settings, http)), Effect.provide(clockAt(0))),
  )

type RuleIn<R> = <A, E>(name: string, body: () => Effect.Effect<A, E, R | Scope.Scope>) => void

/** Rules in one service, which takes longer to build than most need: each uses an account of its own, or none. */
export const inOneService = (rules: (rule: RuleIn<Service>) => void): void =>
  layer(InMemoryHttp.layer())((shared) => rules((name, body) => shared.scoped(name, body)))

/** Rules that look at the same `scene`, made once in a service of its own: none of them may change it. */
export const inOneScene = <A, E>(
  scene: Effect.Effect<A, E, Service>,
  rules: (
    rule: <B, F>(name: string, body: (scene: A) => Effect.Effect<B, F, Service | Scope.Scope>) => void,
  ) => void,
): void => {
  const Scene = Context.GenericTag<A>("@mailroom/http/test/Scene")
  const made = Layer.effect(Scene, scene)
  layer(Layer.provideMerge(made, InMemoryHttp.layer()))((shared) =>
    rules((name, body) => shared.scoped(name, () => Effect.flatMap(Scene, body))),
  )
}
