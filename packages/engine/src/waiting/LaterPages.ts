/**
 * The pages that waits and claims with a filter read after their first, because no message of the first matched. Accounts read
 * them in turn, as searches read stored texts.
 */
import type { AccountId, Overloaded } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"
import { READING_AT_ONCE } from "../workers/readingAtOnce.js"
import { yieldToSockets } from "../yieldToSockets.js"

/** Seconds after which a refused request should be tried again. */
const RETRY_AFTER = 1

export class LaterPages extends Context.Tag("@mailroom/LaterPages")<
  LaterPages,
  {
    /** Reads a page in the turn of the account, after sockets were served. `Overloaded` when too many requests wait for it. */
    readonly read: <A>(accountId: AccountId, page: Effect.Effect<A>) => Effect.Effect<A, Overloaded>
  }
>() {
  static readonly layer = Layer.sync(LaterPages, () => {
    const withPermit = makeFairSemaphore({ ...READING_AT_ONCE, retryAfter: RETRY_AFTER })
    return {
      read: (accountId, page) => Effect.zipRight(yieldToSockets, withPermit(accountId, page)),
    }
  })
}
