/**
 * Unlocking gated messages, by a purchase or at the turn of the month (spec, Inbound limits; docs/decisions/0044).
 * The decision is one short transaction, however many messages there are. Threads follow in steps.
 */
import {
  type AccountId,
  type AccountRecord,
  type InboundGate,
  monthTurned,
  participantsOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"
import { UnitOfWork } from "../UnitOfWork.js"

/**
 * How many messages one transaction shows. A mail on its way takes several transactions, each of which may wait for a
 * step: with 20 it takes three times as long as when nothing is unlocked, with 50 five times.
 */
const STEP = 20

export class GatedMessages extends Context.Tag("@mailroom/GatedMessages")<
  GatedMessages,
  {
    /**
     * Inside `UnitOfWork.commit`, on a locked account: unlocks its gated messages, those of the monthly cap or all of
     * them, and returns the account as it then is. No event is emitted a second time (decisions §3). From the commit on
     * each message can be read and listed and none is counted as gated. The first 20 count in their threads at once, a
     * mailbox's oldest first; a job does the others, and `unlocking` is true until it is done. Those of the monthly cap
     * unlock only when the month that gated them is over: the caller may have read the account before another
     * transaction unlocked it.
     */
    readonly unlock: (
      account: AccountRecord,
      which: Extract<InboundGate, "INBOUND_LIMIT_EXCEEDED"> | "all",
    ) => Effect.Effect<AccountRecord>
    /** One step of the job: shows the next 20 unlocked messages of an account. True when none is left. */
    readonly show: (accountId: AccountId) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    GatedMessages,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const jobs = yield* JobQueue
      const mailboxes = yield* MailboxStore
      const messages = yield* MessageStore
      const threads = yield* ThreadIndex
      const { commit } = yield* UnitOfWork

      /** True when none is left. */
      const showSome = Effect.fnUntraced(function* (accountId: AccountId) {
        const shown = yield* messages.showUnlocked(accountId, STEP)
        if (shown.length > 0)
          yield* threads.show(
            shown.map(({ threadId, content, createdAt }) => ({
              threadId,
              subject: content.subject,
              participants: participantsOf(content),
              createdAt,
            })),
          )
        return shown.length < STEP
      })

      return GatedMessages.of({
        unlock: Effect.fn("GatedMessages.unlock")(function* (account, which) {
          const now = yield* Clock.currentTimeMillis
          if (which !== "all" && !monthTurned(account, now)) return account
          yield* messages.unlock(account.id, which)
          const overLimitCount = yield* mailboxes.recountGated(account.id)
          const complete = yield* showSome(account.id)
          const after = { ...account, overLimitCount, overLimitMonth: null, unlocking: !complete }
          yield* accounts.save(after)
          if (!complete) yield* jobs.add({ kind: "show-unlocked", accountId: account.id }, now)
          return after
        }),

        show: (accountId) =>
          commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([accountId])
              if (account === undefined) return true
              const complete = yield* showSome(accountId)
              if (complete && account.unlocking) yield* accounts.save({ ...account, unlocking: false })
              return complete
            }),
          ),
      })
    }),
  )
}
