/** One layer of many. */
import { Context, Effect, Layer } from "effect"

type Any = Layer.Layer<never, unknown, unknown>

type Provided<Layers extends ReadonlyArray<Any>> = {
  [K in keyof Layers]: Layer.Layer.Success<Layers[K]>
}[number]
type Failure<Layers extends ReadonlyArray<Any>> = {
  [K in keyof Layers]: Layer.Layer.Error<Layers[K]>
}[number]
type Needed<Layers extends ReadonlyArray<Any>> = {
  [K in keyof Layers]: Layer.Layer.Context<Layers[K]>
}[number]

/**
 * Builds the layers one after another, each with the services of those before it, and provides the services of all. The compiler does
 * not see a layer that stands before one it needs: building it dies with the name of the missing service. Takes half of the time of
 * `Layer.mergeAll` and `Layer.provideMerge` (docs/decisions/0080).
 */
export function inOrder<Layers extends ReadonlyArray<Any>>(
  ...layers: Layers
): Layer.Layer<Provided<Layers>, Failure<Layers>, Exclude<Needed<Layers>, Provided<Layers>>>
export function inOrder(...layers: ReadonlyArray<Layer.Layer<never>>): Any {
  return Layer.scopedContext(
    Effect.gen(function* () {
      const memoMap = yield* Layer.CurrentMemoMap
      const scope = yield* Effect.scope
      let available = yield* Effect.context<never>()
      const built: Array<Context.Context<never>> = []
      for (const layer of layers) {
        const known = available
        const services = yield* Layer.buildWithMemoMap(layer, memoMap, scope).pipe(
          Effect.mapInputContext<never, never>(() => known),
        )
        available = Context.merge(available, services)
        built.push(services)
      }
      return Context.mergeAll(...built)
    }),
  )
}
