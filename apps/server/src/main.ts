/** The program: runs the server until it is told to stop, or `doctor`, and says in one line why it cannot. */
import * as PlatformConfigProvider from "@effect/platform/PlatformConfigProvider"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, ConfigError, Effect, Layer, Logger, LogLevel, Option } from "effect"
import { setFlagsFromString } from "node:v8"
import { suspectSettings } from "./config/suspectSettings.js"
import { DOT_ENV, namesGiven, unknownSettings } from "./config/unknownSettings.js"
import { configProblem } from "./config/variable.js"
import { serverConfig, type ServerConfig } from "./config/variables.js"
import { doctor } from "./doctor/doctor.js"
import { jsonLines } from "./jsonLines.js"
import { makeScheduler } from "./scheduler.js"
import { serverLayer } from "./server.js"
import { StartFailed } from "./StartFailed.js"

// V8 would allocate as old, among others, the arrays of rows that `pg` makes: those are dead soon and keep their young
// strings until the next full collection (docs/decisions/0052).
setFlagsFromString("--no-allocation-site-pretenuring")

const logging = ({ logLevel, logFormat }: ServerConfig) => {
  const format = Option.getOrElse(logFormat, () => (process.stdout.isTTY ? "pretty" : "json"))
  return Layer.merge(format === "pretty" ? Logger.pretty : jsonLines, Logger.minimumLogLevel(logLevel))
}

/**
 * Exports spans where OTEL_EXPORTER_OTLP_ENDPOINT is set. Elsewhere no spans are made, because a span of a statement
 * costs as much as the statement, and the exporter is not even loaded.
 */
const withTracing = <A, E, R>(
  { traceEndpoint, roles }: ServerConfig,
  program: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Option.match(traceEndpoint, {
    onNone: () => Effect.withTracerEnabled(program, false),
    onSome: (endpoint) => {
      const exported = Effect.map(
        Effect.promise(() => import("./tracing.js")),
        ({ traceExport }) => traceExport(endpoint, roles),
      )
      return Effect.provide(program, Layer.unwrapEffect(exported))
    },
  })

/** What the settings are suspected of is logged first. */
const serve = (config: ServerConfig) =>
  Effect.zipRight(
    Effect.forEach(
      [...suspectSettings(config), ...unknownSettings(namesGiven())],
      (line) => Effect.logWarning(line),
      { discard: true },
    ),
    Layer.launch(serverLayer(config)),
  )

const server = Effect.flatMap(serverConfig, (config) =>
  withTracing(config, serve(config)).pipe(
    Effect.provide(logging(config)),
    Effect.withScheduler(makeScheduler()),
  ),
)

/** Ends with code 1 when something was wrong. The report says all of it, so nothing is logged. */
const examination = doctor.pipe(
  Effect.tap((isSound) => {
    if (!isSound) process.exitCode = 1
  }),
  Effect.provide(Logger.minimumLogLevel(LogLevel.None)),
  Effect.withTracerEnabled(false),
)

interface Command {
  readonly run: Effect.Effect<unknown, unknown>
  /** what is said before the reason when it fails */
  readonly failed: string
}

/** The command that the program's first argument names. */
const command = (name: string): Command => {
  switch (name) {
    case "start":
      return { run: server, failed: "cannot start" }
    case "doctor":
      return { run: examination, failed: "cannot be checked" }
    default: {
      const message = `There is no command ${name}. The commands are start, which needs no name, and doctor.`
      return { run: new StartFailed({ message }), failed: "cannot start" }
    }
  }
}

/** A `.env` file in the working folder fills in what the environment does not say. */
const dotEnv = Layer.provide(PlatformConfigProvider.layerDotEnvAdd(DOT_ENV), NodeFileSystem.layer)

/** One line for the operator; a fault of ours with everything we know of it. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrNull(Cause.failureOption(cause))
  if (ConfigError.isConfigError(error)) return configProblem(error)
  return error instanceof Error ? error.message : Cause.pretty(cause, { renderErrorCause: true })
}

const { run, failed } = command(process.argv[2] ?? "start")

Effect.asVoid(run).pipe(
  Effect.provide(dotEnv),
  Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Effect.sync(() => process.stderr.write(`Mailroom ${failed}. ${explain(cause)}\n`)),
  ),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true }),
)
