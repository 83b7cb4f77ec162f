/** Finds messages by their words and facts (docs/specification/search.md; docs/decisions/0061). */
import {
  type Instant,
  type MailboxId,
  matchesQuery,
  type MessageId,
  type NotFound,
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

/** Queued messages of an account whose stored text is searched, the newest ones. */
const UNINDEXED_MAX = 500

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
    ) => Effect.Effect<SearchPage<MessagePosition>, NotFound>
    /**
     * Visible messages that match, the most relevant first: among the newest 100 that match, and, of the newest 12,000
     * messages of the account, the newest 100 that match in the subject and the newest 100 that match as a phrase.
     */
    readonly byRelevance: (
      principal: Principal,
      request: SearchRequest<RankedPosition>,
    ) => Effect.Effect<SearchPage<RankedPosition>, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const store = yield* SearchStore
      const threads = yield* ThreadStore

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

      /** Evaluates the query on stored texts. Others may run between two of them. */
      const matching = (texts: ReadonlyArray<StoredText>, query: SearchQuery) =>
        Effect.filter(texts, (text) =>
          Effect.zipLeft(
            Effect.sync(() => matchesQuery(searchedMessageOf(text), query)),
            Effect.yieldNow(),
          ),
        )

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
        reach: "all" | "newest" = "all",
      ) {
        const matched: Array<MessagePosition> = []
        let position = before
        do {
          const page = yield* store.find(scope, query, position, limit - matched.length, reach)
          const found = page.found.filter(({ id }) => !queued.has(id))
          const uncertain = found.filter(({ isCertain }) => !isCertain).map(({ id }) => id)
          const texts = uncertain.length === 0 ? [] : yield* store.texts(scope.accountId, uncertain)
          const confirmed = new Set((yield* matching(texts, query)).map(({ id }) => id))
          matched.push(...found.filter(({ id, isCertain }) => isCertain || confirmed.has(id)))
          position = page.next
        } while (position !== null && matched.length < limit)
        return matched
      })

      /** The newest queued messages, and those that match. Read them before the index: a message moves from here to there. */
      const unindexed = Effect.fnUntraced(function* (scope: SearchScope, query: SearchQuery) {
        const texts = yield* store.unindexed(scope, UNINDEXED_MAX)
        return { fresh: yield* matching(texts, query), queued: new Set(texts.map(({ id }) => id)) }
      })

      const byDate = Effect.fn("Search.byDate")(function* (
        principal: Principal,
        { mailboxId, query: asked, after, limit }: SearchRequest<MessagePosition>,
      ) {
        const scope = yield* scopeOf(principal, mailboxId)
        const query = yield* withCurrentThreads(asked)
        const { fresh, queued } = yield* unindexed(scope, query)
        const old = yield* indexed(scope, query, queued, after, limit + 1)
        const found = [...fresh.filter((one) => after === null || isOlder(one, after)), ...old]
          .sort(newestFirst)
          .map(({ id, createdAt }): MessagePosition => ({ id, createdAt }))
        return yield* pageOf(scope, found, limit)
      })

      const byRelevance = Effect.fn("Search.byRelevance")(function* (
        principal: Principal,
        { mailboxId, query: asked, after, limit }: SearchRequest<RankedPosition>,
      ) {
        const scope = yield* scopeOf(principal, mailboxId)
        const at = after?.at ?? (yield* Clock.currentTimeMillis)
        const query = yield* withCurrentThreads(asked)
        const upToThen: SearchQuery = { kind: "and", of: [query, { kind: "before", at: at + 1 }] }
        const { fresh, queued } = yield* unindexed(scope, upToThen)
        const [itself, ...stricter] = rankedForms(upToThen)
        const matched = yield* indexed(scope, itself, queued, null, RANKED_OF_EACH_FORM)
        // All matches are compared when there are few.
        const best =
          matched.length < RANKED_OF_EACH_FORM
            ? []
            : // Side by side: Postgres searches in processes of its own.
              yield* Effect.forEach(
                stricter,
                (form) => indexed(scope, form, queued, null, RANKED_OF_EACH_FORM, "newest"),
                { concurrency: "unbounded" },
              )
        const ids = distinct([...matched, ...best.flat()]).map(({ id }) => id)
        const texts = [...fresh, ...(yield* store.beginnings(scope.accountId, ids))]
        const scored = yield* Effect.forEach(texts, (text) =>
          Effect.zipLeft(
            Effect.sync((): RankedPosition => ({
              id: text.id,
              createdAt: text.createdAt,
              at,
              score: relevanceOf(query, text, at),
            })),
            Effect.yieldNow(),
          ),
        )
        const found = scored.sort(bestFirst).filter((one) => after === null || bestFirst(after, one) < 0)
        return yield* pageOf(scope, found, limit)
      })

      const pageOf = <P extends MessagePosition>(
        { accountId }: SearchScope,
        found: ReadonlyArray<P>,
        limit: number,
      ) => {
        const shown = found.slice(0, limit)
        return Effect.map(
          store.items(
            accountId,
            shown.map(({ id }) => id),
          ),
          (items): SearchPage<P> => ({ items, next: found.length > limit ? (shown.at(-1) ?? null) : null }),
        )
      }

      return { byDate, byRelevance }
    }),
  )
}

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
