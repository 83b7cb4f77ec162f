/**
 * Changes an account's plan, with its mailboxes and gated messages (`spec: decisions.upgrade.unlocks`,
 * `decisions.downgrade`).
 */
import {
  type AccountRecord,
  type AuditActor,
  type Bought,
  changePlan,
  type CheckoutRecord,
  fitMailboxes,
  type Instant,
  moveMailbox,
  type PlanChange,
  planInForce,
  serviceActor,
  unlocksGated,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { CheckoutStore } from "../ports/stores/CheckoutStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"

export class PlanChanges extends Context.Tag("@mailroom/PlanChanges")<
  PlanChanges,
  {
    /**
     * Inside `UnitOfWork.commit`, on a locked account: saves the changed account, cancels a subscription that no longer pays
     * for it, pauses or resumes mailboxes to fit the plan, and unlocks gated messages where the new plan's inbound limit is
     * higher. Returns the account. Idempotent. `actor` is for the audit trail.
     */
    readonly apply: (
      account: AccountRecord,
      change: PlanChange,
      now: Instant,
      actor: AuditActor,
    ) => Effect.Effect<AccountRecord>
    /**
     * Inside `UnitOfWork.commit`: completes the checkout. The account gets the bought plan under `reference`. False when the
     * checkout was completed before or the account is deleted; a subscription that the account does not have is then
     * cancelled.
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
      const audit = yield* AuditLog
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
        actor: AuditActor,
      ) {
        const after = changePlan(account, change)
        if (after === account) return account
        yield* accounts.save(after)
        yield* audit.record({
          accountId: account.id,
          actor,
          action: "plan.changed",
          target: null,
          detail: {
            before: account.plan,
            after: after.plan,
            period: after.billingPeriod,
            lapsed: after.lapsed,
          },
        })
        const left = account.billingReference
        if (left !== null && left !== after.billingReference)
          yield* jobs.add({ kind: "cancel-subscription", reference: left }, now)
        yield* fit(after, now)
        return unlocksGated(account, after) ? yield* gated.unlock(after, "all") : after
      })

      return PlanChanges.of({
        apply,

        purchase: Effect.fn("PlanChanges.purchase")(function* (checkout, bought, reference, now) {
          const [account] = yield* accounts.lock([checkout.accountId])
          const cancel = jobs.add({ kind: "cancel-subscription", reference }, now)
          // The account was deleted during the checkout.
          if (account === undefined) return yield* Effect.as(cancel, false)
          if (!(yield* checkouts.complete(checkout.tokenHash, now))) {
            if (account.billingReference === reference) return false
            // The provider may have opened two pages for the checkout, and the owner may have paid on both.
            yield* Effect.logWarning(
              "A checkout was paid that was completed before; its subscription is cancelled",
            ).pipe(Effect.annotateLogs({ account: account.id, reference }))
            return yield* Effect.as(cancel, false)
          }
          const { plan, period } = bought
          yield* apply(account, { kind: "paid", plan, period, reference }, now, serviceActor)
          const before = account.billingReference
          if (before !== null && before !== reference && planInForce(account) !== "Free")
            yield* Effect.logWarning("An account paid twice; its first subscription is cancelled").pipe(
              Effect.annotateLogs({ account: account.id, first: before, second: reference }),
            )
          return true
        }),
      })
    }),
  )
}
