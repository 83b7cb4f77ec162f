/** Changes of an account's plan, with all that follows from them (decisions §3, Upgrading, Downgrade or payment lapse). */
import {
  type AccountRecord,
  type Bought,
  changePlan,
  type CheckoutRecord,
  fitMailboxes,
  type Instant,
  moveMailbox,
  type PlanChange,
  planInForce,
  unlocksGated,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"

export class PlanChanges extends Context.Tag("@mailroom/PlanChanges")<
  PlanChanges,
  {
    /**
     * Inside `UnitOfWork.commit`, on a locked account: limits and mailboxes follow the change, and what was gated
     * becomes visible where the new plan takes more. Returns the account as it then is. Made twice it is made once.
     */
    readonly apply: (account: AccountRecord, change: PlanChange, now: Instant) => Effect.Effect<AccountRecord>
    /**
     * Inside `UnitOfWork.commit`: what was bought under `reference` by this checkout becomes the account's plan, and
     * what the account paid under before is cancelled. False when the checkout was completed before.
     */
    readonly purchase: (
      checkout: Pick<CheckoutRecord, "accountId" | "tokenHash">,
      bought: Bought,
      reference: string,
      now: Instant,
    ) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    PlanChanges,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const checkouts = yield* CheckoutStore
      const mailboxes = yield* MailboxStore
      const jobs = yield* JobQueue
      const gated = yield* GatedMessages

      const fit = Effect.fnUntraced(function* (account: AccountRecord, now: Instant) {
        const { pause, resume } = fitMailboxes(yield* mailboxes.list(account.id, null), planInForce(account))
        const paused = new Set(pause)
        for (const mailbox of yield* mailboxes.lock([...pause, ...resume]))
          yield* mailboxes.save(moveMailbox(mailbox, paused.has(mailbox.id) ? "paused" : "ACTIVE", now))
      })

      const apply = Effect.fn("PlanChanges.apply")(function* (
        account: AccountRecord,
        change: PlanChange,
        now: Instant,
      ) {
        const after = changePlan(account, change)
        if (after === account) return account
        yield* accounts.save(after)
        yield* fit(after, now)
        return unlocksGated(account, after) ? yield* gated.unlock(after, "all") : after
      })

      return PlanChanges.of({
        apply,

        purchase: Effect.fn("PlanChanges.purchase")(function* (checkout, bought, reference, now) {
          const cancel = (of: string) => jobs.add({ kind: "cancel-subscription", reference: of }, now)
          const [account] = yield* accounts.lock([checkout.accountId])
          // Deleted in the meantime: nobody is to pay for it.
          if (account === undefined) return yield* Effect.as(cancel(reference), false)
          if (!(yield* checkouts.complete(checkout.tokenHash, now))) return false
          const { plan, period } = bought
          yield* apply(account, { kind: "paid", plan, period, reference }, now)
          const before = account.billingReference
          if (before === null || before === reference) return true
          yield* cancel(before)
          if (planInForce(account) !== "Free")
            yield* Effect.logWarning("An account paid twice; what it paid for first ends now").pipe(
              Effect.annotateLogs({ account: account.id, first: before, second: reference }),
            )
          return true
        }),
      })
    }),
  )
}
