/** Bounds the memory of large events that are posted to webhooks at the same time (docs/decisions/0039). */
import {
  type AccountId,
  LARGE_DELIVERIES_MAX_BYTES,
  LARGE_DELIVERIES_MAX_BYTES_PER_ACCOUNT,
} from "@mailroom/domain"
import { Effect, type Option } from "effect"

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
  const held = new Map<AccountId, number>()
  let total = 0

  const add = (account: AccountId, bytes: number): void => {
    total += bytes
    const now = (held.get(account) ?? 0) + bytes
    if (now === 0) held.delete(account)
    else held.set(account, now)
  }
  const hasRoom = (account: AccountId, bytes: number): boolean => {
    const own = held.get(account) ?? 0
    return (
      (own === 0 || own + bytes <= LARGE_DELIVERIES_MAX_BYTES_PER_ACCOUNT) &&
      (total === 0 || total + bytes <= LARGE_DELIVERIES_MAX_BYTES)
    )
  }

  return {
    during: (account, eventBytes, delivery) => {
      const bytes = eventBytes * MEMORY_PER_BYTE
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          const isAdmitted = hasRoom(account, bytes)
          if (isAdmitted) add(account, bytes)
          return isAdmitted
        }),
        (isAdmitted) => (isAdmitted ? Effect.asSome(delivery) : Effect.succeedNone),
        (isAdmitted) => Effect.sync(() => (isAdmitted ? add(account, -bytes) : undefined)),
      )
    },
  }
}
