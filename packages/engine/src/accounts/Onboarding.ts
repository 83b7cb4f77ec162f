/**
 * What follows verification: the welcome mail and the owner's next page (`spec: account.welcome.200`,
 * `account.target.200`).
 */
import {
  type AccountId,
  type AccountRecord,
  EmailNotVerified,
  type Instant,
  liveIntent,
  type NotFound,
  type Principal,
  type VerifiedTarget,
  verifiedTarget,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { UnitOfWork } from "../UnitOfWork.js"
import { lockAccount } from "./lockAccount.js"

/** Whether any API key of the account was ever used, which decides the owner's next page. */
export const anyKeyUsed = (keys: typeof ApiKeyStore.Service, accountId: AccountId): Effect.Effect<boolean> =>
  Effect.map(keys.list(accountId), (all) => all.some(({ lastUsedAt }) => lastUsedAt !== null))

export class Onboarding extends Context.Tag("@mailroom/Onboarding")<
  Onboarding,
  {
    /** Queues the welcome mail. Only the first call for an account does so. */
    readonly welcome: (principal: Principal) => Effect.Effect<void, EmailNotVerified | NotFound>
    /**
     * The owner's next page after verification. For a verified account it also records the first visit, clears an intent
     * that no longer applies, and queues the welcome mail. Does not restart the trial.
     */
    readonly target: (principal: Principal) => Effect.Effect<VerifiedTarget, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Onboarding,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const jobs = yield* JobQueue
      const { commit } = yield* UnitOfWork
      const { billing } = yield* Settings

      /** Queues the welcome mail unless it was queued before. Returns the account to save. */
      const welcomed = Effect.fnUntraced(function* (account: AccountRecord, now: Instant) {
        if (account.welcomedAt !== null) return account
        yield* jobs.add({ kind: "send-welcome", accountId: account.id }, now)
        return { ...account, welcomedAt: now }
      })

      return Onboarding.of({
        welcome: Effect.fn("Onboarding.welcome")(function* (principal) {
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const account = yield* lockAccount(accounts, principal.account.id)
              // An account that paid before it was verified passes the access rules; the welcome mail still needs
              // verification.
              if (account.emailVerifiedAt === null) return yield* new EmailNotVerified()
              yield* accounts.save(yield* welcomed(account, now))
            }),
          )
        }),

        target: Effect.fn("Onboarding.target")(function* (principal) {
          const now = yield* Clock.currentTimeMillis
          return yield* commit(
            Effect.gen(function* () {
              const account = yield* lockAccount(accounts, principal.account.id)
              const target = verifiedTarget(account, billing, yield* anyKeyUsed(keys, account.id))
              if (account.emailVerifiedAt === null) return target
              const current = { ...account, ...liveIntent(account, billing) }
              yield* accounts.save(
                yield* welcomed({ ...current, onboardedAt: account.onboardedAt ?? now }, now),
              )
              return target
            }),
          )
        }),
      })
    }),
  )
}
