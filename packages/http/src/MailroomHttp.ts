/** The HTTP side as one layer, over the engine. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import { Api } from "@mailroom/api"
import { UNSUBSCRIBE_TOKEN_MAX_LENGTH } from "@mailroom/domain"
import { inOrder } from "@mailroom/engine"
import { Context, Effect, Layer, Scope } from "effect"
import { accessLayer } from "./access.js"
import { BodiesInFlight } from "./bodies/BodiesInFlight.js"
import { RequestBodies } from "./bodies/RequestBodies.js"
import { agentGuide } from "./pages/agentGuide.js"
import { adminAccessLayer } from "./adminAccess.js"
import { dashboardPages } from "./pages/dashboard.js"
import { documentation } from "./pages/documentation.js"
import { developmentOutboxPage } from "./pages/developmentOutbox.js"
import { healthPages } from "./pages/healthPages.js"
import { landingPage } from "./pages/landing.js"
import { mcpPage } from "./pages/mcp.js"
import { metricsPage } from "./pages/metrics.js"
import { ownerPages } from "./pages/ownerPages.js"
import { unsubscribePage } from "./pages/unsubscribe.js"
import { ErrorResponses } from "./errors.js"
import { IdempotencyGuard } from "./idempotency.js"
import { policyLayer } from "./policy.js"
import { routerServices } from "./requestServices.js"
import { UnreadAnswers } from "./UnreadAnswers.js"
import { addressListRoutes } from "./routes/addressLists.js"
import { adminRoutes } from "./routes/admin.js"
import { accountRoutes, billingRoutes, keyRoutes } from "./routes/account.js"
import { attachmentRoutes } from "./routes/attachments.js"
import { claimRoutes } from "./routes/claims.js"
import { draftRoutes, reviewRoutes } from "./routes/drafts.js"
import { domainRoutes } from "./routes/domains.js"
import { mailboxRoutes } from "./routes/mailboxes.js"
import { listRoutes } from "./routes/lists.js"
import { metricsRoutes } from "./routes/metrics.js"
import { messageRoutes, threadRoutes } from "./routes/messages.js"
import { reportRoutes } from "./routes/reports.js"
import { searchRoutes } from "./routes/search.js"
import { sessionRoutes, signupRoutes } from "./routes/signup.js"
import { auditRoutes } from "./routes/audit.js"
import { suppressionRoutes } from "./routes/suppressions.js"
import { eventRoutes } from "./routes/events.js"
import { waitRoutes } from "./routes/waits.js"
import { webhookRoutes } from "./routes/webhooks.js"

/** What the handlers share. */
const shared = inOrder(
  ErrorResponses.layer,
  BodiesInFlight.layer,
  RequestBodies.layer,
  UnreadAnswers.layer,
  IdempotencyGuard.layer,
)

const routes = inOrder(
  signupRoutes,
  sessionRoutes,
  accountRoutes,
  keyRoutes,
  mailboxRoutes,
  messageRoutes,
  threadRoutes,
  waitRoutes,
  draftRoutes,
  reviewRoutes,
  claimRoutes,
  listRoutes,
  searchRoutes,
  metricsRoutes,
  attachmentRoutes,
  domainRoutes,
  suppressionRoutes,
  addressListRoutes,
  auditRoutes,
  webhookRoutes,
  eventRoutes,
  billingRoutes,
  reportRoutes,
  adminRoutes,
)

/** The contract with its handlers. */
const api = inOrder(accessLayer, adminAccessLayer, routes, HttpApiBuilder.api(Api))

const pages = inOrder(
  policyLayer,
  landingPage,
  ownerPages,
  dashboardPages,
  unsubscribePage,
  developmentOutboxPage,
  healthPages,
  metricsPage,
  documentation,
  agentGuide,
  Layer.provide(mcpPage, [HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
)

/** The application without a server: routes, pages, documents, and the policy around them. */
const app = Layer.provide(inOrder(api, pages), shared)

/**
 * Paths match exactly, in case and in slashes. Parameters up to this length reach their handler; the longest are tokens of
 * unsubscribe links.
 */
const routerSettings = HttpRouter.setRouterConfig({
  maxParamLength: UNSUBSCRIBE_TOKEN_MAX_LENGTH,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
})

/** What a request needs of the services around the server. */
type Needed = HttpRouter.HttpRouter.DefaultServices | Scope.Scope

/** Runs the application on the `HttpServer` in the context. */
const listen = Effect.gen(function* () {
  const application = yield* HttpApiBuilder.httpApp
  const server = yield* HttpServer.HttpServer
  const services = yield* Effect.context<Needed>()
  const scope = Context.get(services, Scope.Scope)
  const needed = Context.add(routerServices(services), Scope.Scope, scope)
  yield* server.serve(application).pipe(Effect.mapInputContext<never, Needed>(() => needed))
})

/** The spans of requests are made by the policy layer, and only where traces are collected. */
const serve = Layer.scopedDiscard(listen).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(app),
  Layer.provide(routerSettings),
)

class HealthApi extends HttpApi.make("health") {}

/** The pages of a process without the role `http`: `/healthz`, `/readyz` and `/metrics`. */
const serveHealth = HttpApiBuilder.serve().pipe(
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(Layer.provideMerge(Layer.merge(healthPages, metricsPage), HttpApiBuilder.api(HealthApi))),
)

export const MailroomHttp = { app, serve, serveHealth, settings: routerSettings }
