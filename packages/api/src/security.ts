/**
 * API authentication: one middleware for each row of the access table (docs/specification/authentication.md). The server
 * applies it before it reads path, query and body.
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import type { Principal } from "@mailroom/domain"
import { Context, Schema } from "effect"
import { Forbidden, PaymentRequired, Unauthorized } from "./errors.js"

/** The caller, available after the access rule of the route has accepted the request. */
export class CurrentPrincipal extends Context.Tag("@mailroom/CurrentPrincipal")<
  CurrentPrincipal,
  Principal
>() {}

export const SESSION_COOKIE = "mailroom_session"

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "An API key: `Authorization: Bearer mr_…`"),
)
const session = HttpApiSecurity.apiKey({ in: "cookie", key: SESSION_COOKIE }).pipe(
  HttpApiSecurity.annotate(OpenApi.Description, "A dashboard session, from POST /api/auth/sign-in/email"),
)

/** The errors of access rules. */
export const AccessFailure = Schema.Union(Unauthorized, PaymentRequired, Forbidden)
export type AccessFailure = typeof AccessFailure.Type

const rule = {
  provides: CurrentPrincipal,
  failure: AccessFailure,
  security: { bearer, session },
}

export class AccountAccess extends HttpApiMiddleware.Tag<AccountAccess>()("@mailroom/access/account", rule) {}
export class CreateKeyAccess extends HttpApiMiddleware.Tag<CreateKeyAccess>()(
  "@mailroom/access/create-key",
  rule,
) {}
export class RevokeKeyAccess extends HttpApiMiddleware.Tag<RevokeKeyAccess>()(
  "@mailroom/access/revoke-key",
  rule,
) {}
export class BillingAccess extends HttpApiMiddleware.Tag<BillingAccess>()("@mailroom/access/billing", rule) {}
export class OwnerAccess extends HttpApiMiddleware.Tag<OwnerAccess>()("@mailroom/access/owner", {
  ...rule,
  security: { session },
}) {}
export class WelcomeAccess extends HttpApiMiddleware.Tag<WelcomeAccess>()("@mailroom/access/welcome", rule) {}
export class StreamAccess extends HttpApiMiddleware.Tag<StreamAccess>()("@mailroom/access/stream", rule) {}
export class ProvisioningAccess extends HttpApiMiddleware.Tag<ProvisioningAccess>()(
  "@mailroom/access/provisioning",
  rule,
) {}
export class DomainsAccess extends HttpApiMiddleware.Tag<DomainsAccess>()("@mailroom/access/domains", rule) {}
export class WebhooksAccess extends HttpApiMiddleware.Tag<WebhooksAccess>()(
  "@mailroom/access/webhooks",
  rule,
) {}
export class MailAccess extends HttpApiMiddleware.Tag<MailAccess>()("@mailroom/access/mail", rule) {}

/** Access to the operator's routes by ADMIN_TOKEN only (spec: decisions.admin.token). */
export class AdminAccess extends HttpApiMiddleware.Tag<AdminAccess>()("@mailroom/access/admin", {
  failure: Unauthorized,
  security: {
    admin: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The operator's ADMIN_TOKEN: `Authorization: Bearer …`"),
    ),
  },
}) {}
