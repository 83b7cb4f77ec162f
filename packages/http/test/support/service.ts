/** A test with a whole service of its own: nothing of another test is in it. */
import { it } from "@effect/vitest"
import type { EngineSettings } from "@mailroom/engine"
import type { HttpSettings } from "@mailroom/http"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect, type Layer, type Scope } from "effect"

/** Everything a test can look into. */
export type Service = Layer.Layer.Success<ReturnType<typeof InMemoryHttp.layer>>

type Body<A, E> = () => Effect.Effect<A, E, Service | Scope.Scope>

export const rule = <A, E>(
  name: string,
  body: Body<A, E>,
  settings: Partial<EngineSettings> = {},
  http: Partial<HttpSettings["Type"]> = {},
) => it.scoped(name, () => Effect.provide(body(), InMemoryHttp.layer(settings, http)))
