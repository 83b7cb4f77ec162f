/**
 * Live events of an account (spec, Event stream). A stream is a slot in the durable log. Signals only wake it, so a slow
 * reader keeps no events in memory, and no reader misses an event that committed late.
 */
import {
  type AccountId,
  type EventFilter,
  type EventRecord,
  replayWindow,
  seqOf,
  STREAMS_MAX_PER_ACCOUNT,
  TooManyStreams,
} from "@mailroom/domain"
import { Chunk, Clock, Context, Effect, Layer, Option, type Scope, Stream } from "effect"
import { acquireLight } from "../acquireLight.js"
import { Metrics } from "../metrics.js"
import { Signals } from "../ports/Signals.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { StreamSlots } from "../ports/stores/StreamSlots.js"
import { LogReader, makeAccountFeeds } from "./AccountFeeds.js"
import { type HeldSlot, makeHeldSlots } from "./heldSlots.js"

export interface EventReader {
  /**
   * The next events, oldest first: at most 100, and at most 256 kB unless it is one event. None while there are none.
   * Does not wait for the store: while a read is under way it returns none, and `onEvents` is called after the read.
   */
  readonly take: Effect.Effect<ReadonlyArray<EventRecord>>
}

export class EventStreams extends Context.Tag("@mailroom/EventStreams")<
  EventStreams,
  {
    /**
     * Takes one of the account's five slots until the scope closes. The events start after `lastEventId`; an id that
     * is not in the replay window (100 events, an hour) replays all of it; without one, with the next event.
     */
    readonly open: (
      accountId: AccountId,
      filter: EventFilter,
      lastEventId: Option.Option<string>,
    ) => Effect.Effect<Stream.Stream<EventRecord>, TooManyStreams, Scope.Scope>
    /**
     * As `open`, without a fiber that waits: `onEvents` is called when `take` may have something. Call `take` once at
     * the start, and after each call of `onEvents` until it returns none.
     */
    readonly read: (
      accountId: AccountId,
      filter: EventFilter,
      lastEventId: Option.Option<string>,
      onEvents: () => void,
    ) => Effect.Effect<EventReader, TooManyStreams, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<EventStreams, never, EventStore | Signals | StreamSlots> = Layer.scoped(
    EventStreams,
    Effect.gen(function* () {
      const store = yield* EventStore
      const signals = yield* Signals
      const slots = yield* makeHeldSlots(yield* StreamSlots, signals)
      const { feedOf } = yield* makeAccountFeeds(store, signals)

      const freePlace = (slot: HeldSlot) => Effect.zipRight(slots.free(slot), Metrics.streamClosed)

      const takePlace = (accountId: AccountId) =>
        acquireLight(
          Effect.flatMap(
            slots.take(accountId),
            Option.match({
              onNone: () => new TooManyStreams({ limit: STREAMS_MAX_PER_ACCOUNT }),
              onSome: (slot) => Effect.as(Metrics.streamOpened, slot),
            }),
          ),
          freePlace,
        )

      /** The number after which this reader's events begin. */
      const startAfter = Effect.fnUntraced(function* (
        accountId: AccountId,
        lastEventId: Option.Option<string>,
      ) {
        if (Option.isNone(lastEventId)) return yield* store.lastSeq(accountId)
        const { since, max } = replayWindow(yield* Clock.currentTimeMillis)
        const oldest = yield* store.replayStart(accountId, since, max)
        const seq = Option.getOrElse(seqOf(lastEventId.value), () => -1)
        const known = yield* store.bySeq(accountId, seq)
        return Option.isSome(known) && known.value.id === lastEventId.value ? Math.max(seq, oldest) : oldest
      })

      const read = Effect.fn("EventStreams.read")(function* (
        accountId: AccountId,
        filter: EventFilter,
        lastEventId: Option.Option<string>,
        onEvents: () => void,
      ) {
        yield* takePlace(accountId)
        // Joined before the log is read: an event that is written in between wakes the reader.
        const feed = yield* feedOf(accountId)
        const reader = yield* feed.join(new LogReader(feed, filter, onEvents))
        reader.start(yield* startAfter(accountId, lastEventId), Option.isSome(lastEventId))
        return reader
      })

      return {
        read,
        open: Effect.fn("EventStreams.open")(function* (accountId, filter, lastEventId) {
          const more = Effect.unsafeMakeLatch(false)
          const { take } = yield* read(accountId, filter, lastEventId, () => more.unsafeOpen())
          const next: Effect.Effect<Chunk.Chunk<EventRecord>> = Effect.suspend(() => {
            // Closed before the log is asked: what comes meanwhile opens it.
            more.unsafeClose()
            return Effect.flatMap(take, (events) =>
              events.length > 0
                ? Effect.succeed(Chunk.fromIterable(events))
                : Effect.zipRight(more.await, next),
            )
          })
          return Stream.repeatEffectChunk(next)
        }),
      }
    }),
  )
}
