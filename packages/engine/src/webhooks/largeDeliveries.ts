/** Bounds the memory of large events that are posted to webhooks at the same time (docs/decisions/0039). */
import {
  type AccountId,
  LARGE_DELIVERIES_MAX_BYTES,
  LARGE_DELIVERIES_MAX_BYTES_PER_ACCOUNT,
} from "@mailroom/domain"
import { Effect, type Option } from "effect"
import { makeByteShares } from "../byteShares.js"

/** A text may have two bytes for each of UTF-8, and the request has them again. */
const MEMORY_PER_BYTE = 3

export interface LargeDeliveries {
  /** Runs the delivery of an event of so many bytes; none when there is no room for it now. Does not wait. */
  readonly during: <A, E, R>(
    account: AccountId,
    eventBytes: number,
    delivery: Effect.Effect<A, E, R>,
  ) => Effect.Effect<Option.Option<A>, E, R>
}

export const makeLargeDeliveries = (): LargeDeliveries => {
  const shares = makeByteShares({
    perAccount: LARGE_DELIVERIES_MAX_BYTES_PER_ACCOUNT,
    total: LARGE_DELIVERIES_MAX_BYTES,
  })
  return {
    during: (account, eventBytes, delivery) => {
      const bytes = eventBytes * MEMORY_PER_BYTE
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          const isAdmitted = shares.exceeded(account, bytes) === null
          if (isAdmitted) shares.add(account, bytes)
          return isAdmitted
        }),
        (isAdmitted) => (isAdmitted ? Effect.asSome(delivery) : Effect.succeedNone),
        (isAdmitted) => Effect.sync(() => (isAdmitted ? shares.add(account, -bytes) : undefined)),
      )
    },
  }
}
