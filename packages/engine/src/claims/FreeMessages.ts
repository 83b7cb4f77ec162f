/** Finds and locks messages that nobody has claimed. */
import {
  type AccountId,
  type MailboxId,
  matchesWaitFilter,
  MessageId,
  type Overloaded,
  type WaitFilter,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type ClaimedMessage, ClaimStore, type FreePage } from "../ports/stores/ClaimStore.js"
import type { MessagePosition } from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { withCurrentThread } from "../threads/currentThread.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { LaterPages } from "../waiting/LaterPages.js"
import type { Kind } from "./ClaimRounds.js"

/** Messages whose leases have ended that one transaction frees. */
const FREED_AT_ONCE = 100
/** Free messages that a claim with a filter reads at once. */
const EXAMINED_AT_ONCE = 100

/** Before the ids of all messages. */
const LOWEST_ID = MessageId.make("00000000-0000-7000-8000-000000000000")

/** Claims a locked message in the same transaction. None when it cannot be claimed after all. */
type Take<A> = (locked: ClaimedMessage) => Effect.Effect<Option.Option<A>>

export class FreeMessages extends Context.Tag("@mailroom/FreeMessages")<
  FreeMessages,
  {
    /**
     * In one transaction, locks the oldest free message of a mailbox that matches the filter, and takes it. Each lease that
     * has ended is freed first, so it costs one claim a little more, once. With a filter it may read many pages, and can be
     * interrupted between them; `Overloaded` when too many of the account do. `onTaken` is called for each message that was taken, also when it is interrupted.
     */
    readonly lockOldest: <A>(
      kind: Pick<Kind, "accountId" | "mailboxId" | "filter">,
      take: Take<A>,
      onTaken: (taken: A) => void,
    ) => Effect.Effect<Option.Option<A>, Overloaded>
  }
>() {
  static readonly layer: Layer.Layer<
    FreeMessages,
    never,
    ClaimStore | LaterPages | ThreadStore | UnitOfWork
  > = Layer.effect(
    FreeMessages,
    Effect.gen(function* () {
      const store = yield* ClaimStore
      const laterPages = yield* LaterPages
      const threads = yield* ThreadStore
      const { commit } = yield* UnitOfWork

      const freeEnded = (mailboxId: MailboxId): Effect.Effect<void> =>
        Effect.gen(function* () {
          const freed = yield* store.freeEnded(mailboxId, yield* Clock.currentTimeMillis, FREED_AT_ONCE)
          if (freed === FREED_AT_ONCE) yield* freeEnded(mailboxId)
        })

      const takeLocked = <A>(locked: Effect.Effect<Option.Option<ClaimedMessage>>, take: Take<A>) =>
        Effect.flatMap(locked, Option.match({ onNone: () => Effect.succeedNone, onSome: take }))

      /** Reads free messages in pages, each outside of a transaction, and takes the first that matches. */
      const takeMatching = Effect.fnUntraced(function* <A>(
        accountId: AccountId,
        mailboxId: MailboxId,
        asked: WaitFilter,
        taken: (locked: Effect.Effect<Option.Option<ClaimedMessage>>) => Effect.Effect<Option.Option<A>>,
      ) {
        const filter = yield* withCurrentThread(threads, asked)
        let after: MessagePosition | null =
          filter.since === null ? null : { createdAt: filter.since, id: LOWEST_ID }
        for (let isFirst = true; ; isFirst = false) {
          const reading: Effect.Effect<FreePage> = store.free(mailboxId, after, EXAMINED_AT_ONCE)
          const page = yield* isFirst ? reading : laterPages.read(accountId, reading)
          const matching = page.messages.flatMap((message) =>
            matchesWaitFilter(filter, message) ? [message.id] : [],
          )
          const found =
            matching.length === 0 ? Option.none<A>() : yield* taken(store.lockFirst(mailboxId, matching))
          const isEnd = page.next === null || (filter.before !== null && page.next.createdAt >= filter.before)
          if (Option.isSome(found) || isEnd) return found
          after = page.next
        }
      })

      return FreeMessages.of({
        lockOldest: ({ accountId, mailboxId, filter }, take, onTaken) => {
          const taken = (locked: Effect.Effect<Option.Option<ClaimedMessage>>) =>
            commit(takeLocked(locked, take)).pipe(
              Effect.tap((found) => Effect.sync(() => Option.map(found, onTaken))),
              Effect.uninterruptible,
            )
          return filter === null
            ? taken(Effect.zipRight(freeEnded(mailboxId), store.lockOldest(mailboxId)))
            : Effect.zipRight(commit(freeEnded(mailboxId)), takeMatching(accountId, mailboxId, filter, taken))
        },
      })
    }),
  )
}
