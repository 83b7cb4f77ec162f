/** Wake-up calls: "there is something new under this topic". They carry nothing; who wakes reads the store. */
import { Context, type Effect, type Scope } from "effect"

/** `events:{accountId}`, `account:{accountId}` (who may speak for it has changed), or a queue of work. */
export type Topic = `events:${string}` | `account:${string}` | MailTopic | "jobs" | "webhooks"

/** Mail to deliver: within its tenant's share, beyond it, large or slow (`InboundQueue`). */
export type MailTopic = "mail" | "mail-backlog" | "mail-slow"

/**
 * A signal may be missed (a lost connection between processes), never invented: whoever waits also looks by itself
 * now and then. Signals of one topic that come close together may reach a waiter as one.
 */
export class Signals extends Context.Tag("@mailroom/Signals")<
  Signals,
  {
    readonly publish: (topics: Iterable<Topic>) => Effect.Effect<void>
    /** From now until the scope closes; `wait` returns at once when a signal came since the last `wait`. */
    readonly subscribe: (
      topic: Topic,
    ) => Effect.Effect<{ readonly wait: Effect.Effect<void> }, never, Scope.Scope>
  }
>() {}
