/**
 * API authentication: one middleware for each row of the access table (docs/specification/authentication.md). An endpoint
 * names its row, and the permissions that it needs. The server checks both before it reads path, query and body.
 */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { type AccessClass, isAccessClass, type NeededPermissions, type Principal } from "@mailroom/domain"
import { Context, Schema } from "effect"
import { type Contract, endpointsOf } from "./endpoints.js"
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

const PREFIX = "@mailroom/access/"

/** The middleware tag of a row of the access table, which a key or a session satisfies. */
const AccessTag =
  <Self>() =>
  <const Row extends AccessClass>(row: Row) =>
    HttpApiMiddleware.Tag<Self>()(`${PREFIX}${row}`, rule)

export class AccountAccess extends AccessTag<AccountAccess>()("account") {}
export class CreateKeyAccess extends AccessTag<CreateKeyAccess>()("create-key") {}
export class RevokeKeyAccess extends AccessTag<RevokeKeyAccess>()("revoke-key") {}
export class WhoamiAccess extends AccessTag<WhoamiAccess>()("whoami") {}
export class BillingAccess extends AccessTag<BillingAccess>()("billing") {}
export class WelcomeAccess extends AccessTag<WelcomeAccess>()("welcome") {}
export class StreamAccess extends AccessTag<StreamAccess>()("stream") {}
export class ProvisioningAccess extends AccessTag<ProvisioningAccess>()("provisioning") {}
export class DomainsAccess extends AccessTag<DomainsAccess>()("domains") {}
export class WebhooksAccess extends AccessTag<WebhooksAccess>()("webhooks") {}
export class MailAccess extends AccessTag<MailAccess>()("mail") {}

/**
 * Annotation: the permissions of which the caller needs one; empty when it needs none. Every endpoint with a row of the
 * access table has it; null is for endpoints without a caller.
 */
export class Needs extends Context.Reference<Needs>()("@mailroom/api/Needs", {
  defaultValue: (): NeededPermissions | null => null,
}) {}

/** An endpoint with a row of the access table. */
export interface GuardedEndpoint {
  /** `{group}.{endpoint}`, its `operationId` in the OpenAPI document */
  readonly name: string
  readonly method: string
  /** with parameters as `:id` */
  readonly path: string
  readonly access: AccessClass
  readonly needs: NeededPermissions
}

/** The endpoints with a row of the access table and the permissions that they need, in the order of the contract. */
export const guardedEndpoints = (api: Contract): ReadonlyArray<GuardedEndpoint> =>
  endpointsOf(api).flatMap(({ group, endpoint: { name, method, path }, annotations, middlewares }) => {
    const needs = Context.get(annotations, Needs)
    const access = middlewares.map(({ key }) => key.slice(PREFIX.length)).find(isAccessClass)
    return needs === null || access === undefined
      ? []
      : [{ name: `${group.identifier}.${name}`, method, path, access, needs }]
  })

/** Only a session satisfies this row. */
export class OwnerAccess extends HttpApiMiddleware.Tag<OwnerAccess>()("@mailroom/access/owner", {
  ...rule,
  security: { session },
}) {}

/** Access to the operator's routes by ADMIN_TOKEN only (spec: decisions.admin.token). */
export class AdminAccess extends HttpApiMiddleware.Tag<AdminAccess>()("@mailroom/access/admin", {
  failure: Unauthorized,
  security: {
    admin: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "The operator's ADMIN_TOKEN: `Authorization: Bearer …`"),
    ),
  },
}) {}
