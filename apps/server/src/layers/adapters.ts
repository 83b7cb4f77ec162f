/** The engine's ports, filled by configuration. */
import { FileBlobs, MemoryBlobs } from "@mailroom/blobs"
import { type EngineSettings, InProcessSignals, Settings, SimulatedPayments } from "@mailroom/engine"
import { CaptureRelay, MimeParserPool, NodemailerComposer, SmtpRelay } from "@mailroom/mail"
import { SystemDns, UndiciWebhookTransport } from "@mailroom/network"
import { Argon2Passwords, NodeEntropy, NodeVault, SecretKeyFile } from "@mailroom/security"
import { SqliteStore } from "@mailroom/store-sql"
import { Effect, Encoding, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import type { ServerConfig } from "../config/variables.js"
import { boundHttpPort } from "./listeners.js"
import { StartFailed } from "../StartFailed.js"

/** One core is left for everything else. */
const PARSER_WORKERS = Math.max(1, availableParallelism() - 1)

const engineSettings = (config: ServerConfig, httpPort: number): EngineSettings => ({
  baseUrl: Option.getOrElse(config.baseUrl, () => `http://localhost:${httpPort}`),
  platformDomain: config.platformDomain,
  billing: config.billing,
  defaultPlan: config.defaultPlan,
  sendVelocityPerMinute: config.sendVelocityPerMinute,
  webhookAllowPrivate: config.webhookAllowPrivate,
  headerPrefix: config.headerPrefix,
})

/** Given, or kept beside the database; a database in memory needs none that outlives it. */
const secretKey = ({ secretKey: given, database }: ServerConfig) => {
  if (Option.isSome(given)) return Effect.succeed(given.value)
  return database.kind === "memory"
    ? Effect.sync(() => Redacted.make(Encoding.encodeBase64Url(randomBytes(32))))
    : SecretKeyFile.loadOrCreate(join(dirname(database.filename), "secret.key"))
}

const relay = ({ outbound }: ServerConfig) =>
  outbound.kind === "capture"
    ? CaptureRelay.layer
    : Layer.mapError(
        SmtpRelay.layer({ url: outbound.url }),
        ({ reason }) => new StartFailed({ message: `OUTBOUND_URL is not a relay's address: ${reason}.` }),
      )

export const adapters = (config: ServerConfig) => {
  const { database, blobs } = config
  const settings = Layer.effect(
    Settings,
    Effect.map(boundHttpPort, (port) => engineSettings(config, port)),
  )
  const vault = Layer.unwrapEffect(Effect.map(secretKey(config), NodeVault.layer))
  const store = SqliteStore.layer({ filename: database.kind === "memory" ? ":memory:" : database.filename })
  return Layer.mergeAll(
    relay(config),
    vault,
    Argon2Passwords.layer,
    Layer.provide(
      UndiciWebhookTransport.layer({ allowPrivate: config.webhookAllowPrivate }),
      SystemDns.layer,
    ),
    SystemDns.layer,
    SimulatedPayments.layer,
    MimeParserPool.layer({ workers: PARSER_WORKERS }),
    NodemailerComposer.layer,
    InProcessSignals.layer,
    blobs.kind === "memory" ? MemoryBlobs.layer : FileBlobs.layer(blobs.directory),
  ).pipe(Layer.provideMerge(Layer.mergeAll(settings, store, NodeEntropy.layer)))
}
