/** The slots of an account's open streams, counted over all processes (spec, Event stream: at most five). */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class StreamSlots extends Context.Tag("@mailroom/StreamSlots")<
  StreamSlots,
  {
    /** Takes one of `max` slots and returns its number, from 1; none when all are taken. */
    readonly take: (accountId: AccountId, max: number) => Effect.Effect<Option.Option<number>>
    /**
     * Gives back a slot that this process took. The slots of a process that died are freed by another one; a process
     * that was only taken for dead hears so on the topic `stream-slots`, and takes slots for its open streams again.
     */
    readonly free: (accountId: AccountId, slot: number) => Effect.Effect<void>
  }
>() {}
