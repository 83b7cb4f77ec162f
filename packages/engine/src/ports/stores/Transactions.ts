/** Database transactions over all stores. */
import { Context, type Effect } from "effect"

/**
 * Runs the store calls of an effect in one transaction: durable when it succeeds, rolled back when it fails, dies or is
 * interrupted. A nested `run` joins the outer transaction. Keep transactions short: no network calls inside.
 */
export class Transactions extends Context.Tag("@mailroom/Transactions")<
  Transactions,
  { readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>() {}
