/** The durable log of an account's events, page by page (decisions §4). A stream reads the same log as it grows. */
import { type AccountId, type EventFilter, type EventRecord, InvalidInput, seqOf } from "@mailroom/domain"
import { Context, Effect, Layer, Option } from "effect"
import { EventStore } from "../ports/stores/EventStore.js"

export interface LogQuery {
  /** the id of an event, to go on after it */
  readonly after: Option.Option<string>
  readonly filter: EventFilter
  readonly limit: number
}

export interface LogPage {
  readonly events: ReadonlyArray<EventRecord>
  readonly hasMore: boolean
  /** what to go on after: the last event that was looked at; null in an empty log */
  readonly nextAfter: string | null
}

export class EventLog extends Context.Tag("@mailroom/EventLog")<
  EventLog,
  {
    /**
     * Oldest first, from the beginning of the log or after an event. After an event that has left the log: what is left
     * of it. A page can be short, or empty, and yet not the last: `hasMore` tells.
     */
    readonly page: (accountId: AccountId, query: LogQuery) => Effect.Effect<LogPage, InvalidInput>
  }
>() {
  static readonly layer: Layer.Layer<EventLog, never, EventStore> = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const store = yield* EventStore

      const unknown = new InvalidInput({ issues: [{ path: "after", message: "is not the id of an event" }] })

      /** The number in an id that was this account's once, or is. */
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
          const start = Option.isNone(after) ? 0 : yield* numberOf(accountId, after.value)
          const { events, through, hasMore } = yield* store.page(accountId, { after: start, filter, limit })
          return { events, hasMore, nextAfter: through?.id ?? Option.getOrNull(after) }
        }),
      }
    }),
  )
}
