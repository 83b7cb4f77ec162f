/**
 * Unlocks gated messages after a purchase or at the start of a month (docs/specification/limits.md; docs/decisions/0044).
 * One short transaction unlocks all of them. Their threads are updated in steps.
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
 * Messages that one step counts in their threads. Delivery of a mail takes several transactions, and each may wait for a
 * step: with 20 messages a delivery takes three times as long, with 50 five times.
 */
const STEP = 20

export class GatedMessages extends Context.Tag("@mailroom/GatedMessages")<
  GatedMessages,
  {
    /**
     * Inside `UnitOfWork.commit`, on a locked account: unlocks its gated messages, either all or those that one limit gated,
     * and returns the changed account. It emits no event. After the commit the messages can be read and listed,
     * and none counts as gated. Their threads count the first 20 at once, the oldest of a mailbox first. A job counts the
     * others, and `unlocking` is true until then. Messages above the monthly limit unlock only when the month that gated
     * them is over: the caller may have read the account before another transaction unlocked it.
     */
    readonly unlock: (account: AccountRecord, which: InboundGate | "all") => Effect.Effect<AccountRecord>
    /** One step of the job: counts the next 20 unlocked messages of an account in their threads. True when none is left. */
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
        const visible = shown.filter(({ isQuarantined }) => !isQuarantined)
        if (visible.length > 0)
          yield* threads.show(
            visible.map(({ threadId, content, createdAt }) => ({
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
          if (which === "INBOUND_LIMIT_EXCEEDED" && !monthTurned(account, now)) return account
          yield* messages.unlock(account.id, which)
          const overLimitCount = yield* mailboxes.recountGated(account.id)
          const complete = yield* showSome(account.id)
          const overLimitMonth = which === "INBOUND_TRIAL_LIMIT_EXCEEDED" ? account.overLimitMonth : null
          const after = { ...account, overLimitCount, overLimitMonth, unlocking: !complete }
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
