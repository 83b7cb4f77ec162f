/**
 * Live events of an account (spec, Event stream). A stream reads the durable log and is only woken by signals, so a
 * slow reader holds nothing in memory and nobody misses an event that committed late.
 */
import {
  type EventFilter,
  type EventRecord,
  type AccountId,
  replayWindow,
  SECOND,
  seqOf,
  STREAMS_MAX_PER_ACCOUNT,
  TooManyStreams,
} from "@mailroom/domain"
import { Chunk, Clock, Context, Effect, Layer, Option, type Scope, Stream } from "effect"
import { Metrics } from "../metrics.js"
import { outlasting } from "../outlasting.js"
import { Signals } from "../ports/Signals.js"
import { EventStore } from "../ports/stores/EventStore.js"
import { StreamPlaces } from "../ports/stores/StreamPlaces.js"

/** How many events one look at the log takes. */
const PAGE = 100
/** How often the log is looked at when no signal comes. */
const POLL = 15 * SECOND

export class EventStreams extends Context.Tag("@mailroom/EventStreams")<
  EventStreams,
  {
    /**
     * Takes one of the account's five places until the scope closes. The events start after `lastEventId`; an id that
     * is not in the replay window (100 events, an hour) replays all of it; without one, with the next event.
     */
    readonly open: (
      accountId: AccountId,
      filter: EventFilter,
      lastEventId: Option.Option<string>,
    ) => Effect.Effect<Stream.Stream<EventRecord>, TooManyStreams, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<EventStreams, never, EventStore | Signals | StreamPlaces> = Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      const store = yield* EventStore
      const signals = yield* Signals
      const places = yield* StreamPlaces

      /** A place that cannot be given back now, because the store is away, is given back when it is there. */
      const giveBack = (accountId: AccountId, place: number) =>
        Effect.catchAllCause(places.free(accountId, place), () =>
          Effect.forkDaemon(outlasting(places.free(accountId, place))),
        )

      const takePlace = (accountId: AccountId) =>
        Effect.acquireRelease(
          Effect.flatMap(
            places.take(accountId, STREAMS_MAX_PER_ACCOUNT),
            Option.match({
              onNone: () => new TooManyStreams({ limit: STREAMS_MAX_PER_ACCOUNT }),
              onSome: (place) => Effect.as(Metrics.streamOpened, place),
            }),
          ),
          (place) => Effect.zipRight(giveBack(accountId, place), Metrics.streamClosed),
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

      return {
        open: Effect.fn("EventStreams.open")(function* (accountId, filter, lastEventId) {
          yield* takePlace(accountId)
          // Subscribed before the log is read: what is written in between wakes the reader once too often, not never.
          const { wait } = yield* signals.subscribe(`events:${accountId}`)
          const after = yield* startAfter(accountId, lastEventId)
          return Stream.paginateChunkEffect(after, (seq) =>
            Effect.gen(function* () {
              const page = yield* outlasting(store.page(accountId, { after: seq, filter, limit: PAGE }))
              if (page.events.length === 0 && !page.hasMore) yield* Effect.timeoutOption(wait, POLL)
              return [Chunk.fromIterable(page.events), Option.some(page.through?.seq ?? seq)] as const
            }),
          )
        }),
      }
    }),
  )
}
