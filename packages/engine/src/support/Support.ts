/** Support requests from an account to the operator of the service. */
import {
  HOUR,
  type Principal,
  type RateLimited,
  type RelayRefused,
  type RelayUnavailable,
  type RelayUncertain,
  SUPPORT_REQUESTS_PER_HOUR,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { RateLimitStore } from "../ports/stores/RateLimitStore.js"
import { refundUses, takeUses } from "../rateLimits/uses.js"
import { SystemMail } from "../sending/SystemMail.js"

export interface SupportRequest {
  readonly subject: string
  readonly message: string
}

const supportMail = ({ account, state }: Principal, { subject, message }: SupportRequest): string =>
  [
    message,
    "",
    "-- ",
    `Account ${account.slug} (${account.id}), ${state}, on the ${account.plan} plan`,
    `Subject: ${subject}`,
    "",
  ].join("\n")

export class Support extends Context.Tag("@mailroom/Support")<
  Support,
  {
    /**
     * Mails a request to `operator`, with the account's owner as Reply-To. At most 10 an hour for one account; one that the relay
     * does not take does not count. Returns when the relay has accepted the mail.
     */
    readonly request: (
      principal: Principal,
      operator: string,
      request: SupportRequest,
    ) => Effect.Effect<void, RateLimited | RelayRefused | RelayUnavailable | RelayUncertain>
  }
>() {
  static readonly layer = Layer.effect(
    Support,
    Effect.gen(function* () {
      const rates = yield* RateLimitStore
      const systemMail = yield* SystemMail
      return {
        request: Effect.fn("Support.request")(function* (principal, operator, request) {
          const { email, id, slug } = principal.account
          const limit = { key: `support:${id}`, max: SUPPORT_REQUESTS_PER_HOUR, window: HOUR }
          const { uses } = yield* takeUses(rates, "support request", [limit])
          yield* systemMail
            .send({
              to: operator,
              replyTo: email,
              // Not the account's subject, which could look like one of the service's own mails.
              subject: `Support request of ${slug}`,
              text: supportMail(principal, request),
            })
            .pipe(
              // The operator may have got an uncertain one.
              Effect.tapError(({ _tag }) =>
                _tag === "RelayUncertain" ? Effect.void : refundUses(rates, uses),
              ),
            )
        }),
      }
    }),
  )
}
