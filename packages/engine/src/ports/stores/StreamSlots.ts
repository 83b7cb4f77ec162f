/** The slots of an account's open event streams, across all processes (`spec: limits.rate.streams`: at most five). */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class StreamSlots extends Context.Tag("@mailroom/StreamSlots")<
  StreamSlots,
  {
    /** Takes one of `max` slots and returns its number, 1 to `max`; none when all are taken. */
    readonly take: (accountId: AccountId, max: number) => Effect.Effect<Option.Option<number>>
    /**
     * Frees a slot that this process took. Another process frees the slots of one that died. A live process that was taken
     * for dead gets a signal on the topic `stream-slots`, and takes slots for its open streams again.
     */
    readonly free: (accountId: AccountId, slot: number) => Effect.Effect<void>
  }
>() {}
