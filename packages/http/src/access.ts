/**
 * The access rules: check the credentials of a request, the origin of a session's request, and the row of the access table
 * with the permissions of the route (`admitCaller`), in this order, and add the quota headers to the response. A refusal of
 * a known caller has a log line.
 */
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import {
  AccountAccess,
  Api,
  BillingAccess,
  CreateKeyAccess,
  DomainsAccess,
  guardedEndpoints,
  MailAccess,
  OwnerAccess,
  ProvisioningAccess,
  RevokeKeyAccess,
  SESSION_COOKIE,
  StreamAccess,
  WebhooksAccess,
  WelcomeAccess,
  WhoamiAccess,
  wireErrors,
} from "@mailroom/api"
import {
  type AccessClass,
  admitCaller,
  callerOf,
  ForeignOrigin,
  inboundQuota,
  inboundWarning,
  parseUrl,
  type NeededPermissions,
  type Principal,
  Unauthenticated,
} from "@mailroom/domain"
import { Authentication, Settings } from "@mailroom/engine"
import { Clock, Context, Effect, Layer } from "effect"
import { quotaText } from "./errors.js"
import { logRefusalOf } from "./refusalLog.js"
import { pathOf } from "./requests.js"

/** The name of the session cookie, with the prefix `__Host-` where the service is on https. */
export const sessionCookie = (baseUrl: string): string =>
  baseUrl.startsWith("https:") ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE

/** The credential of `Authorization: Bearer …`; null for any other scheme. */
export const bearerKey = (request: HttpServerRequest.HttpServerRequest): string | null => {
  const match = /^Bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "")
  return match?.[1] ?? null
}

/**
 * Whether a browser sent a request from another site's page (spec: decisions.access.origin). Sessions are refused there, GET and
 * HEAD excepted.
 */
export const foreignOrigin = (request: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const origin = request.headers["origin"]
  if (request.method === "GET" || request.method === "HEAD" || origin === undefined) return false
  const url = parseUrl(origin)
  if (url === null) return true
  return origin !== new URL(baseUrl).origin && url.host !== request.headers["host"]
}

/** Requests of a row that are accepted whatever the row and the permissions say. */
type Exemption = (principal: Principal, request: HttpServerRequest.HttpServerRequest) => boolean

/** A key may revoke itself (spec: decisions.access.account.self). */
const namesItself: Exemption = ({ credential }, { url }) =>
  credential.kind === "key" && credential.id === pathOf(url).split("/").at(-1)

/** The permissions that each route needs, by method and path. */
const neededPermissions: ReadonlyMap<string, NeededPermissions> = new Map(
  guardedEndpoints(Api).map(({ method, path, needs }) => [`${method} ${path}`, needs]),
)

/** Makes the middleware of a row of the access table. */
const makeRule = Effect.gen(function* () {
  const authentication = yield* Authentication
  const { baseUrl, billing, headerPrefix } = yield* Settings
  const wire = wireErrors({ baseUrl, billing })
  const cookie = sessionCookie(baseUrl)

  const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const key = bearerKey(request)
    if (key !== null) return yield* authentication.byKey(key)
    const session = request.cookies[cookie]
    if (request.headers["authorization"] !== undefined || session === undefined)
      return yield* new Unauthenticated({ reason: "missing" })
    return yield* authentication.bySession(session)
  })

  /** Adds the inbound quota to the answer, unless it is a stream (spec: endpoints.quota, events.stream.rule-8). */
  const showQuota = ({ account, state }: Principal) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const quota = inboundQuota(account, state, now)
      const warning = inboundWarning(quota)
      const headers = {
        [`${headerPrefix}Inbound-Quota`]: quotaText(quota),
        ...(warning !== null && { [`${headerPrefix}Inbound-Warning`]: warning }),
      }
      return HttpApp.appendPreResponseHandler((_, response) =>
        Effect.succeed(
          response.headers["content-type"]?.startsWith("text/event-stream") === true
            ? response
            : HttpServerResponse.setHeaders(response, headers),
        ),
      )
    })

  return (access: AccessClass, isExempt: Exemption = () => false) => {
    const admitted = (
      principal: Principal,
      request: HttpServerRequest.HttpServerRequest,
      needed: NeededPermissions,
    ) =>
      Effect.gen(function* () {
        if (principal.credential.kind === "session" && foreignOrigin(request, baseUrl))
          return yield* new ForeignOrigin()
        if (!isExempt(principal, request)) yield* admitCaller(access, needed, callerOf(principal))
      }).pipe(
        Effect.catchTags({
          ForeignOrigin: () => Effect.fail(wire.ForeignOrigin()),
          AccountSuspended: (error) => Effect.fail(wire.AccountSuspended(error)),
          ScopeForbidden: () => Effect.fail(wire.ScopeForbidden()),
          PermissionDenied: (error) => Effect.fail(wire.PermissionDenied(error)),
          SessionRequired: () => Effect.fail(wire.SessionRequired()),
          EmailNotVerified: () => Effect.fail(wire.EmailNotVerified()),
          PaymentRequired: (error) => Effect.fail(wire.PaymentRequired(error)),
        }),
      )

    const enter = (logs: boolean) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { route } = yield* HttpRouter.RouteContext
        const needed = neededPermissions.get(`${route.method} ${route.path}`)
        if (needed === undefined) return yield* Effect.dieMessage(`No permission is named for ${route.path}`)
        const principal = yield* identify(request)
        yield* showQuota(principal)
        yield* Effect.tapError(admitted(principal, request, needed), ({ code }) =>
          logs ? logRefusalOf(principal, code) : Effect.void,
        )
        return principal
      }).pipe(Effect.catchTag("Unauthenticated", (error) => Effect.fail(wire.Unauthenticated(error))))
    // The library tries both alternatives and answers with the last failure, so each of them checks everything, and the last
    // one logs.
    return { bearer: () => enter(false), session: () => enter(true) }
  }
})

/** The access rules of the contract. */
export const accessLayer = Layer.effectContext(
  Effect.map(makeRule, (rule) =>
    Context.make(AccountAccess, rule("account")).pipe(
      Context.add(CreateKeyAccess, rule("create-key")),
      Context.add(RevokeKeyAccess, rule("revoke-key", namesItself)),
      Context.add(WhoamiAccess, rule("whoami")),
      Context.add(BillingAccess, rule("billing")),
      Context.add(OwnerAccess, rule("owner")),
      Context.add(WelcomeAccess, rule("welcome")),
      Context.add(StreamAccess, rule("stream")),
      Context.add(ProvisioningAccess, rule("provisioning")),
      Context.add(DomainsAccess, rule("domains")),
      Context.add(WebhooksAccess, rule("webhooks")),
      Context.add(MailAccess, rule("mail")),
    ),
  ),
)
