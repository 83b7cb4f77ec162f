/** `Signals` of one process. */
import { Effect, Layer, Queue } from "effect"
import { Signals, type Topic } from "../ports/Signals.js"

export interface InProcess {
  readonly subscribe: Signals["Type"]["subscribe"]
  readonly publish: Signals["Type"]["publish"]
  /** Wakes the waiters of these topics, if they are topics at all. */
  readonly wake: (topics: Iterable<string>) => Effect.Effect<void>
  /** Whether somebody waits for it in this process. */
  readonly isWaitedFor: (topic: Topic) => boolean
  /** Wakes everybody: what they would have been told was missed. */
  readonly wakeAll: Effect.Effect<void>
}

/** Wakes the subscribers of a topic directly: publishing costs nothing for topics nobody waits on. */
export const make = (): InProcess => {
  const waiters = new Map<string, Set<Queue.Queue<void>>>()
  const wake = (topics: Iterable<string>) =>
    Effect.forEach(
      new Set(topics),
      (topic) =>
        Effect.forEach(waiters.get(topic) ?? [], (waiter) => Queue.offer(waiter, undefined), {
          discard: true,
        }),
      { discard: true },
    )
  return {
    wake,
    publish: wake,
    isWaitedFor: (topic) => waiters.has(topic),
    wakeAll: Effect.suspend(() => wake(waiters.keys())),
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
}

export const layer: Layer.Layer<Signals> = Layer.sync(Signals, make)
