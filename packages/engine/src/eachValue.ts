/** Work on many items of which few need an effect. */
import { Effect } from "effect"

const isEffect = <B, E, R>(result: B | Effect.Effect<B, E, R>): result is Effect.Effect<B, E, R> =>
  Effect.isEffect(result)

/**
 * As `Effect.forEach`, for a function that returns most results as plain values: only effects run as such, up to `concurrency` at a
 * time. `Effect.forEach` with a concurrency starts a fiber for each item (docs/decisions/0002).
 * Results must not be effects themselves, as `Option` and `Either` are.
 */
export const eachValue = <A, B, E = never, R = never>(
  items: ReadonlyArray<A>,
  of: (item: A, index: number) => B | Effect.Effect<B, E, R>,
  concurrency: number,
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.suspend(() => {
    const values: Array<B> = []
    const waiting: Array<readonly [number, Effect.Effect<B, E, R>]> = []
    for (const [index, item] of items.entries()) {
      const result = of(item, index)
      if (isEffect(result)) waiting.push([index, result])
      else values[index] = result
    }
    if (waiting.length === 0) return Effect.succeed(values)
    return Effect.as(
      Effect.forEach(
        waiting,
        ([index, effect]) =>
          Effect.map(effect, (value) => {
            values[index] = value
          }),
        { concurrency, discard: true },
      ),
      values,
    )
  })
