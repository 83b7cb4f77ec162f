/** The engine's ports, as the configuration chooses their adapters. */
import { type EngineSettings, Settings } from "@mailroom/engine"
import { type NodeMailroomError, NodeMailroom } from "@mailroom/node"
import { Effect, Layer, Option } from "effect"
import type { ServerConfig } from "../config/variables.js"
import { SettingsWrong, StartFailed, withVariable } from "../StartFailed.js"
import { boundHttpPort } from "./listeners.js"

const engineSettings = (config: ServerConfig, httpPort: number): EngineSettings => ({
  baseUrl: Option.getOrElse(config.baseUrl, () => `http://localhost:${httpPort}`),
  platformDomain: config.platformDomain,
  postmasterEmail: Option.getOrNull(config.postmasterEmail),
  billing: config.billing,
  defaultPlan: config.defaultPlan,
  signup: config.signup,
  signupsPerHour: config.signupsPerHour,
  sendVelocityPerMinute: config.sendVelocityPerMinute,
  webhookAllowPrivate: config.webhookAllowPrivate,
  headerPrefix: config.headerPrefix,
})

const explain = (error: NodeMailroomError): SettingsWrong | StartFailed => {
  const { message } = error
  switch (error._tag) {
    case "RelayUrlInvalid":
      return new SettingsWrong({ message: `OUTBOUND_URL is not a relay's address: ${error.reason}.` })
    case "TopicArnInvalid":
      return new SettingsWrong({ message: `PROVIDER_REPORTS names no topic behind ses:. ${message}` })
    case "PackageMissing":
    case "SecretKeyMissing":
      return new SettingsWrong({ message })
    case "BlobsUnusable":
      return new StartFailed({ message: withVariable(message, "BLOB_URL") })
    case "StoreUnusable":
      return new StartFailed({ message: withVariable(message, "DATABASE_URL") })
    case "SecretKeyDoesNotFit":
    case "SecretKeyUnusable":
      return new StartFailed({ message })
  }
}

/** The ports and the settings. Without BASE_URL, links lead to the port on which the HTTP server listens. */
export const adapters = (config: ServerConfig) =>
  Layer.mapError(NodeMailroom.ports(config), explain).pipe(
    Layer.provideMerge(
      Layer.effect(
        Settings,
        Effect.map(boundHttpPort, (port) => engineSettings(config, port)),
      ),
    ),
  )
