/** What follows verification: the welcome mail, and where the owner goes (spec, Signup and account; decisions §3). */
import {
  type AccountRecord,
  EmailNotVerified,
  type Instant,
  liveIntent,
  NotFound,
  type Principal,
  type VerifiedTarget,
  verifiedTarget,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { anyKeyUsed } from "../keys/anyKeyUsed.js"
import { Settings } from "../ports/Settings.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

export class Onboarding extends Context.Tag("@mailroom/Onboarding")<
  Onboarding,
  {
    /** Has the owner welcomed by mail: once, however often it is asked. */
    readonly welcome: (principal: Principal) => Effect.Effect<void, EmailNotVerified | NotFound>
    /**
     * Where the owner goes after verification. The first answer counts as given, the intent is put in order, and the
     * owner is welcomed; before verification it is an answer and nothing else. The trial is left alone: it has begun.
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

      const lock = Effect.fnUntraced(function* ({ account: { id } }: Principal) {
        const [account] = yield* accounts.lock([id])
        return account ?? (yield* new NotFound({ resource: "account" }))
      })

      /** The account with its welcome mail asked for. */
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
              const account = yield* lock(principal)
              // Who paid first is past the gate without it.
              if (account.emailVerifiedAt === null) return yield* new EmailNotVerified()
              yield* accounts.save(yield* welcomed(account, now))
            }),
          )
        }),

        target: Effect.fn("Onboarding.target")(function* (principal) {
          const now = yield* Clock.currentTimeMillis
          return yield* commit(
            Effect.gen(function* () {
              const account = yield* lock(principal)
              const target = verifiedTarget(account, billing, yield* anyKeyUsed(keys, account.id))
              if (account.emailVerifiedAt === null) return target
              const settled = { ...account, ...liveIntent(account, billing) }
              yield* accounts.save(
                yield* welcomed({ ...settled, onboardedAt: account.onboardedAt ?? now }, now),
              )
              return target
            }),
          )
        }),
      })
    }),
  )
}
