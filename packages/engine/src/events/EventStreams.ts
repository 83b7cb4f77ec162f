/**
 * Live event streams of an account (docs/specification/channels.md). A stream is a position in the durable log; signals
 * only wake it. So a slow reader keeps no events in memory, and no reader misses an event that committed late.
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
import { type HeldSlot, makeProcessSlots } from "./processSlots.js"

export interface EventReader {
  /**
   * The next events, oldest first: at most 100, and at most 256 kB unless it is one event; empty when none are there
   * yet. Does not wait for the store: it returns none while a query runs, and `onEvents` is called after the query.
   */
  readonly take: Effect.Effect<ReadonlyArray<EventRecord>>
}

export class EventStreams extends Context.Tag("@mailroom/EventStreams")<
  EventStreams,
  {
    /**
     * Takes one of the account's five slots until the scope closes. The stream starts after the event `lastEventId`, or,
     * without one, with the next event. An id outside the replay window (100 events, 1 hour) replays the whole window.
     */
    readonly open: (
      accountId: AccountId,
      filter: EventFilter,
      lastEventId: Option.Option<string>,
    ) => Effect.Effect<Stream.Stream<EventRecord>, TooManyStreams, Scope.Scope>
    /**
     * As `open`, without a waiting fiber: `onEvents` is called when `take` may return events. Call `take` once at the
     * start, and after each call of `onEvents` until it returns none.
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
      const slots = yield* makeProcessSlots(yield* StreamSlots, STREAMS_MAX_PER_ACCOUNT, signals)
      const { feedOf } = yield* makeAccountFeeds(store, signals)

      const freeSlot = (slot: HeldSlot) => Effect.zipRight(slots.free(slot), Metrics.streamClosed)

      const takeSlot = (accountId: AccountId) =>
        acquireLight(
          Effect.flatMap(
            slots.take(accountId),
            Option.match({
              onNone: () => new TooManyStreams({ limit: STREAMS_MAX_PER_ACCOUNT }),
              onSome: (slot) => Effect.as(Metrics.streamOpened, slot),
            }),
          ),
          freeSlot,
        )

      /** The number of the event after which the stream starts. */
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
        yield* takeSlot(accountId)
        // Joined before the log is read, so that an event written in between wakes the reader.
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
            // Closed before the log is read: an event written in between opens it again.
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
