/** The account, its keys, its plan. */
import { Api, CurrentPrincipal, paymentEventBody } from "@mailroom/api"
import { permissionsOf, timestamp, viewPrincipal } from "@mailroom/domain"
import {
  AccountRemoval,
  Accounts,
  ApiKeys,
  Billing,
  Onboarding,
  PaymentEvents,
  SendingSwitch,
  Settings,
  Support,
} from "@mailroom/engine"
import { Array, Effect, Option } from "effect"
import { RequestBodies } from "../bodies/RequestBodies.js"
import { anonymous } from "../bodies/sender.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { HttpSettings } from "../HttpSettings.js"
import { unknownPath } from "../unknownPath.js"

export const accountRoutes = group(Api, "account", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const removal = yield* AccountRemoval
    const onboarding = yield* Onboarding
    const support = yield* Support
    const sendingSwitch = yield* SendingSwitch
    const { supportEmail } = yield* HttpSettings
    const { baseUrl } = yield* Settings
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("get", () =>
        Effect.flatMap(CurrentPrincipal, accounts.view).pipe(Effect.map((account) => ({ account }))),
      )
      .handle(
        "update",
        ({ payload: { sendingPaused } }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            sendingPaused === undefined
              ? Effect.succeed(principal)
              : sendingSwitch.set(principal, sendingPaused),
          ).pipe(
            Effect.flatMap(accounts.view),
            Effect.map((account) => ({ account })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle("whoami", () => Effect.map(CurrentPrincipal, viewPrincipal))
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
      .handle(
        "support",
        ({ payload, request }) =>
          Option.match(supportEmail, {
            onNone: () => Effect.succeed(unknownPath(baseUrl, request)),
            onSome: (operator) =>
              Effect.flatMap(CurrentPrincipal, (principal) =>
                support.request(principal, operator, payload),
              ).pipe(Effect.as({ ok: true as const }), answer),
          }),
        { uninterruptible: true },
      )
  }),
)

export const keyRoutes = group(Api, "keys", (handlers) =>
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("list", () =>
        Effect.flatMap(CurrentPrincipal, keys.list).pipe(Effect.map((found) => ({ keys: found }))),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            keys.create(principal, {
              name: payload.name,
              mailboxIds: payload.mailboxIds === undefined ? null : Array.dedupe(payload.mailboxIds),
              permissions: payload.permissions,
            }),
          ).pipe(
            Effect.map(({ key, record }) => ({
              id: record.id,
              name: record.name,
              key,
              prefix: record.prefix,
              scoped: record.mailboxIds !== null,
              ...(record.mailboxIds !== null && { mailboxIds: record.mailboxIds }),
              permissions: permissionsOf(record),
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

export const billingRoutes = group(Api, "billing", (handlers) =>
  Effect.gen(function* () {
    const billing = yield* Billing
    const bodies = yield* RequestBodies
    const events = yield* PaymentEvents
    const { trustProxy } = yield* HttpSettings
    const { baseUrl, billing: mode } = yield* Settings
    const { answer } = yield* ErrorResponses

    return handlers
      .handle(
        "upgrade",
        ({ payload }) =>
          Effect.gen(function* () {
            const plan = payload?.plan ?? "Developer"
            const period = payload?.period ?? "monthly"
            const { url, expiresAt } = yield* billing.upgrade(yield* CurrentPrincipal, { plan, period })
            return {
              checkout_url: url,
              expires_at: Math.floor(expiresAt / 1000),
              message: `Hand this link to the account's owner. It buys the ${plan} plan and works until ${timestamp(expiresAt)}`,
            }
          }).pipe(answer),
        { uninterruptible: true },
      )
      .handle(
        "changePlan",
        ({ payload: { plan, period } }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            billing.changePlan(principal, { plan, period }),
          ).pipe(
            Effect.map((account) => ({ account })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle("portal", () => answer(Effect.flatMap(CurrentPrincipal, billing.portal)), {
        uninterruptible: true,
      })
      .handleRaw(
        "stripeWebhook",
        ({ request }) =>
          mode === "stripe"
            ? Effect.gen(function* () {
                // The signature is of the text as it was sent.
                const body = yield* bodies.text(request, anonymous(request, trustProxy), paymentEventBody)
                yield* events.receive({ body, signature: request.headers["stripe-signature"] ?? "" })
                return { received: true as const }
              }).pipe(answer)
            : Effect.succeed(unknownPath(baseUrl, request)),
        { uninterruptible: true },
      )
  }),
)
