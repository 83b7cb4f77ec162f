/**
 * The readers of event logs in this process, by account. Readers of one account that are woken together and stand at
 * the same place share one read of the log; one look every 15 s covers all accounts whose signals were missed.
 */
import type { AccountId, EventFilter, EventRecord } from "@mailroom/domain"
import { type Cause, Effect, Exit, Option, RcMap, type Scope } from "effect"
import { acquireLight } from "../acquireLight.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import type { Signals } from "../ports/Signals.js"
import type { EventPage, EventStore } from "../ports/stores/EventStore.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"

/** Events that one read of the log returns at most. */
const PAGE = 100
/** Bytes of envelopes at which a read ends early; one event is returned whatever its size. */
const PAGE_MAX_BYTES = 256 * 1024

const keyOf = (set: Iterable<string> | null): string => (set === null ? "*" : [...set].sort().join(","))

/** One reader's place in the log, and the page it was given last. */
export class LogReader {
  /** the number through which the log was read; infinite until the reader has started */
  position = Number.POSITIVE_INFINITY
  /** whether the log may have more after `position` than the read under way will find */
  isStale = false
  isReading = false
  page: ReadonlyArray<EventRecord> = []
  failure: Option.Option<Cause.Cause<never>> = Option.none()
  readonly filterKey: string

  constructor(
    private readonly feed: AccountFeed,
    readonly filter: EventFilter,
    /** there may be something to take */
    readonly onEvents: () => void,
  ) {
    this.filterKey = `${keyOf(filter.mailboxes)} ${keyOf(filter.kinds)}`
  }

  /** The next events (`AccountFeed.take`). */
  get take(): Effect.Effect<ReadonlyArray<EventRecord>> {
    return this.feed.take(this)
  }

  /** Begins after the event with this number. */
  start(position: number, hasMore: boolean): void {
    this.position = position
    this.isStale ||= hasMore
  }

  /** The log has, or may have, more. */
  wake(): void {
    this.isStale = true
    if (!this.isReading) this.onEvents()
  }

  settle(read: Exit.Exit<EventPage>): void {
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

/** The log of one account, for its readers in this process. */
export class AccountFeed {
  private readonly readers = new Set<LogReader>()
  private readonly leave = (reader: LogReader) => Effect.sync(() => this.readers.delete(reader))
  /** Reads under way that began after the last signal, by place and filter. */
  private readonly reads = new Map<string, Set<LogReader>>()

  constructor(
    private readonly accountId: AccountId,
    private readonly store: EventStore["Type"],
    private readonly scope: Scope.Scope,
  ) {}

  /** Adds a reader until the scope closes. From now on it is woken by every signal. */
  join(reader: LogReader): Effect.Effect<LogReader, never, Scope.Scope> {
    return acquireLight(
      Effect.sync(() => {
        this.readers.add(reader)
        return reader
      }),
      this.leave,
    )
  }

  /** Wakes the readers that have not read as far as `seq`, the newest event's number; all of them without it. */
  wake(seq = Number.POSITIVE_INFINITY): void {
    // A read that is under way may have looked before the event was there.
    this.reads.clear()
    for (const reader of this.readers)
      if (reader.position < seq || seq === Number.POSITIVE_INFINITY) reader.wake()
  }

  /**
   * The next events of a reader, once; none while there are none yet. Never waits for the store: a read goes on by
   * itself, as long as the store is away, and calls `onEvents` when it is done.
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
    const query = { after, filter, limit: PAGE, maxBytes: PAGE_MAX_BYTES }
    return retryWhileUnavailable(this.store.page(this.accountId, query)).pipe(
      Effect.exit,
      Effect.map((read) => {
        if (this.reads.get(key) === members) this.reads.delete(key)
        for (const member of members) member.settle(read)
      }),
      Effect.forkIn(this.scope),
      Effect.asVoid,
    )
  }
}

/** Gives each account one feed, which lives as long as a scope that asked for it. */
export const makeAccountFeeds = (store: EventStore["Type"], signals: Signals["Type"]) =>
  Effect.gen(function* () {
    const feeds = new Map<AccountId, AccountFeed>()

    const look = Effect.suspend(() =>
      Effect.map(store.lastSeqs([...feeds.keys()]), (newest) => {
        for (const { accountId, seq } of newest) feeds.get(accountId)?.wake(seq)
      }),
    )
    const { setNeeded } = yield* makeFallbackLook("events", look)

    const listed = (accountId: AccountId, feed: AccountFeed) =>
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
          yield* listed(accountId, feed)
          yield* signals.listen(`events:${accountId}`, () => feed.wake())
          return feed
        }),
    })
    return { feedOf: (accountId: AccountId) => RcMap.get(shared, accountId) }
  })
