/**
 * Releases accounts from trials and lapsed plans when the operator turned billing off (`BILLING=none`): verified accounts get
 * the operator's plan, and what a trial gated unlocks (docs/specification/states.md, Accounts).
 */
import {
  type AccountId,
  type AccountRecord,
  type Instant,
  isHeldByBilling,
  serviceActor,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { GatedMessages } from "../inbound/GatedMessages.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { BillingModeStore } from "../ports/stores/BillingModeStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { PlanChanges } from "./PlanChanges.js"

/** Accounts that one job looks at. */
const STEP = 100

export class BillingEnd extends Context.Tag("@mailroom/BillingEnd")<
  BillingEnd,
  {
    /**
     * Stores the billing mode, and adds the job when it changed to `none`. Later the operator may put an account on Free
     * again: nothing changes that.
     */
    readonly schedule: Effect.Effect<void>
    /**
     * Inside `UnitOfWork.commit`, on a locked account: with `BILLING=none`, gives an account that billing holds the operator's
     * plan, and unlocks what a trial or a lapse gated. Changes nothing otherwise.
     */
    readonly release: (account: AccountRecord, now: Instant) => Effect.Effect<void>
    /** Releases accounts among the next 100 after an id, and adds a job for those after them. */
    readonly turn: (after: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    BillingEnd,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const modes = yield* BillingModeStore
      const jobs = yield* JobQueue
      const gated = yield* GatedMessages
      const planChanges = yield* PlanChanges
      const settings = yield* Settings
      const { commit } = yield* UnitOfWork

      const addJob = (after: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => jobs.add({ kind: "end-billing", after }, now))

      const release = Effect.fnUntraced(function* (account: AccountRecord, now: Instant) {
        if (settings.billing !== "none" || !isHeldByBilling(account)) return
        const change = { kind: "given", plan: settings.defaultPlan } as const
        const after = yield* planChanges.apply(account, change, now, serviceActor)
        // A plan with a higher inbound limit has unlocked all.
        if (after.overLimitCount > 0) yield* gated.unlock(after, "INBOUND_TRIAL_LIMIT_EXCEEDED")
      })

      const releaseOne = (id: AccountId) =>
        commit(
          Effect.gen(function* () {
            const [account] = yield* accounts.lock([id])
            if (account !== undefined) yield* release(account, yield* Clock.currentTimeMillis)
          }),
        )

      return BillingEnd.of({
        schedule: commit(
          Effect.gen(function* () {
            const changed = yield* modes.change(settings.billing)
            if (changed && settings.billing === "none") yield* addJob("")
          }),
        ),

        release,

        turn: Effect.fn("BillingEnd.turn")(function* (after) {
          // The operator may have turned billing on again.
          if (settings.billing !== "none") return
          const page = yield* accounts.page(after, STEP)
          yield* Effect.forEach(page.filter(isHeldByBilling), ({ id }) => releaseOne(id), { discard: true })
          const last = page.at(-1)
          if (last !== undefined && page.length === STEP) yield* commit(addJob(last.id))
        }),
      })
    }),
  )
}
