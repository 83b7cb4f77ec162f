/** Filtered lists of messages in one mailbox or in all that the caller may read, and lists of all threads. */
import {
  InvalidInput,
  isRangeFilter,
  type ListOrder,
  type MailboxId,
  type MessageFilter,
  type NotFound,
  type Principal,
  type Thread,
  viewThread,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { type MessagePage, type MessagePosition, MessageStore } from "../ports/stores/MessageStore.js"
import { type ThreadPosition, ThreadStore } from "../ports/stores/ThreadStore.js"
import { withCurrentThread } from "../threads/currentThread.js"
import { type LimitMetadata, makeLimitMetadata } from "./limitMetadata.js"

/** `filter.threadId` may be the id of a thread that was merged into another. */
export interface ListQuery {
  readonly filter: MessageFilter
  readonly order: ListOrder
  /** also quarantined messages; those match no `filter.claim` */
  readonly withQuarantined?: boolean
  /** with `withQuarantined`: no other messages */
  readonly onlyQuarantined?: boolean
  /** only messages behind this position in the order of the list */
  readonly after: MessagePosition | null
  readonly limit: number
}

export interface ListedMessages {
  readonly page: MessagePage
  readonly limits: LimitMetadata
}

export interface ThreadsPageQuery {
  readonly after: ThreadPosition | null
  readonly limit: number
}

export interface ListedThreads {
  readonly threads: ReadonlyArray<Thread>
  /** position of the next page; null on the last */
  readonly next: ThreadPosition | null
  readonly limits: LimitMetadata
}

const OFFSET_REFUSED = {
  path: "offset",
  message:
    "only newest first, without include, and with no filter but direction, threadId and since: use cursor",
}

export class Lists extends Context.Tag("@mailroom/Lists")<
  Lists,
  {
    /**
     * Visible messages of a mailbox that match a filter; quarantined ones, too, if the query asks for them. A page may have fewer messages than `limit` and not be the last:
     * it examines 500 messages at most. `offset` messages are skipped. `InvalidInput` for an `offset` of a list that is
     * not a range of an index (`isRangeFilter`), newest first: its cost would grow with the offset.
     */
    readonly inMailbox: (
      principal: Principal,
      mailboxId: MailboxId,
      query: ListQuery & { readonly offset: number },
    ) => Effect.Effect<ListedMessages, NotFound | InvalidInput>
    /** Threads of a mailbox with visible messages, newest activity first. */
    readonly threadsInMailbox: (
      principal: Principal,
      mailboxId: MailboxId,
      query: ThreadsPageQuery,
    ) => Effect.Effect<ListedThreads, NotFound>
    /** As `inMailbox`, of all mailboxes that the caller may read. */
    readonly messages: (principal: Principal, query: ListQuery) => Effect.Effect<ListedMessages>
    /**
     * Threads with visible messages of all mailboxes that the caller may read, newest activity first. A page may have
     * fewer threads than `limit` while a removed mailbox is purged.
     */
    readonly threads: (principal: Principal, query: ThreadsPageQuery) => Effect.Effect<ListedThreads>
  }
>() {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const mailboxes = yield* Mailboxes
      const mailboxStore = yield* MailboxStore
      const messages = yield* MessageStore
      const threads = yield* ThreadStore
      const limitsOf = yield* makeLimitMetadata

      /** The mailboxes that the caller may read, null for all of the account; and how many messages are gated there. */
      const readable = Effect.fnUntraced(function* ({ account, scope }: Principal) {
        if (scope === null) return { mailboxIds: null, overLimitCount: account.overLimitCount }
        const found = yield* mailboxStore.list(account.id, scope)
        return {
          mailboxIds: found.map(({ id }) => id),
          overLimitCount: found.reduce((sum, mailbox) => sum + mailbox.overLimitCount, 0),
        }
      })

      const listedThreads = Effect.fnUntraced(function* (
        principal: Principal,
        mailboxIds: ReadonlyArray<MailboxId> | null,
        query: ThreadsPageQuery,
        overLimitCount: number,
      ) {
        const found = yield* threads.recent({ ...query, accountId: principal.account.id, mailboxIds })
        return {
          threads: found.threads.map(viewThread),
          next: found.next,
          limits: yield* limitsOf(principal, overLimitCount),
        } satisfies ListedThreads
      })

      return Lists.of({
        inMailbox: Effect.fn("Lists.inMailbox")(function* (principal, mailboxId, { offset, ...query }) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          const isRange = query.order === "desc" && isRangeFilter(query.filter) && !query.withQuarantined
          if (offset > 0 && !isRange) return yield* new InvalidInput({ issues: [OFFSET_REFUSED] })
          const filter = yield* withCurrentThread(threads, query.filter)
          const { account } = principal
          const { after, limit } = query
          const { direction, threadId, since } = filter
          const page = isRange
            ? messages.page(
                { mailboxId, direction, threadId, since, before: after, offset, limit },
                account.unlocking,
              )
            : messages.filtered(
                { ...query, accountId: account.id, mailboxIds: [mailboxId], filter },
                account.unlocking,
              )
          return { page: yield* page, limits: yield* limitsOf(principal, mailbox.overLimitCount) }
        }),

        threadsInMailbox: Effect.fn("Lists.threadsInMailbox")(function* (principal, mailboxId, query) {
          const mailbox = yield* mailboxes.require(principal, mailboxId)
          return yield* listedThreads(principal, [mailboxId], query, mailbox.overLimitCount)
        }),

        messages: Effect.fn("Lists.messages")(function* (principal, query) {
          const { account } = principal
          const { mailboxIds, overLimitCount } = yield* readable(principal)
          const filter = yield* withCurrentThread(threads, query.filter)
          return {
            page: yield* messages.filtered(
              { ...query, accountId: account.id, mailboxIds, filter },
              account.unlocking,
            ),
            limits: yield* limitsOf(principal, overLimitCount),
          }
        }),

        threads: Effect.fn("Lists.threads")(function* (principal, query) {
          const { mailboxIds, overLimitCount } = yield* readable(principal)
          return yield* listedThreads(principal, mailboxIds, query, overLimitCount)
        }),
      })
    }),
  )
}
