/** The account, its keys, its plan (spec, Signup and account, API keys, billing). */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Api, CurrentPrincipal } from "@mailroom/api"
import { AccountRemoval, Accounts, ApiKeys, Billing, Onboarding } from "@mailroom/engine"
import { Effect } from "effect"
import { Refusals } from "../errors.js"

export const accountRoutes = HttpApiBuilder.group(Api, "account", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const removal = yield* AccountRemoval
    const onboarding = yield* Onboarding
    const { answer } = yield* Refusals

    return handlers
      .handle("get", () =>
        Effect.flatMap(CurrentPrincipal, accounts.view).pipe(Effect.map((account) => ({ account }))),
      )
      .handle(
        "remove",
        () => Effect.flatMap(CurrentPrincipal, removal.remove).pipe(Effect.as({ deleted: true as const })),
        { uninterruptible: true },
      )
      .handle(
        "welcome",
        () =>
          Effect.flatMap(CurrentPrincipal, onboarding.welcome).pipe(Effect.as({ ok: true as const }), answer),
        { uninterruptible: true },
      )
      .handle(
        "postVerifyTarget",
        () =>
          Effect.flatMap(CurrentPrincipal, onboarding.target).pipe(
            Effect.map((target) => ({ target })),
            answer,
          ),
        { uninterruptible: true },
      )
  }),
)

export const keyRoutes = HttpApiBuilder.group(Api, "keys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { answer } = yield* Refusals

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, keys.list).pipe(Effect.map((found) => ({ keys: found }))),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            keys.create(principal, { name: payload.name, mailboxIds: payload.mailboxIds ?? null }),
          ).pipe(
            Effect.map(({ key, record }) => ({
              id: record.id,
              name: record.name,
              key,
              prefix: record.prefix,
              scoped: record.mailboxIds !== null,
              ...(record.mailboxIds !== null && { mailboxIds: record.mailboxIds }),
            })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "revoke",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => keys.revoke(principal, path.id)).pipe(
            Effect.as({ revoked: true as const }),
            answer,
          ),
        { uninterruptible: true },
      )
  }),
)

export const billingRoutes = HttpApiBuilder.group(Api, "billing", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const { answer } = yield* Refusals

    return handlers.handle(
      "upgrade",
      ({ payload }) =>
        Effect.gen(function* () {
          const plan = payload?.plan ?? "Developer"
          const period = payload?.period ?? "monthly"
          const { url, expiresAt } = yield* billing.upgrade(yield* CurrentPrincipal, { plan, period })
          return {
            checkout_url: url,
            expires_at: Math.floor(expiresAt / 1000),
            message: `Hand this link to the account's owner. It buys the ${plan} plan and works for 24 hours`,
          }
        }).pipe(answer),
      { uninterruptible: true },
    )
  }),
)
