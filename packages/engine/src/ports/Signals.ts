/** Wake-up signals: something under a topic changed. A signal carries no data; the subscriber reads the store. */
import { Context, type Effect, type Scope } from "effect"

/** A topic of one account: `events:` has new events, `account:` has changed credentials or state, `claims:` ended claims. */
export type AccountTopic = `events:${string}` | `account:${string}` | `claims:${string}`

/** The tracks of `DeliveryWorker`: for mail within its tenant's share, for mail beyond it, and for large or slow mail. */
export type MailTopic = "mail" | "mail-backlog" | "mail-slow"

/** Work queues. Any one of the processes that listen works them off. */
export type WorkTopic = MailTopic | "jobs" | "webhooks"

/**
 * `stream-slots` is only signalled within a process: another one took it for dead and freed its stream slots
 * (`StreamSlots`).
 */
export type Topic = AccountTopic | WorkTopic | "stream-slots"

/**
 * Signals can be lost with a connection between processes, so every subscriber also polls the store (docs/decisions/0024). Signals of one topic that are
 * published close together may arrive as one.
 */
export class Signals extends Context.Tag("@mailroom/Signals")<
  Signals,
  {
    readonly publish: (topics: Iterable<Topic>) => Effect.Effect<void>
    /**
     * Calls `onSignal` for each signal of a topic until the scope closes. Read the store after this returns: changes from
     * then on are signalled. `onSignal` must neither throw nor block.
     */
    readonly listen: (topic: Topic, onSignal: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** As `listen`. `wait` returns at the next signal, or at once if one came since the last `wait`. */
    readonly subscribe: (
      topic: Topic,
    ) => Effect.Effect<{ readonly wait: Effect.Effect<void> }, never, Scope.Scope>
  }
>() {}
