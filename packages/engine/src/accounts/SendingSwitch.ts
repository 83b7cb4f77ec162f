/** The owner's switch that pauses all sends of the account (spec: drafts.paused). */
import { byCaller, type NotFound, type Principal } from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { DraftStore } from "../ports/stores/DraftStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { lockAccount } from "./lockAccount.js"

export class SendingSwitch extends Context.Tag("@mailroom/SendingSwitch")<
  SendingSwitch,
  {
    /**
     * Pauses or resumes all sends, and returns the principal with the changed account. Scheduled drafts that were due
     * meanwhile are due at once when sending resumes.
     */
    readonly set: (principal: Principal, paused: boolean) => Effect.Effect<Principal, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    SendingSwitch,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const drafts = yield* DraftStore
      const { commit } = yield* UnitOfWork
      return {
        set: Effect.fn("SendingSwitch.set")(function* (principal, paused) {
          const account = yield* commit(
            Effect.gen(function* () {
              const locked = yield* lockAccount(accounts, principal.account.id)
              if (locked.sendingPaused === paused) return locked
              const after = { ...locked, sendingPaused: paused }
              yield* accounts.save(after)
              if (!paused) yield* drafts.resume(locked.id)
              const action = paused ? "account.sending_paused" : "account.sending_resumed"
              yield* audit.record({ ...byCaller(principal), action, target: null })
              return after
            }),
          )
          return { ...principal, account }
        }),
      }
    }),
  )
}
