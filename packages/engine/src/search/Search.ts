/** Finds messages by their words and facts (docs/specification/search.md; docs/decisions/0061). */
import {
  type Instant,
  type MailboxId,
  matchesQuery,
  type MessageId,
  type NotFound,
  lowestIdAt,
  type Overloaded,
  type Principal,
  RANKED_OF_EACH_FORM,
  rankedForms,
  relevanceOf,
  searchedMessageOf,
  type SearchQuery,
  type ThreadId,
  newestFirst,
} from "@mailroom/domain"
import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import type { MessageJson, MessagePosition } from "../ports/stores/MessageStore.js"
import { type SearchScope, SearchStore, type StoredText } from "../ports/stores/SearchStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { makeFairSemaphore } from "../workers/fairSemaphore.js"
import { READING_AT_ONCE } from "../workers/readingAtOnce.js"
import { yieldToSockets } from "../yieldToSockets.js"
import { SEARCH_RETRY_AFTER, searchDeadline, withinSearchTime } from "./searchTime.js"

/** Queued messages of an account whose stored text is searched, the newest ones. */
const QUEUED_MAX = 500
/** Stored texts in memory at a time: each may have a megabyte. */
const TEXTS_AT_ONCE = 8

/** A position in the order by relevance: of all messages up to `at`, the one with this score. */
export interface RankedPosition extends MessagePosition {
  /** when the first page was read: later mail is not on the next pages */
  readonly at: Instant
  readonly score: number
}

export interface SearchPage<Position> {
  readonly items: ReadonlyArray<MessageJson>
  /** the position of the last item when there are more; else null */
  readonly next: Position | null
}

/** What is searched, and for what. `mailboxId` null: every mailbox that the caller may read. */
export interface SearchRequest<Position> {
  readonly mailboxId: MailboxId | null
  readonly query: SearchQuery
  /** the last item of the page before; null for the first page */
  readonly after: Position | null
  readonly limit: number
}

export class Search extends Context.Tag("@mailroom/Search")<
  Search,
  {
    /** Visible messages that match, newest first. */
    readonly byDate: (
      principal: Principal,
      request: SearchRequest<MessagePosition>,
    ) => Effect.Effect<SearchPage<MessagePosition>, NotFound | Overloaded>
    /**
     * Visible messages that match, the most relevant first: among the newest 100 that match, and, of the newest 12,000
     * messages of the account, the newest 100 that match in the subject and the newest 100 that match as a phrase.
     */
    readonly byRelevance: (
      principal: Principal,
      request: SearchRequest<RankedPosition>,
    ) => Effect.Effect<SearchPage<RankedPosition>, NotFound | Overloaded>
  }
>() {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const store = yield* SearchStore
      const threads = yield* ThreadStore
      const withPermit = makeFairSemaphore({ ...READING_AT_ONCE, retryAfter: SEARCH_RETRY_AFTER })

      const scopeOf = (principal: Principal, mailboxId: MailboxId | null) =>
        mailboxId === null
          ? Effect.succeed<SearchScope>({ accountId: principal.account.id, mailboxIds: principal.scope })
          : Effect.map(mailboxes.require(principal, mailboxId), ({ id }): SearchScope => ({
              accountId: principal.account.id,
              mailboxIds: [id],
            }))

      /** The query with the current ids of merged threads. */
      const withCurrentThreads = (query: SearchQuery) => {
        const named = threadsIn(query)
        return named.length === 0
          ? Effect.succeed(query)
          : Effect.map(threads.currentIds(named), (current) => renameThreads(query, current))
      }

      /**
       * What `keep` makes of those of these messages whose stored text matches. A text takes up to 100 ms, and sockets are served
       * between two of them.
       */
      const matching = <A>(
        { accountId }: SearchScope,
        query: SearchQuery,
        deadline: Instant,
        ids: ReadonlyArray<MessageId>,
        read: (some: ReadonlyArray<MessageId>) => Effect.Effect<ReadonlyArray<StoredText>>,
        keep: (text: StoredText) => A,
      ) =>
        Effect.gen(function* () {
          const kept: Array<A> = []
          for (const some of Arr.chunksOf(ids, TEXTS_AT_ONCE)) {
            yield* withinSearchTime(deadline)
            for (const text of yield* read(some)) {
              yield* withinSearchTime(deadline)
              if (matchesQuery(searchedMessageOf(text), query)) kept.push(keep(text))
              yield* yieldToSockets
            }
          }
          return kept
        }).pipe((reading) => (ids.length === 0 ? Effect.succeed([]) : withPermit(accountId, reading)))

      /**
       * Messages of the index that match, newest first: `limit`, or all that are left. Not those of `queued`, whose text in
       * the index may be an earlier one.
       */
      const indexed = Effect.fnUntraced(function* (
        scope: SearchScope,
        query: SearchQuery,
        queued: ReadonlySet<MessageId>,
        before: MessagePosition | null,
        limit: number,
        deadline: Instant,
        reach: "all" | "newest" = "all",
      ) {
        const matched: Array<MessagePosition> = []
        let position = before
        do {
          const page = yield* store.find(scope, query, position, limit - matched.length, deadline, reach)
          const found = page.found.filter(({ id }) => !queued.has(id))
          const uncertain = found.filter(({ isCertain }) => !isCertain).map(({ id }) => id)
          const confirmed = new Set(
            yield* matching(
              scope,
              query,
              deadline,
              uncertain,
              (some) => store.texts(scope.accountId, some),
              ({ id }) => id,
            ),
          )
          matched.push(...found.filter(({ id, isCertain }) => isCertain || confirmed.has(id)))
          position = page.next
        } while (position !== null && matched.length < limit)
        return matched
      })

      /**
       * The ids of the newest queued messages, and what `keep` makes of those that match. Read them before the index: a message
       * moves from here to there.
       */
      const unindexed = Effect.fnUntraced(function* <A>(
        scope: SearchScope,
        query: SearchQuery,
        deadline: Instant,
        keep: (text: StoredText) => A,
      ) {
        const ids = yield* store.queued(scope.accountId, QUEUED_MAX)
        const fresh = yield* matching(
          scope,
          query,
          deadline,
          ids,
          (some) => store.shownTexts(scope, some),
          keep,
        )
        return { fresh, queued: new Set(ids) }
      })

      /**
       * Reads queue and index once more when the writer of the index has taken messages back from it into the queue between the
       * two reads, such as while an archive is imported: the first reads miss them.
       */
      const withoutGap = <A, E>(
        { accountId }: SearchScope,
        read: Effect.Effect<{ readonly queued: ReadonlySet<MessageId>; readonly found: A }, E>,
      ): Effect.Effect<A, E> =>
        Effect.gen(function* () {
          const newId = lowestIdAt(yield* Clock.currentTimeMillis)
          const { queued, found } = yield* read
          const now = queued.size < QUEUED_MAX ? yield* store.queued(accountId, QUEUED_MAX) : []
          const isMissed = now.some((id) => id < newId && !queued.has(id))
          return isMissed ? (yield* read).found : found
        })

      const byDate = Effect.fn("Search.byDate")(function* (
        principal: Principal,
        { mailboxId, query: asked, after, limit }: SearchRequest<MessagePosition>,
      ) {
        const scope = yield* scopeOf(principal, mailboxId)
        const deadline = yield* searchDeadline
        const query = yield* withCurrentThreads(asked)
        const read = Effect.gen(function* () {
          const { fresh, queued } = yield* unindexed(scope, query, deadline, positionOf)
          const old = yield* indexed(scope, query, queued, after, limit + 1, deadline)
          return { queued, found: [...fresh.filter((one) => after === null || isOlder(one, after)), ...old] }
        })
        const found = yield* withoutGap(scope, read)
        return yield* pageOf(scope, found.sort(newestFirst).map(positionOf), limit)
      })

      const byRelevance = Effect.fn("Search.byRelevance")(function* (
        principal: Principal,
        { mailboxId, query: asked, after, limit }: SearchRequest<RankedPosition>,
      ) {
        const scope = yield* scopeOf(principal, mailboxId)
        const deadline = yield* searchDeadline
        const at = after?.at ?? (yield* Clock.currentTimeMillis)
        const query = yield* withCurrentThreads(asked)
        const upToThen: SearchQuery = { kind: "and", of: [query, { kind: "before", at: at + 1 }] }
        const scoreOf = (text: StoredText): RankedPosition => ({
          ...positionOf(text),
          at,
          score: relevanceOf(query, text, at),
        })
        const [itself, ...stricter] = rankedForms(upToThen)
        const read = Effect.gen(function* () {
          const { fresh, queued } = yield* unindexed(scope, upToThen, deadline, scoreOf)
          const matched = yield* indexed(scope, itself, queued, null, RANKED_OF_EACH_FORM, deadline)
          // All matches are compared when there are few.
          const best =
            matched.length < RANKED_OF_EACH_FORM
              ? []
              : // Side by side: Postgres searches in processes of its own.
                yield* Effect.forEach(
                  stricter,
                  (form) => indexed(scope, form, queued, null, RANKED_OF_EACH_FORM, deadline, "newest"),
                  { concurrency: "unbounded" },
                )
          return { queued, found: { fresh, old: distinct([...matched, ...best.flat()]) } }
        })
        const { fresh, old } = yield* withoutGap(scope, read)
        const ids = old.map(({ id }) => id)
        const scored = yield* Effect.forEach(yield* store.beginnings(scope.accountId, ids), (text) =>
          Effect.zipRight(
            withinSearchTime(deadline),
            Effect.zipLeft(
              Effect.sync(() => scoreOf(text)),
              yieldToSockets,
            ),
          ),
        )
        const found = [...fresh, ...scored]
          .sort(bestFirst)
          .filter((one) => after === null || bestFirst(after, one) < 0)
        return yield* pageOf(scope, found, limit)
      })

      const pageOf = <P extends MessagePosition>(
        { accountId }: SearchScope,
        found: ReadonlyArray<P>,
        limit: number,
      ) => {
        const wanted = found.slice(0, limit).map(({ id }) => id)
        return Effect.map(store.items(accountId, wanted), ({ items, count }): SearchPage<P> => ({
          items,
          next: found.length > count ? (found[count - 1] ?? null) : null,
        }))
      }

      return { byDate, byRelevance }
    }),
  )
}

const positionOf = ({ id, createdAt }: MessagePosition): MessagePosition => ({ id, createdAt })

const isOlder = (one: MessagePosition, than: MessagePosition): boolean => newestFirst(than, one) < 0

const bestFirst = (a: RankedPosition, b: RankedPosition): number => b.score - a.score || newestFirst(a, b)

/** Each message once. */
const distinct = <A extends { readonly id: MessageId }>(found: ReadonlyArray<A>): Array<A> => [
  ...new Map(found.map((one) => [one.id, one])).values(),
]

const threadsIn = (query: SearchQuery): ReadonlyArray<ThreadId> => {
  switch (query.kind) {
    case "and":
    case "or":
      return query.of.flatMap(threadsIn)
    case "not":
      return threadsIn(query.of)
    case "thread":
      return [query.threadId]
    default:
      return []
  }
}

const renameThreads = (query: SearchQuery, current: ReadonlyMap<ThreadId, ThreadId>): SearchQuery => {
  const renamed = (part: SearchQuery) => renameThreads(part, current)
  switch (query.kind) {
    case "and":
    case "or":
      return { kind: query.kind, of: Arr.map(query.of, renamed) }
    case "not":
      return { kind: "not", of: renamed(query.of) }
    case "thread":
      return { kind: "thread", threadId: current.get(query.threadId) ?? query.threadId }
    default:
      return query
  }
}
