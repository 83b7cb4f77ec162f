/** The places of an account's open streams, counted over all processes (spec, Event stream: at most five). */
import type { AccountId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class StreamPlaces extends Context.Tag("@mailroom/StreamPlaces")<
  StreamPlaces,
  {
    /** Takes one of `max` places and returns its number, from 1; none when all are taken. */
    readonly take: (accountId: AccountId, max: number) => Effect.Effect<Option.Option<number>>
    /**
     * Gives back a place that this process took. The places of a process that died are freed by another one; a process
     * that was only taken for dead hears so on the topic `stream-places`, and takes places for its open streams again.
     */
    readonly free: (accountId: AccountId, place: number) => Effect.Effect<void>
  }
>() {}
