/** Starts the server: reads the configuration, runs until told to stop, and says in one line why it cannot. */
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, ConfigError, Effect, Layer, Logger, Option } from "effect"
import { configProblem } from "./config/variable.js"
import { serverConfig, type ServerConfig } from "./config/variables.js"
import { serverLayer } from "./server.js"

const logging = ({ logLevel, logFormat }: ServerConfig) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  return Layer.merge(format === "pretty" ? Logger.pretty : Logger.json, Logger.minimumLogLevel(logLevel))
}

const server = Effect.flatMap(serverConfig, (config) =>
  Layer.launch(serverLayer(config)).pipe(
    Effect.provide(logging(config)),
    // Nobody collects traces here, and a span per statement costs as much as the statement.
    Effect.withTracerEnabled(false),
  ),
)

/** A `.env` file in the working folder fills in what the environment does not say. */
const dotEnv = Layer.provide(PlatformConfigProvider.layerDotEnvAdd(".env"), NodeFileSystem.layer)

/** One line for the operator; a fault of ours with everything we know of it. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrNull(Cause.failureOption(cause))
  if (ConfigError.isConfigError(error)) return configProblem(error)
  return error instanceof Error ? error.message : Cause.pretty(cause, { renderErrorCause: true })
}

server.pipe(
  Effect.provide(dotEnv),
  Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Effect.sync(() => process.stderr.write(`Mailroom cannot start. ${explain(cause)}\n`)),
  ),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true }),
)
