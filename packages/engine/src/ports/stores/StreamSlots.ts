/** Slots of an account across all processes: of event streams and of waiting requests, which are limited in number. */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export interface Slots {
  /**
   * Takes one of `max` slots and returns its number, 1 to `max`; none when all are taken. `held`: the slots of the account that
   * this process knows to hold. Others of this process are freed first: the answer of their transaction was lost.
   */
  readonly take: (
    accountId: AccountId,
    max: number,
    held: ReadonlyArray<number>,
  ) => Effect.Effect<Option.Option<number>>
  /**
   * Frees a slot that this process took. Another process frees the slots of one that died. A live process that was taken
   * for dead gets a signal on the topic `stream-slots`, and takes slots for its open streams and waits again.
   */
  readonly free: (accountId: AccountId, slot: number) => Effect.Effect<void>
}

/** The slots of open event streams (`spec: limits.rate.streams`: at most five). */
export class StreamSlots extends Context.Tag("@mailroom/StreamSlots")<StreamSlots, Slots>() {}

/** The slots of requests that wait for a message (`spec: sharing.wait.limit`: at most 20). */
export class WaitSlots extends Context.Tag("@mailroom/WaitSlots")<WaitSlots, Slots>() {}
