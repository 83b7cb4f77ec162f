/** Starts that fail, and the line that says why. */
import { configProblem } from "@mailroom/server/config/variable"
import { serverConfig } from "@mailroom/server/config/variables"
import { serverLayer } from "@mailroom/server/server"
import { ConfigError, ConfigProvider, Effect, Layer, type Scope } from "effect"
import { type Ended, spawnServer, type Variables } from "./process.js"

/** In this process, which is faster: the message of the failure. Paths are relative to this process's folder. */
export const failedStart = (variables: Variables): Effect.Effect<string> => {
  const settings = { HTTP_PORT: "0", SMTP_PORT: "0", ...variables }
  return Effect.flatMap(serverConfig, (config) => Layer.launch(serverLayer(config))).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
    Effect.flip,
    Effect.orDieWith(() => new Error("the server started")),
    Effect.map((error) => (ConfigError.isConfigError(error) ? configProblem(error) : error.message)),
  )
}

/** As its operator sees it: what the process says before it ends. */
export const failedProcess = (
  folder: string,
  variables: Variables,
): Effect.Effect<Ended, never, Scope.Scope> =>
  Effect.flatMap(spawnServer(folder, variables), ({ ended }) => ended)
