/** One unit of work over all stores. */
import { Context, type Effect } from "effect"

/**
 * Runs the effect's store calls as one transaction: all or nothing, durable when it succeeds, rolled back when it
 * fails, dies or is interrupted. A transaction inside a transaction joins it. No calls to the outside world belong
 * inside: a transaction is short.
 */
export class Transactions extends Context.Tag("@mailroom/Transactions")<
  Transactions,
  { readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>() {}
