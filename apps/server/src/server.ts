/** The hosted app, assembled from its configuration. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Engine, Settings } from "@mailroom/engine"
import { Draining, HttpSettings, LoggedErrors, MailroomHttp, Readiness, retiredRoutes } from "@mailroom/http"
import { Effect, Layer, Option } from "effect"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ServerConfig } from "./config/variables.js"
import { adapters } from "./layers/adapters.js"
import { dashboardFiles } from "./layers/dashboardFiles.js"
import { boundHttpPort, DRAIN_MILLIS, httpServer } from "./layers/listeners.js"
import { relayWatch } from "./layers/relayWatch.js"
import { smtpListener, submissionListeners } from "./layers/smtpListener.js"

/** Logs the address once every listener is up, and has `/readyz` answer 200 from then on. */
const ready = (config: ServerConfig) =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const readiness = yield* Readiness
      const { baseUrl } = yield* Settings
      const port = yield* boundHttpPort
      yield* Effect.acquireRelease(readiness.set(true), () => readiness.set(false))
      yield* Effect.logInfo(`Mailroom is ready at ${baseUrl}`).pipe(
        Effect.annotateLogs({ http: `${config.httpHost}:${port}`, roles: [...config.roles].join(",") }),
      )
    }),
  )

const smtp = (config: ServerConfig) => Layer.merge(smtpListener(config), submissionListeners(config))

/** Whether clients submit mail here, which leaves through the relay. */
const takesSubmissions = ({ roles, submissionPort, submissionsPort }: ServerConfig): boolean =>
  roles.has("smtp") && (Option.isSome(submissionPort) || Option.isSome(submissionsPort))

/** The documentation beside the bundle. A server that is not bundled has none. */
const docsFolder = (): Option.Option<string> =>
  Option.liftPredicate(join(dirname(fileURLToPath(import.meta.url)), "docs"), existsSync)

/** Everything that a process with these roles does. */
export const serverLayer = (config: ServerConfig) => {
  const { roles } = config
  const http = httpServer(config)
  const background = Layer.mergeAll(
    roles.has("http") ? Layer.provide(MailroomHttp.serve, dashboardFiles) : MailroomHttp.serveHealth,
    roles.has("worker") ? Engine.workers : Layer.empty,
    roles.has("http") || roles.has("worker") || takesSubmissions(config) ? relayWatch(config) : Layer.empty,
  )
  // Open requests and sessions, and the requests to webhooks, finish at the same time.
  const inFlight = Layer.mergeAll(
    http.drain,
    roles.has("smtp") ? smtp(config) : Layer.empty,
    roles.has("worker") ? Engine.finishing(DRAIN_MILLIS) : Layer.empty,
  )
  const httpSettings = Layer.succeed(HttpSettings, {
    trustProxy: config.trustProxy,
    developmentOutbox: config.outbound.kind === "capture",
    adminToken: config.adminToken,
    supportEmail: config.supportEmail,
    docsFolder: docsFolder(),
    retired: retiredRoutes,
  })
  // Layers are built from the last line up, and closed from the first line down.
  return ready(config).pipe(
    Layer.provide(inFlight),
    Layer.provide(background),
    Layer.provide(Engine.layer),
    Layer.provideMerge(adapters(config)),
    Layer.provide([httpSettings, Readiness.layer, Draining.layer, LoggedErrors.layer, NodeContext.layer]),
    Layer.provide(http.layer),
  )
}
