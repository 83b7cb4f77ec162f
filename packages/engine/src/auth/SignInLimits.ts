/**
 * How often passwords can be guessed (docs/decisions/0045): per email and host, per host and site over all emails, and
 * per email over all networks from which nobody signed in to its account before. Every try is counted before its
 * password is looked at, so that parallel tries are no way around; a right password takes its counts back.
 */
import {
  type AccountId,
  DAY,
  type Instant,
  networksOf,
  type RateLimited,
  WRONG_PASSWORDS_MAX,
  WRONG_PASSWORDS_OF_STRANGERS_MAX,
  WRONG_PASSWORDS_OF_STRANGERS_PER_DAY,
  WRONG_PASSWORDS_PER_IP_MAX,
  WRONG_PASSWORDS_WINDOW,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { Vault } from "../ports/Crypto.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { SignInNetworkStore } from "../ports/stores/SignInNetworkStore.js"
import { addressLimits, giveBack, type Limit, takeUses } from "../rateLimits/uses.js"

export class SignInLimits extends Context.Tag("@mailroom/SignInLimits")<
  SignInLimits,
  {
    /** Counts a try. The effect it returns is for a right password: it takes the counts of this try back. */
    readonly takeTry: (
      email: string,
      clientAddress: string,
    ) => Effect.Effect<{ readonly wasRight: Effect.Effect<void> }, RateLimited>
    /** Whoever uses this network has proven to be the owner of the account. For inside a transaction. */
    readonly trust: (accountId: AccountId, clientAddress: string, now: Instant) => Effect.Effect<void>
    /** Forgets the tries of strangers at this email: its owner has proven access to the mailbox. */
    readonly forgetStrangers: (email: string) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<SignInLimits, never, RateLimitStore | SignInNetworkStore | Vault> =
    Layer.effect(
      SignInLimits,
      Effect.gen(function* () {
        const rates = yield* RateLimitStore
        const networks = yield* SignInNetworkStore
        const vault = yield* Vault
        // Neither emails nor addresses are stored.
        const signed = (text: string) => vault.sign("sign-in", text)

        const byPair = (email: string, host: string): Limit => ({
          key: `sign-in:${signed(`${email} ${host}`)}`,
          max: WRONG_PASSWORDS_MAX,
          window: WRONG_PASSWORDS_WINDOW,
        })
        const ofStrangers = (email: string): readonly [Limit, Limit] => [
          {
            key: `sign-in of strangers:${signed(email)}`,
            max: WRONG_PASSWORDS_OF_STRANGERS_MAX,
            window: WRONG_PASSWORDS_WINDOW,
          },
          {
            key: `sign-in of strangers by day:${signed(email)}`,
            max: WRONG_PASSWORDS_OF_STRANGERS_PER_DAY,
            window: DAY,
          },
        ]

        return SignInLimits.of({
          takeTry: Effect.fnUntraced(function* (email, clientAddress) {
            const { host } = networksOf(clientAddress)
            const pair = byPair(email, host)
            const byAddress = addressLimits(
              "sign-in by address",
              clientAddress,
              WRONG_PASSWORDS_PER_IP_MAX,
              WRONG_PASSWORDS_WINDOW,
            )
            const isKnown = yield* networks.isKnown(email, signed(host))
            const limits = [...byAddress, pair, ...(isKnown ? [] : ofStrangers(email))]
            const { uses } = yield* takeUses(rates, "sign-in", limits)
            const others = uses.filter(({ key }) => key !== pair.key)
            return { wasRight: Effect.zipRight(rates.forget(pair.key), giveBack(rates, others)) }
          }),
          trust: (accountId, clientAddress, now) =>
            networks.remember(accountId, signed(networksOf(clientAddress).host), now),
          forgetStrangers: (email) =>
            Effect.forEach(ofStrangers(email), ({ key }) => rates.forget(key), { discard: true }),
        })
      }),
    )
}
