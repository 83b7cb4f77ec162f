/** Starts that fail, and the line with the reason. */
import { configProblem } from "@mailroom/server/config/variable"
import { serverConfig } from "@mailroom/server/config/variables"
import { serverLayer } from "@mailroom/server/server"
import { ConfigError, ConfigProvider, Effect, Layer, type Scope } from "effect"
import { type Ended, spawnServer, type Variables } from "./process.js"

/** The message of a start in this process, which is faster. Paths are relative to this process's folder. */
export const failedStart = (variables: Variables): Effect.Effect<string> => {
  const settings = { HTTP_PORT: "0", SMTP_PORT: "0", ...variables }
  return Effect.flatMap(serverConfig, (config) => Layer.launch(serverLayer(config))).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
    Effect.flip,
    Effect.orDieWith(() => new Error("the server started")),
    Effect.map((error) => (ConfigError.isConfigError(error) ? configProblem(error) : error.message)),
  )
}

/** The output of a start in a process of its own. */
export const failedProcess = (
  folder: string,
  variables: Variables,
): Effect.Effect<Ended, never, Scope.Scope> =>
  Effect.flatMap(spawnServer(folder, variables), ({ ended }) => ended)
