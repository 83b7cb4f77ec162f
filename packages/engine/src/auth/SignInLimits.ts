/**
 * Limits on wrong passwords (docs/decisions/0045): per email and host, per host and site over all emails, and per email
 * over all untrusted networks, from which nobody signed in to that account before. Every attempt is counted before its
 * password is verified, so that parallel attempts are limited too; only a wrong password stays counted.
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
import { Context, Effect, Exit, Layer, Option } from "effect"
import { Vault } from "../ports/Crypto.js"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { SignInNetworkStore } from "../ports/stores/SignInNetworkStore.js"
import { addressLimits, refundUses, type Limit, takeUses } from "../rateLimits/uses.js"

export class SignInLimits extends Context.Tag("@mailroom/SignInLimits")<
  SignInLimits,
  {
    /**
     * Counts an attempt and runs `check`, which returns the owner when the password is right. A right password uncounts the
     * attempt and resets the counter of this email and network. An attempt whose check fails or is interrupted is uncounted.
     */
    readonly attempt: <Owner, E>(
      email: string,
      clientAddress: string,
      check: Effect.Effect<Option.Option<Owner>, E>,
    ) => Effect.Effect<Option.Option<Owner>, E | RateLimited>
    /** Inside a transaction: marks the client's network as one from which the owner of the account signed in. */
    readonly trust: (accountId: AccountId, clientAddress: string, now: Instant) => Effect.Effect<void>
    /**
     * Resets the counters of attempts on this email from the client's network and from untrusted networks, once the owner
     * proved access to the mailbox. The limits of the network over all emails stay.
     */
    readonly reset: (email: string, clientAddress: string) => Effect.Effect<void>
  }
>() {
  static readonly layer: Layer.Layer<SignInLimits, never, RateLimitStore | SignInNetworkStore | Vault> =
    Layer.effect(
      SignInLimits,
      Effect.gen(function* () {
        const rates = yield* RateLimitStore
        const networks = yield* SignInNetworkStore
        const vault = yield* Vault
        // Signed, so that neither emails nor addresses are stored.
        const signed = (text: string) => vault.sign("sign-in", text)

        const byPair = (email: string, host: string): Limit => ({
          key: `sign-in:${signed(`${email} ${host}`)}`,
          max: WRONG_PASSWORDS_MAX,
          window: WRONG_PASSWORDS_WINDOW,
        })
        const fromUntrusted = (email: string): readonly [Limit, Limit] => [
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
          attempt: (email, clientAddress, check) => {
            const { host } = networksOf(clientAddress)
            const pair = byPair(email, host)
            const byAddress = addressLimits(
              "sign-in by address",
              clientAddress,
              WRONG_PASSWORDS_PER_IP_MAX,
              WRONG_PASSWORDS_WINDOW,
            )
            return Effect.acquireUseRelease(
              Effect.flatMap(networks.isKnown(email, signed(host)), (isKnown) =>
                takeUses(rates, "sign-in", [...byAddress, pair, ...(isKnown ? [] : fromUntrusted(email))]),
              ),
              () => check,
              ({ uses }, exit) => {
                if (Exit.isFailure(exit)) return refundUses(rates, uses)
                if (Option.isNone(exit.value)) return Effect.void
                const others = uses.filter(({ key }) => key !== pair.key)
                return Effect.zipRight(rates.reset(pair.key), refundUses(rates, others))
              },
            )
          },
          trust: (accountId, clientAddress, now) =>
            networks.remember(accountId, signed(networksOf(clientAddress).host), now),
          reset: (email, clientAddress) =>
            Effect.forEach(
              [byPair(email, networksOf(clientAddress).host), ...fromUntrusted(email)],
              ({ key }) => rates.reset(key),
              { discard: true },
            ),
        })
      }),
    )
}
