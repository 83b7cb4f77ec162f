/** Deleting an account and everything of it (spec, Signup and account; decisions §3; docs/decisions/0013). */
import { type AccountId, NAMES_RESERVED_FOR, type Principal } from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { JobQueue } from "../jobs/JobQueue.js"
import { Vault } from "../ports/Crypto.js"
import { AccountRemovalStore, ReservedNameStore } from "../ports/stores/AccountRemovalStore.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { reservedName } from "./reservedName.js"

/** How many messages, deliveries or other rows one transaction removes. */
const STEP = 200

export class AccountRemoval extends Context.Tag("@mailroom/AccountRemoval")<
  AccountRemoval,
  {
    /** The account is gone for everybody at once; what is left of it goes in the background. Again, it changes nothing. */
    readonly remove: (principal: Principal) => Effect.Effect<void>
    /** One step of the background part; true when nothing is left. */
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
      const vault = yield* Vault
      const { commit } = yield* UnitOfWork

      const purgeStep = Effect.fnUntraced(function* (accountId: AccountId) {
        const now = yield* Clock.currentTimeMillis
        const { blobKeys, done } = yield* removals.purge(accountId, STEP)
        // With the rows that named them: a crash loses none of the blobs.
        if (blobKeys.length > 0) yield* jobs.add({ kind: "remove-blobs", keys: blobKeys }, now)
        return done
      })

      return AccountRemoval.of({
        remove: Effect.fn("AccountRemoval.remove")(function* ({ account: { id } }) {
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
              yield* announce(`account:${id}`)
            }),
          )
        }),

        purge: Effect.fn("AccountRemoval.purge")((accountId) => commit(purgeStep(accountId))),
      })
    }),
  )
}
