/** Unlocking in place: gated messages become visible by a purchase or by the month's turn (spec, Inbound limits). */
import {
  type AccountId,
  type AccountRecord,
  type InboundGate,
  type MailboxId,
  monthTurned,
  participantsOf,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MessageStore } from "../ports/stores/MessageStore.js"
import { ThreadIndex } from "../threads/ThreadIndex.js"

/** How many messages one step unlocks. */
const STEP = 500

export class GatedMessages extends Context.Tag("@mailroom/GatedMessages")<
  GatedMessages,
  {
    /**
     * Inside a transaction, on a locked account: makes its gated messages visible, those of the monthly cap or all of
     * them, and returns the account as it then is. No event is emitted a second time (decisions §3). Those of the cap
     * only when the month that gated them is over: who asks may have seen the account before others turned it.
     */
    readonly unlock: (
      account: AccountRecord,
      which: Extract<InboundGate, "INBOUND_LIMIT_EXCEEDED"> | "all",
    ) => Effect.Effect<AccountRecord>
  }
>() {
  static readonly layer = Layer.effect(
    GatedMessages,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const mailboxes = yield* MailboxStore
      const messages = yield* MessageStore
      const threads = yield* ThreadIndex

      /** How many it unlocked, and how many of these still counted: those of a deleted mailbox stopped with it. */
      const unlockStep = Effect.fnUntraced(function* (accountId: AccountId, which: InboundGate | "all") {
        const unlocked = yield* messages.unlock(accountId, which, STEP)
        if (unlocked.length === 0) return { unlocked: 0, counted: 0 }
        yield* threads.show(
          unlocked.map(({ threadId, content, createdAt }) => ({
            threadId,
            subject: content.subject,
            participants: participantsOf(content),
            createdAt,
          })),
        )
        const perMailbox = new Map<MailboxId, number>()
        for (const { content } of unlocked)
          perMailbox.set(content.mailboxId, (perMailbox.get(content.mailboxId) ?? 0) + 1)
        let counted = 0
        for (const mailbox of yield* mailboxes.lock([...perMailbox.keys()])) {
          const shown = perMailbox.get(mailbox.id) ?? 0
          counted += shown
          yield* mailboxes.save({
            ...mailbox,
            overLimitCount: Math.max(0, mailbox.overLimitCount - shown),
          })
        }
        return { unlocked: unlocked.length, counted }
      })

      return GatedMessages.of({
        unlock: Effect.fn("GatedMessages.unlock")(function* (account, which) {
          if (which !== "all" && !monthTurned(account, yield* Clock.currentTimeMillis)) return account
          let total = 0
          for (;;) {
            const step = yield* unlockStep(account.id, which)
            total += step.counted
            if (step.unlocked < STEP) break
          }
          const after = {
            ...account,
            overLimitCount: Math.max(0, account.overLimitCount - total),
            overLimitMonth: null,
          }
          yield* accounts.save(after)
          return after
        }),
      })
    }),
  )
}
