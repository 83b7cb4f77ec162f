/** `Signals` within one process. */
import { Effect, Layer, Queue } from "effect"
import { acquireLight } from "../acquireLight.js"
import { Signals, type Topic } from "../ports/Signals.js"

type SignalsService = Signals["Type"]

/** Makes `subscribe` from `listen`. */
export const subscribeBy =
  (listen: SignalsService["listen"]): SignalsService["subscribe"] =>
  (topic) =>
    Effect.gen(function* () {
      const signals = yield* Queue.sliding<void>(1)
      yield* listen(topic, () => {
        signals.unsafeOffer(undefined)
      })
      return { wait: Queue.take(signals) }
    })

export interface InProcess extends SignalsService {
  /** Calls the listeners of these topics. Unknown names are ignored. */
  readonly wake: (topics: Iterable<string>) => void
  /** Calls every listener. */
  readonly wakeAll: () => void
  /** Whether this process has a listener for the topic. */
  readonly isListenedTo: (topic: Topic) => boolean
}

export const make = (): InProcess => {
  const listeners = new Map<string, Set<() => void>>()

  const wake = (topics: Iterable<string>): void => {
    for (const topic of new Set(topics)) for (const listener of listeners.get(topic) ?? []) listener()
  }

  const listen: SignalsService["listen"] = (topic, onSignal) =>
    Effect.asVoid(
      acquireLight(
        Effect.sync(() => {
          // A new function for each call, so that one `onSignal` can listen twice.
          const listener = () => onSignal()
          listeners.set(topic, (listeners.get(topic) ?? new Set()).add(listener))
          return listener
        }),
        (listener) =>
          Effect.sync(() => {
            const others = listeners.get(topic)
            others?.delete(listener)
            if (others?.size === 0) listeners.delete(topic)
          }),
      ),
    )

  return {
    publish: (topics) => Effect.sync(() => wake(topics)),
    listen,
    subscribe: subscribeBy(listen),
    wake,
    wakeAll: () => wake([...listeners.keys()]),
    isListenedTo: (topic) => listeners.has(topic),
  }
}

export const layer: Layer.Layer<Signals> = Layer.sync(Signals, make)
