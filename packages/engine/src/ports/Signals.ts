/** Wake-up calls: "there is something new under this topic". A signal carries no data; the receiver reads the store. */
import { Context, type Effect, type Scope } from "effect"

/** A topic of one account: its events, or who may speak for it. */
export type AccountTopic = `events:${string}` | `account:${string}`

/** Mail to deliver: within its tenant's share, beyond it, large or slow (`InboundQueue`). */
export type MailTopic = "mail" | "mail-backlog" | "mail-slow"

/** Queues of work, which one of the processes that wait for it empties. */
export type WorkTopic = MailTopic | "jobs" | "webhooks"

/**
 * `stream-slots` stays in its process: another process took this one for dead and freed the places of its event
 * streams (`StreamSlots`).
 */
export type Topic = AccountTopic | WorkTopic | "stream-slots"

/**
 * A signal may be missed (a lost connection between processes), so every receiver also looks by itself now and then.
 * Signals of one topic that come close together may arrive as one.
 */
export class Signals extends Context.Tag("@mailroom/Signals")<
  Signals,
  {
    readonly publish: (topics: Iterable<Topic>) => Effect.Effect<void>
    /**
     * Calls `onSignal` for the signals of a topic until the scope closes. Once this returns, no signal is missed: the
     * caller reads the store afterwards. `onSignal` neither throws nor blocks.
     */
    readonly listen: (topic: Topic, onSignal: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** As `listen`; `wait` returns at once when a signal came since the last `wait`. */
    readonly subscribe: (
      topic: Topic,
    ) => Effect.Effect<{ readonly wait: Effect.Effect<void> }, never, Scope.Scope>
  }
>() {}
