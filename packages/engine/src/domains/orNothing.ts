/** Look-ups to which nothing is an answer. */
import { Effect } from "effect"
import type { DnsFailure } from "../ports/Dns.js"

/** What DNS has, where having nothing is an answer too. */
export const orNothing = <A>(
  lookup: Effect.Effect<ReadonlyArray<A>, DnsFailure>,
): Effect.Effect<ReadonlyArray<A>, DnsFailure> =>
  Effect.catchIf(
    lookup,
    ({ reason }) => reason === "not found",
    () => Effect.succeed([]),
  )
