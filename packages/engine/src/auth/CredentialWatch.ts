/** Ends event streams and other long responses when their credential stops being valid (`spec: keys.revoke.200`). */
import { type AccountId, type Credential, type Principal, Unauthenticated } from "@mailroom/domain"
import { Clock, Context, Effect, Layer, RcMap, type Scope } from "effect"
import { acquireLight } from "../acquireLight.js"
import { retryWhileUnavailable } from "../retryWhileUnavailable.js"
import { Signals } from "../ports/Signals.js"
import { AccountStore, SessionStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { makeFallbackLook } from "../signals/fallbackLook.js"

export type Caller = Pick<Principal, "account" | "credential">

interface Watched {
  readonly accountId: AccountId
  readonly credential: Credential
}

interface Watch extends Watched {
  readonly onLapse: () => void
}

export class CredentialWatch extends Context.Tag("@mailroom/CredentialWatch")<
  CredentialWatch,
  {
    /**
     * Calls `onLapse` once, when the credential is no longer valid: the key is revoked, the session ended, the account
     * suspended or deleted. Checks now, after each signal on the topic of the account, and every 15 s, until the scope
     * closes.
     */
    readonly watch: (caller: Caller, onLapse: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** Returns when the credential is no longer valid. */
    readonly lapse: (caller: Caller) => Effect.Effect<void>
    /**
     * Fails when the credential is no longer valid. For what happens long after a request was authenticated. The access rule
     * has judged whether a suspended account may do it.
     */
    readonly confirm: (caller: Caller) => Effect.Effect<void, Unauthenticated>
  }
>() {
  static readonly layer: Layer.Layer<
    CredentialWatch,
    never,
    AccountStore | ApiKeyStore | SessionStore | Signals
  > = Layer.scoped(
    CredentialWatch,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const sessions = yield* SessionStore
      const signals = yield* Signals
      /** All watches of this process; `due` are those whose credential is checked next. */
      const watches = new Set<Watch>()
      const due = new Set<Watch>()
      const isDue = Effect.unsafeMakeLatch(false)

      const check = (some: Iterable<Watch>): void => {
        for (const watch of some) due.add(watch)
        isDue.unsafeOpen()
      }

      // Streams of one account share its id and often a key.
      const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

      /**
       * Those whose credential is not valid any more, or whose account is suspended unless `orSuspended`. Runs three statements,
       * whatever their number.
       */
      const lapsedAmong = Effect.fnUntraced(function* <W extends Watched>(
        checked: ReadonlyArray<W>,
        orSuspended = false,
      ) {
        const credentials = checked.map(({ credential }) => credential)
        const accountIds = distinct(checked.map(({ accountId }) => accountId))
        const keyIds = distinct(credentials.flatMap((one) => (one.kind === "key" ? [one.id] : [])))
        const hashes = distinct(credentials.flatMap((one) => (one.kind === "session" ? [one.hash] : [])))
        const open = new Set(yield* accounts.openAmong(accountIds, orSuspended))
        const activeKeys = new Set(yield* keys.activeAmong(keyIds))
        const valid = new Set(yield* sessions.validAmong(hashes, yield* Clock.currentTimeMillis))
        const isValid = (credential: Credential): boolean => {
          switch (credential.kind) {
            case "key":
              return activeKeys.has(credential.id)
            case "session":
              return valid.has(credential.hash)
            case "embedded":
              return true
          }
        }
        return checked.filter(({ accountId, credential }) => !open.has(accountId) || !isValid(credential))
      })

      const checkDue = Effect.suspend(() => {
        isDue.unsafeClose()
        const checked = [...due]
        due.clear()
        return Effect.map(retryWhileUnavailable(lapsedAmong(checked)), (lapsed) => {
          for (const watch of lapsed) if (watches.delete(watch)) watch.onLapse()
        })
      })
      yield* isDue.await.pipe(
        Effect.zipRight(checkDue),
        Effect.catchAllCause((cause) =>
          Effect.logError("Checking the credentials of open streams failed", cause),
        ),
        Effect.forever,
        Effect.forkScoped,
      )

      const fallback = yield* makeFallbackLook(
        "revocations",
        Effect.sync(() => check(watches)),
      )

      /** The watches of one account, which share one subscription to its topic. */
      const ofAccount = yield* RcMap.make({
        lookup: (accountId: AccountId) => {
          const own = new Set<Watch>()
          return Effect.as(
            signals.listen(`account:${accountId}`, () => check(own)),
            own,
          )
        },
      })

      const add = (watch: Watch, own: Set<Watch>) =>
        acquireLight(
          Effect.sync(() => {
            own.add(watch)
            watches.add(watch)
            fallback.setNeeded(true)
            check([watch])
          }),
          () =>
            Effect.sync(() => {
              for (const set of [own, watches, due]) set.delete(watch)
              fallback.setNeeded(watches.size > 0)
            }),
        )

      const watch = ({ account: { id: accountId }, credential }: Caller, onLapse: () => void) =>
        // Subscribed before the first check: a change in between is signalled and checked again.
        Effect.flatMap(RcMap.get(ofAccount, accountId), (own) => add({ accountId, credential, onLapse }, own))

      return {
        watch,
        confirm: ({ account: { id: accountId }, credential }) =>
          Effect.flatMap(lapsedAmong([{ accountId, credential }], true), ({ length }) =>
            length === 0
              ? Effect.void
              : new Unauthenticated({
                  reason: credential.kind === "session" ? "invalid session" : "invalid key",
                }),
          ),
        lapse: (caller) =>
          Effect.gen(function* () {
            const lapsed = Effect.unsafeMakeLatch(false)
            yield* watch(caller, () => lapsed.unsafeOpen())
            yield* lapsed.await
          }).pipe(Effect.scoped),
      }
    }),
  )
}
