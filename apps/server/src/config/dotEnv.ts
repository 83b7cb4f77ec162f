/** The file `.env` in the working folder, with variables that the environment does not set. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, ConfigError, ConfigProvider, Effect, Layer, Option } from "effect"

const DOT_ENV = ".env"

const isAbsent = (error: PlatformError): boolean =>
  error._tag === "SystemError" && error.reason === "NotFound"

const why = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return error.message
  switch (error.reason) {
    case "PermissionDenied":
      return "permission denied. Let the user that runs the service read it, or move it away"
    case "BadResource":
      return "it is a folder. Move it away"
    default:
      return `${error.description ?? error.reason}. Correct that, or move it away`
  }
}

/** A start without settings that are there would run with an empty database in another place, so it fails. */
const unreadable = (error: PlatformError): ConfigError.ConfigError =>
  ConfigError.SourceUnavailable([], `${DOT_ENV} cannot be read: ${why(error)}`, Cause.fail(error))

/** Reads `.env`. None: there is no such file. */
const reading = <A>(
  read: Effect.Effect<A, PlatformError, FileSystem.FileSystem>,
): Effect.Effect<Option.Option<A>, ConfigError.ConfigError> =>
  read.pipe(
    Effect.asSome,
    Effect.catchIf(isAbsent, () => Effect.succeedNone),
    Effect.mapError(unreadable),
    Effect.provide(NodeFileSystem.layer),
  )

/** Adds the variables of `.env` to those of the environment. Fails when the file is there and cannot be read. */
export const dotEnv: Layer.Layer<never, ConfigError.ConfigError> = Layer.unwrapEffect(
  Effect.gen(function* () {
    const file = yield* reading(PlatformConfigProvider.fromDotEnv(DOT_ENV))
    if (Option.isNone(file)) return Layer.empty
    const environment = yield* Effect.configProviderWith(Effect.succeed)
    return Layer.setConfigProvider(ConfigProvider.orElse(environment, () => file.value))
  }),
)

/** The names in the text of a `.env` file. */
const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)].flatMap(([, name]) => name ?? [])

const fileText = Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(DOT_ENV))

/** The names of all variables that the process was given. */
export const namesGiven: Effect.Effect<ReadonlyArray<string>, ConfigError.ConfigError> = Effect.map(
  reading(fileText),
  (text) => [...Object.keys(process.env), ...Option.match(text, { onNone: () => [], onSome: namesIn })],
)
