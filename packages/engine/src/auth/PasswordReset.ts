/** Setting a new password by a link in a mail (decisions §4; docs/decisions/0014). */
import { InvalidToken, type Overloaded } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { LinkRequests } from "../accounts/LinkRequests.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore, MailTokenStore, SessionStore } from "../ports/stores/AccountStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { PasswordWork } from "./PasswordWork.js"
import { SignInLimits } from "./SignInLimits.js"

export class PasswordReset extends Context.Tag("@mailroom/PasswordReset")<
  PasswordReset,
  {
    /** Sends the owner a link. Says nothing about whether the address is known. */
    readonly request: (email: string, clientAddress: string) => Effect.Effect<void>
    /**
     * By the token of the mail, once. Every session of the account ends, and so does every other link; keys stay. The
     * client's network is known to the account from then on, and wrong passwords of strangers no longer count.
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
          // Only for a link that works: it is dear.
          const passwordHash = yield* passwordWork.hash(password, clientAddress)
          yield* commit(
            Effect.gen(function* () {
              const [account] = yield* accounts.lock([accountId])
              if (account === undefined || !(yield* tokens.redeem(accountId, hash, "reset-password")))
                return yield* invalid()
              yield* accounts.save({ ...account, passwordHash })
              yield* sessions.removeAll(accountId)
              yield* limits.trust(accountId, clientAddress, now)
              yield* limits.forgetStrangers(account.email)
              yield* announce(`account:${accountId}`)
            }),
          )
        }),
      })
    }),
  )
}
