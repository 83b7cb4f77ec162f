/** `Signals` of one process. */
import { Effect, Layer, Queue } from "effect"
import { Signals, type Topic } from "../ports/Signals.js"

/** Wakes the subscribers of a topic directly: publishing costs nothing for topics nobody waits on. */
export const layer: Layer.Layer<Signals> = Layer.sync(Signals, () => {
  const waiters = new Map<Topic, Set<Queue.Queue<void>>>()
  return {
    publish: (topics) =>
      Effect.forEach(
        new Set(topics),
        (topic) =>
          Effect.forEach(waiters.get(topic) ?? [], (waiter) => Queue.offer(waiter, undefined), {
            discard: true,
          }),
        { discard: true },
      ),
    subscribe: (topic) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.tap(Queue.sliding<void>(1), (waiter) =>
            Effect.sync(() => waiters.set(topic, (waiters.get(topic) ?? new Set()).add(waiter))),
          ),
          (waiter) =>
            Effect.sync(() => {
              const others = waiters.get(topic)
              others?.delete(waiter)
              if (others?.size === 0) waiters.delete(topic)
            }),
        ),
        (waiter) => ({ wait: Queue.take(waiter) }),
      ),
  }
})
