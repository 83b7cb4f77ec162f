/** Stripe's errors, as far as they differ for us (docs.stripe.com/api/errors). */
import { Data, Effect } from "effect"
import { Stripe } from "stripe"

export class StripeRefusal extends Data.TaggedError("StripeRefusal")<{
  /** `missing`: what the path names is not there; `declined`: the money was not to be had; `away`: all the rest */
  readonly kind: "missing" | "declined" | "away"
  /** for the log: what to look for at Stripe, and nothing of a key or a customer, as the words of an error have */
  readonly report: Readonly<Record<string, unknown>>
}> {}

const refusalOf = (error: unknown): StripeRefusal => {
  if (!(error instanceof Stripe.errors.StripeError))
    return new StripeRefusal({ kind: "away", report: { type: "unknown" } })
  const { type, code, param, statusCode, requestId } = error
  const kind = statusCode === 404 ? "missing" : statusCode === 402 ? "declined" : "away"
  return new StripeRefusal({ kind, report: { type, code, param, statusCode, requestId } })
}

/** Asks Stripe. That it is away, or takes no such request from us, is for the operator to know. */
export const asking = <A>(what: string, request: () => Promise<A>): Effect.Effect<A, StripeRefusal> =>
  Effect.tryPromise({ try: request, catch: refusalOf }).pipe(
    Effect.tapError(({ kind, report }) =>
      kind === "away"
        ? Effect.annotateLogs(Effect.logWarning(`Stripe did not answer as it should: ${what}`), report)
        : Effect.void,
    ),
  )
