/**
 * The event log readers of this process, by account. Readers of one account that are woken together at the same position
 * and with the same filter share one query. Every 15 s one query for all accounts finds events whose signals were lost.
 */
import type { AccountId, EventFilter, EventRecord } from "@mailroom/domain"
import { type Cause, Effect, Exit, Option, RcMap, type Scope } from "effect"
import { acquireLight } from "../acquireLight.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import type { Signals } from "../ports/Signals.js"
import type { EventPage, EventStore } from "../ports/stores/EventStore.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"

/** Events that one query returns at most. */
const READ_MAX_EVENTS = 100
/** Bytes of envelopes that one query returns at most; its first event may be larger. */
const READ_MAX_BYTES = 256 * 1024

const keyOf = (set: Iterable<string> | null): string => (set === null ? "*" : [...set].sort().join(","))

/** One reader's position in the log, and the page that it has not taken yet. */
export class LogReader {
  /** number of the last event that was read; infinite until `start` */
  position = Number.POSITIVE_INFINITY
  /** whether the log may have events after `position` that neither `page` nor the running query has */
  isStale = false
  isReading = false
  page: ReadonlyArray<EventRecord> = []
  failure: Option.Option<Cause.Cause<never>> = Option.none()
  readonly filterKey: string

  constructor(
    private readonly feed: AccountFeed,
    readonly filter: EventFilter,
    /** called when `take` may return events */
    readonly onEvents: () => void,
  ) {
    this.filterKey = `${keyOf(filter.mailboxes)} ${keyOf(filter.kinds)}`
  }

  /** `AccountFeed.take` of this reader. */
  get take(): Effect.Effect<ReadonlyArray<EventRecord>> {
    return this.feed.take(this)
  }

  /** Starts reading after the event with this number. `hasMore`: whether the log may have events after it. */
  start(position: number, hasMore: boolean): void {
    this.position = position
    this.isStale ||= hasMore
  }

  /** Called when the log may have new events. */
  wake(): void {
    this.isStale = true
    if (!this.isReading) this.onEvents()
  }

  complete(read: Exit.Exit<EventPage>): void {
    this.isReading = false
    if (Exit.isFailure(read)) this.failure = Option.some(read.cause)
    else {
      const { events, through, hasMore } = read.value
      this.page = events
      this.position = through?.seq ?? this.position
      this.isStale ||= hasMore
    }
    if (this.isStale || this.page.length > 0 || Option.isSome(this.failure)) this.onEvents()
  }
}

/** The readers of one account's log in this process. Events come from `EventStore`; a feed stores none. */
export class AccountFeed {
  private readonly readers = new Set<LogReader>()
  private readonly leave = (reader: LogReader) => Effect.sync(() => this.readers.delete(reader))
  /** Running queries that started after the last signal, by position and filter. */
  private readonly reads = new Map<string, Set<LogReader>>()

  constructor(
    private readonly accountId: AccountId,
    private readonly store: EventStore["Type"],
    private readonly scope: Scope.Scope,
  ) {}

  /** Adds a reader until the scope closes. Every signal wakes it from now on. */
  join(reader: LogReader): Effect.Effect<LogReader, never, Scope.Scope> {
    return acquireLight(
      Effect.sync(() => {
        this.readers.add(reader)
        return reader
      }),
      this.leave,
    )
  }

  /** Wakes the readers that have not read the event `seq`, the newest one. Without `seq`, wakes all readers. */
  wake(seq = Number.POSITIVE_INFINITY): void {
    // A running query may have missed the new event, so no reader may join it any more.
    this.reads.clear()
    for (const reader of this.readers)
      if (reader.position < seq || seq === Number.POSITIVE_INFINITY) reader.wake()
  }

  /**
   * Takes the reader's page: its next events, each once; empty when none are there yet. Does not wait for the store: it
   * starts a query in the background, which retries while storage is unavailable, and calls `onEvents` at its end.
   */
  take(reader: LogReader): Effect.Effect<ReadonlyArray<EventRecord>> {
    return Effect.suspend(() => {
      if (Option.isSome(reader.failure)) return Effect.failCause(reader.failure.value)
      const events = reader.page
      reader.page = []
      if (events.length > 0 || !reader.isStale || reader.isReading) return Effect.succeed(events)
      return Effect.as(this.read(reader), events)
    })
  }

  private read(reader: LogReader): Effect.Effect<void> {
    reader.isStale = false
    reader.isReading = true
    const { position: after, filter } = reader
    const key = `${after} ${reader.filterKey}`
    const joined = this.reads.get(key)
    if (joined !== undefined) {
      joined.add(reader)
      return Effect.void
    }
    const members = new Set([reader])
    this.reads.set(key, members)
    const query = { after, filter, limit: READ_MAX_EVENTS, maxBytes: READ_MAX_BYTES }
    return retryWhileUnavailable(this.store.page(this.accountId, query)).pipe(
      Effect.exit,
      Effect.map((read) => {
        if (this.reads.get(key) === members) this.reads.delete(key)
        for (const member of members) member.complete(read)
      }),
      Effect.forkIn(this.scope),
      Effect.asVoid,
    )
  }
}

/** One feed for each account, kept while the scope of any caller of `feedOf` is open. */
export const makeAccountFeeds = (store: EventStore["Type"], signals: Signals["Type"]) =>
  Effect.gen(function* () {
    const feeds = new Map<AccountId, AccountFeed>()

    const wakeBehind = Effect.suspend(() =>
      Effect.map(store.lastSeqs([...feeds.keys()]), (newest) => {
        for (const { accountId, seq } of newest) feeds.get(accountId)?.wake(seq)
      }),
    )
    const { setNeeded } = yield* makeFallbackLook("events", wakeBehind)

    const register = (accountId: AccountId, feed: AccountFeed) =>
      acquireLight(
        Effect.sync(() => {
          feeds.set(accountId, feed)
          setNeeded(true)
        }),
        () =>
          Effect.sync(() => {
            if (feeds.get(accountId) === feed) feeds.delete(accountId)
            setNeeded(feeds.size > 0)
          }),
      )

    const shared = yield* RcMap.make({
      lookup: (accountId: AccountId) =>
        Effect.gen(function* () {
          const feed = new AccountFeed(accountId, store, yield* Effect.scope)
          yield* register(accountId, feed)
          yield* signals.listen(`events:${accountId}`, () => feed.wake())
          return feed
        }),
    })
    return { feedOf: (accountId: AccountId) => RcMap.get(shared, accountId) }
  })
