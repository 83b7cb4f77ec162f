/** Finds and locks messages that nobody has claimed. */
import { type MailboxId, matchesWaitFilter, MessageId, type WaitFilter } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type ClaimedMessage, ClaimStore, type FreeMessage } from "../ports/stores/ClaimStore.js"
import type { MessagePosition } from "../ports/stores/MessageStore.js"
import { ThreadStore } from "../ports/stores/ThreadStore.js"
import { withCurrentThread } from "../threads/currentThread.js"
import { UnitOfWork } from "../UnitOfWork.js"

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
     * has ended is freed first, so it costs one claim a little more, once.
     */
    readonly lockOldest: <A>(
      mailboxId: MailboxId,
      filter: WaitFilter | null,
      take: Take<A>,
    ) => Effect.Effect<Option.Option<A>>
  }
>() {
  static readonly layer: Layer.Layer<FreeMessages, never, ClaimStore | ThreadStore | UnitOfWork> =
    Layer.effect(
      FreeMessages,
      Effect.gen(function* () {
        const store = yield* ClaimStore
        const threads = yield* ThreadStore
        const { commit } = yield* UnitOfWork

        const freeEnded = (mailboxId: MailboxId): Effect.Effect<void> =>
          Effect.gen(function* () {
            const freed = yield* store.freeEnded(mailboxId, yield* Clock.currentTimeMillis, FREED_AT_ONCE)
            if (freed === FREED_AT_ONCE) yield* freeEnded(mailboxId)
          })

        const takeLocked = <A>(locked: Effect.Effect<Option.Option<ClaimedMessage>>, take: Take<A>) =>
          Effect.flatMap(locked, Option.match({ onNone: () => Effect.succeedNone, onSome: take }))

        const positionOf = ({ createdAt, message }: FreeMessage): MessagePosition => ({
          createdAt,
          id: message.id,
        })

        /** Reads free messages in pages, each outside of a transaction, and takes the first that matches. */
        const takeMatching = Effect.fnUntraced(function* <A>(
          mailboxId: MailboxId,
          asked: WaitFilter,
          take: Take<A>,
        ) {
          const filter = yield* withCurrentThread(threads, asked)
          let after: MessagePosition | null =
            filter.since === null ? null : { createdAt: filter.since, id: LOWEST_ID }
          for (;;) {
            const page: ReadonlyArray<FreeMessage> = yield* store.free(mailboxId, after, EXAMINED_AT_ONCE)
            const matching = page.flatMap(({ message }) =>
              matchesWaitFilter(filter, message) ? [message.id] : [],
            )
            const taken =
              matching.length === 0
                ? Option.none<A>()
                : yield* commit(takeLocked(store.lockFirst(mailboxId, matching), take))
            const last = page.at(-1)
            const isEnd =
              last === undefined ||
              page.length < EXAMINED_AT_ONCE ||
              (filter.before !== null && last.createdAt >= filter.before)
            if (Option.isSome(taken) || isEnd) return taken
            after = positionOf(last)
          }
        })

        return FreeMessages.of({
          lockOldest: (mailboxId, filter, take) =>
            filter === null
              ? commit(Effect.zipRight(freeEnded(mailboxId), takeLocked(store.lockOldest(mailboxId), take)))
              : Effect.zipRight(commit(freeEnded(mailboxId)), takeMatching(mailboxId, filter, take)),
        })
      }),
    )
}
