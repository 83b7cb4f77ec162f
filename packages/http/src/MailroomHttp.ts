/** The HTTP side as one layer, over the engine. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import { Api } from "@mailroom/api"
import { Layer } from "effect"
import { accessLayer } from "./access.js"
import { agentGuide } from "./pages/agentGuide.js"
import { adminAccessLayer } from "./adminAccess.js"
import { documentation } from "./pages/documentation.js"
import { developmentOutboxPage } from "./pages/developmentOutbox.js"
import { healthPages } from "./pages/healthPages.js"
import { metricsPage } from "./pages/metrics.js"
import { ownerPages } from "./pages/ownerPages.js"
import { Refusals } from "./errors.js"
import { OncePerKey } from "./idempotency.js"
import { policyLayer } from "./policy.js"
import { UnreadAnswers } from "./UnreadAnswers.js"
import { adminRoutes } from "./routes/admin.js"
import { accountRoutes, billingRoutes, keyRoutes } from "./routes/account.js"
import { attachmentRoutes } from "./routes/attachments.js"
import { domainRoutes } from "./routes/domains.js"
import { mailboxRoutes } from "./routes/mailboxes.js"
import { messageRoutes, threadRoutes } from "./routes/messages.js"
import { reportRoutes } from "./routes/reports.js"
import { sessionRoutes, signupRoutes } from "./routes/signup.js"
import { suppressionRoutes } from "./routes/suppressions.js"
import { eventRoutes } from "./routes/events.js"
import { webhookRoutes } from "./routes/webhooks.js"

const routes = Layer.mergeAll(
  signupRoutes,
  sessionRoutes,
  accountRoutes,
  keyRoutes,
  mailboxRoutes,
  messageRoutes,
  threadRoutes,
  attachmentRoutes,
  domainRoutes,
  suppressionRoutes,
  webhookRoutes,
  eventRoutes,
  billingRoutes,
  reportRoutes,
  adminRoutes,
).pipe(Layer.provide([OncePerKey.layer, UnreadAnswers.layer]))

/** The contract with its handlers, for whoever puts the application together, with a socket or without. */
const api = HttpApiBuilder.api(Api).pipe(
  Layer.provide(routes),
  Layer.provide([accessLayer, adminAccessLayer]),
)

/** Everything but the server: routes, pages, documents, and the policy around them. */
const app = Layer.mergeAll(
  policyLayer,
  ownerPages,
  developmentOutboxPage,
  healthPages,
  metricsPage,
  documentation,
  agentGuide,
).pipe(Layer.provideMerge(api), Layer.provide(Refusals.layer))

/** Paths are exact: no folding of case or of slashes; long parameters reach their handler. */
const routerSettings = HttpRouter.setRouterConfig({
  maxParamLength: 500,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
})

/** Served on whatever `HttpServer` is provided. A span per request would cost more than most handlers. */
const serve = HttpApiBuilder.serve().pipe(
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(app),
  Layer.provide(routerSettings),
)

class HealthApi extends HttpApi.make("health") {}

/** For a process that has no `http` role: whether it lives and is ready, and what it has counted. */
const serveHealth = HttpApiBuilder.serve().pipe(
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(Layer.provideMerge(Layer.merge(healthPages, metricsPage), HttpApiBuilder.api(HealthApi))),
)

export const MailroomHttp = { app, serve, serveHealth, settings: routerSettings }
