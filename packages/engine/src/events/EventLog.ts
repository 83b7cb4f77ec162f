/**
 * Reads the durable log of an account's events in pages (`spec: decisions.log.list`). Streams read the same log as it
 * grows.
 */
import { type AccountId, type EventFilter, type EventRecord, InvalidInput, seqOf } from "@mailroom/domain"
import { Context, Effect, Layer, Option } from "effect"
import { EventStore } from "../ports/stores/EventStore.js"

/** `after` of a page that is empty and only says where the log ends now. */
export const LATEST = "latest"

export interface LogQuery {
  /** the id of the event after which the page starts, or `LATEST`; none: from the beginning */
  readonly after: Option.Option<string>
  readonly filter: EventFilter
  readonly limit: number
}

export interface LogPage {
  readonly events: ReadonlyArray<EventRecord>
  readonly hasMore: boolean
  /** `after` of the next page: the last event that was looked at, whether it passed the filter; null in an empty log */
  readonly nextAfter: string | null
}

export class EventLog extends Context.Tag("@mailroom/EventLog")<
  EventLog,
  {
    /**
     * Events that pass the filter, oldest first. When the event `after` was removed from the log, starts at the oldest
     * event left. A page can be short or empty without being the last one: `hasMore` tells. After `LATEST` the page is
     * empty, and `nextAfter` is the newest event. `InvalidInput` when `after` was never the id of an event of this account.
     */
    readonly page: (accountId: AccountId, query: LogQuery) => Effect.Effect<LogPage, InvalidInput>
  }
>() {
  static readonly layer: Layer.Layer<EventLog, never, EventStore> = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const store = yield* EventStore

      const unknown = new InvalidInput({ issues: [{ path: "after", message: "is not the id of an event" }] })

      /** The number of an event, which may have been removed from the log. */
      const numberOf = Effect.fnUntraced(function* (accountId: AccountId, id: string) {
        const seq = Option.getOrElse(seqOf(id), () => 0)
        const event = yield* store.bySeq(accountId, seq)
        const isKnown = Option.isSome(event)
          ? event.value.id === id
          : seq > 0 && seq <= (yield* store.lastSeq(accountId))
        return isKnown ? seq : yield* unknown
      })

      return {
        page: Effect.fn("EventLog.page")(function* (accountId, { after, filter, limit }) {
          if (Option.contains(after, LATEST)) {
            const newest = yield* store.bySeq(accountId, yield* store.lastSeq(accountId))
            const nextAfter = Option.getOrNull(Option.map(newest, ({ id }) => id))
            return { events: [], hasMore: false, nextAfter }
          }
          const start = Option.isNone(after) ? 0 : yield* numberOf(accountId, after.value)
          const { events, through, hasMore } = yield* store.page(accountId, { after: start, filter, limit })
          return { events, hasMore, nextAfter: through?.id ?? Option.getOrNull(after) }
        }),
      }
    }),
  )
}
