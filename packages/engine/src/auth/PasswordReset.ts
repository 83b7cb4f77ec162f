/** Password reset by a link in a mail (`spec: decisions.password-reset`; docs/decisions/0014). */
import { InvalidToken, type Overloaded, ownerActor } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { LinkRequests } from "../accounts/LinkRequests.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore, MailTokenStore, SessionStore } from "../ports/stores/AccountStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { PasswordWork } from "./PasswordWork.js"
import { SignInLimits } from "./SignInLimits.js"

export class PasswordReset extends Context.Tag("@mailroom/PasswordReset")<
  PasswordReset,
  {
    /** Queues a mail with a link to the owner. Does not disclose whether the address has an account. */
    readonly request: (email: string, clientAddress: string) => Effect.Effect<void>
    /**
     * Sets the password by the token of the mail, once. Ends all sessions and invalidates other reset links; API keys stay
     * valid. Trusts the client's network from then on, and resets the counters of wrong passwords from it and from
     * untrusted networks.
     */
    readonly reset: (
      token: string,
      password: string,
      clientAddress: string,
    ) => Effect.Effect<void, InvalidToken | Overloaded>
  }
>() {
  static readonly layer = Layer.effect(
    PasswordReset,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const tokens = yield* MailTokenStore
      const sessions = yield* SessionStore
      const requests = yield* LinkRequests
      const passwordWork = yield* PasswordWork
      const limits = yield* SignInLimits
      const vault = yield* Vault
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork
      const invalid = () => new InvalidToken({ what: "link to a new password" })

      return PasswordReset.of({
        request: (email, clientAddress) => requests.request("send-password-reset", email, clientAddress),

        reset: Effect.fn("PasswordReset.reset")(function* (token, password, clientAddress) {
          const hash = vault.digest(token)
          const found = yield* tokens.byHash(hash, "reset-password")
          const now = yield* Clock.currentTimeMillis
          if (Option.isNone(found) || now >= found.value.expiresAt) return yield* invalid()
          const { accountId } = found.value
          // Hashed only for a valid link, because it costs 50 ms of a core.
          const passwordHash = yield* passwordWork.hash(password, clientAddress)
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([accountId])
              if (account === undefined || !(yield* tokens.redeem(accountId, hash, "reset-password")))
                return yield* invalid()
              yield* accounts.save({ ...account, passwordHash })
              yield* sessions.removeAll(accountId)
              yield* limits.trust(accountId, clientAddress, now)
              yield* limits.reset(account.email, clientAddress)
              yield* audit.record({
                accountId,
                actor: ownerActor,
                action: "password.changed",
                target: null,
                detail: { address: clientAddress },
              })
              yield* announce(`account:${accountId}`)
            }),
          )
        }),
      })
    }),
  )
}
