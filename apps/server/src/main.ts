/** The program: runs the server until a signal stops it, or the command `doctor`. Prints one line when it cannot start. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Runtime from "@effect/platform/Runtime"
import { Cause, ConfigError, Effect, Exit, Layer, Logger, LogLevel, Option } from "effect"
import { setFlagsFromString } from "node:v8"
import { dotEnv, namesGiven } from "./config/dotEnv.js"
import { suspectSettings } from "./config/suspectSettings.js"
import { unknownSettings } from "./config/unknownSettings.js"
import { configProblem } from "./config/variable.js"
import { serverConfig, type ServerConfig } from "./config/variables.js"
import { jsonLines } from "./jsonLines.js"
import { makeScheduler } from "./scheduler.js"
import { SettingsWrong, StartFailed } from "./StartFailed.js"

// Otherwise V8 allocates the arrays of rows that `pg` makes in the old generation. They die soon, but keep their strings
// alive until the next full collection (docs/decisions/0052).
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

/** The server is loaded after its settings are known to be right: an error in them shows in a third of the time. */
const loadedServer = (config: ServerConfig) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./server.js")),
      ({ serverLayer }) => serverLayer(config),
    ),
  )

/** Logs the settings that are suspect or unknown, and runs the server. */
const serve = (config: ServerConfig) =>
  Effect.gen(function* () {
    const warnings = [...suspectSettings(config), ...unknownSettings(yield* namesGiven)]
    yield* Effect.forEach(warnings, (line) => Effect.logWarning(line), { discard: true })
    return yield* Layer.launch(loadedServer(config))
  })

const server = Effect.flatMap(serverConfig, (config) =>
  withTracing(config, serve(config)).pipe(
    Effect.provide(logging(config)),
    Effect.withScheduler(makeScheduler()),
  ),
)

/** Runs `doctor`, which ends with code 1 when something is wrong. Nothing is logged, because the report says everything. */
const examination = Effect.promise(() => import("./doctor/doctor.js")).pipe(
  Effect.flatMap(({ doctor }) => doctor),
  Effect.tap((isSound) => {
    if (!isSound) process.exitCode = 1
  }),
  Effect.provide(Logger.minimumLogLevel(LogLevel.None)),
  Effect.withTracerEnabled(false),
)

/** The exit code of a failure, and that of wrong settings: `EX_CONFIG` of sysexits.h, with which deploy/mailroom.service stays down. */
const FAILURE = 1
const WRONG_SETTINGS = 78

interface Command {
  readonly run: Effect.Effect<unknown, unknown>
  /** the words before the reason in the line about a failure */
  readonly failed: string
  /** the exit code when the settings are wrong */
  readonly wrongSettings: number
}

/** The command that the program's first argument names. */
const command = (name: string): Command => {
  switch (name) {
    case "start":
      return { run: server, failed: "cannot start", wrongSettings: WRONG_SETTINGS }
    case "doctor":
      return { run: examination, failed: "cannot be checked", wrongSettings: FAILURE }
    default: {
      const message = `There is no command ${name}. The commands are start, which needs no name, and doctor.`
      return { run: new StartFailed({ message }), failed: "cannot start", wrongSettings: FAILURE }
    }
  }
}

/** The reason of a failure: one line for an error that the operator can mend, the whole cause for a fault of the program. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Option.getOrNull(Cause.failureOption(cause))
  if (ConfigError.isConfigError(error)) return configProblem(error)
  return error instanceof Error ? error.message : Cause.pretty(cause, { renderErrorCause: true })
}

const { run, failed, wrongSettings } = command(process.argv[2] ?? "start")

const isAboutSettings = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(
    Cause.failureOption(cause),
    (error) => ConfigError.isConfigError(error) || error instanceof SettingsWrong,
  )

const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && isAboutSettings(exit.cause)
    ? onExit(wrongSettings)
    : Runtime.defaultTeardown(exit, onExit)

Effect.asVoid(run).pipe(
  Effect.provide(dotEnv),
  Effect.tapErrorCause((cause) =>
    Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Effect.sync(() => process.stderr.write(`Mailroom ${failed}. ${explain(cause)}\n`)),
  ),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true, teardown }),
)
