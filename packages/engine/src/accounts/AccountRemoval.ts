/** Deletes an account and everything it owns (`spec: account.delete.200`; docs/decisions/0013). */
import { type AccountId, actorOf, NAMES_RESERVED_FOR, type Principal } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { JobQueue } from "../jobs/JobQueue.js"
import { Vault } from "../ports/Crypto.js"
import { AccountRemovalStore, ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"

/**
 * The stored form of a deleted account's email or slug: a signature under SECRET_KEY, so the table discloses no address
 * (`spec: decisions.deleted-reserved`).
 */
export const reservedName = (vault: typeof Vault.Service, what: "email" | "slug", value: string): string =>
  vault.sign(`reserved ${what}`, value)

/** Rows (messages, deliveries and so on) that one transaction removes at most. */
const PURGE_BATCH_MAX = 200

export class AccountRemoval extends Context.Tag("@mailroom/AccountRemoval")<
  AccountRemoval,
  {
    /** Retires the account at once; a job removes its rows and blobs. A second call changes nothing. */
    readonly remove: (principal: Principal) => Effect.Effect<void>
    /** Removes the next batch of rows of a retired account. True when none is left. */
    readonly purge: (accountId: AccountId) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    AccountRemoval,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const removals = yield* AccountRemovalStore
      const names = yield* ReservedNameStore
      const jobs = yield* JobQueue
      const audit = yield* AuditLog
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork

      const purgeBatch = Effect.fnUntraced(function* (accountId: AccountId) {
        const now = yield* Clock.currentTimeMillis
        const { blobKeys, done } = yield* removals.purge(accountId, PURGE_BATCH_MAX)
        // In the transaction that removes the rows: a crash leaves no blob without a row or a job.
        if (blobKeys.length > 0) yield* jobs.add({ kind: "remove-blobs", keys: blobKeys }, now)
        return done
      })

      return AccountRemoval.of({
        remove: Effect.fn("AccountRemoval.remove")(function* (principal) {
          const { id } = principal.account
          const now = yield* Clock.currentTimeMillis
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([id])
              if (account === undefined) return
              yield* removals.retire(id, now)
              yield* names.reserve(
                [reservedName(vault, "email", account.email), reservedName(vault, "slug", account.slug)],
                now + NAMES_RESERVED_FOR,
              )
              yield* jobs.add({ kind: "remove-account", accountId: id }, now)
              const reference = account.billingReference
              if (reference !== null) yield* jobs.add({ kind: "cancel-subscription", reference }, now)
              // In the operator's trail, because that of the account is removed with it. No row keeps an id of the account.
              yield* audit.record({
                accountId: null,
                actor: { kind: actorOf(principal).kind, id: null },
                action: "account.deleted",
                target: vault.sign("deleted account", id),
              })
              yield* announce(`account:${id}`)
            }),
          )
        }),

        purge: Effect.fn("AccountRemoval.purge")((accountId) => commit(purgeBatch(accountId))),
      })
    }),
  )
}
