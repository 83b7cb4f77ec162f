/** Whether who was let in may stay: for what goes on after the request (spec, API keys: revocation is immediate). */
import { type Credential, type Principal, SECOND } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { outlasting } from "../outlasting.js"
import { Signals } from "../ports/Signals.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"

/** How often it is looked at when no signal comes. */
const POLL = 15 * SECOND

export class CredentialWatch extends Context.Tag("@mailroom/CredentialWatch")<
  CredentialWatch,
  {
    /**
     * Returns once the caller would not be let in any more: the key revoked, the session over, the account suspended or
     * deleted. Looks when the account's own topic says that something about it changed, not at every event.
     */
    readonly lapse: (principal: Pick<Principal, "account" | "credential">) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    CredentialWatch,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const sessions = yield* SessionStore
      const signals = yield* Signals

      const isValid = (accountId: Principal["account"]["id"], credential: Credential) => {
        switch (credential.kind) {
          case "key":
            return Effect.map(
              keys.byId(accountId, credential.id),
              Option.exists(({ revokedAt }) => revokedAt === null),
            )
          case "session":
            return Effect.zipWith(sessions.byHash(credential.hash), Clock.currentTimeMillis, (session, now) =>
              Option.exists(session, ({ expiresAt }) => now < expiresAt),
            )
          case "embedded":
            return Effect.succeed(true)
        }
      }

      const holds = Effect.fnUntraced(function* ({
        account: { id },
        credential,
      }: Pick<Principal, "account" | "credential">) {
        const account = yield* accounts.byId(id)
        const open = Option.exists(account, ({ suspendedAt }) => suspendedAt === null)
        return open && (yield* isValid(id, credential))
      })

      return {
        lapse: (principal) =>
          Effect.gen(function* () {
            // Subscribed before the first look: what changes in between wakes once too often, not never.
            const { wait } = yield* signals.subscribe(`account:${principal.account.id}`)
            while (yield* outlasting(holds(principal))) yield* Effect.timeoutOption(wait, POLL)
          }).pipe(Effect.scoped),
      }
    }),
  )
}
