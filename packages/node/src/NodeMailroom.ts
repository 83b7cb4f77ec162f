/**
 * The engine on real parts in one Node process: SQLite, files, SMTP through a relay. What the server runs, and what
 * one embeds: provide `NodeMailroom.layer` once, use the engine's services anywhere below it.
 */
import { type BlobsUnusable, FileBlobs, MemoryBlobs } from "@mailroom/blobs"
import {
  Engine,
  type EnginePorts,
  type EngineServices,
  type EngineSettings,
  InProcessSignals,
  Settings,
  SimulatedPayments,
} from "@mailroom/engine"
import {
  CaptureRelay,
  MimeParserPool,
  NodemailerComposer,
  type RelayUrlInvalid,
  SmtpRelay,
} from "@mailroom/mail"
import { SystemDns, UndiciWebhookTransport } from "@mailroom/network"
import type { StripeOptions } from "@mailroom/payments"
import {
  Argon2Passwords,
  NodeDkimKeys,
  NodeEntropy,
  NodeVault,
  SecretKeyFile,
  type SecretKeyUnusable,
} from "@mailroom/security"
import { SqliteStore, type Stores, type StoreUnusable } from "@mailroom/store-sql"
import { Effect, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"

export type Database = { readonly kind: "file"; readonly filename: string } | { readonly kind: "memory" }
export type BlobStore = { readonly kind: "file"; readonly directory: string } | { readonly kind: "memory" }
/** `capture` keeps mail in the development outbox and sends none. */
export type Outbound =
  | { readonly kind: "capture" }
  | { readonly kind: "relay"; readonly url: Redacted.Redacted }

/** Who takes the payments; `simulated` takes no money. It has to go with the engine's `billing`. */
export type PaymentChoice = { readonly kind: "simulated" } | ({ readonly kind: "stripe" } & StripeOptions)

/** Where this process keeps things, whom it hands its mail to and where accounts pay. */
export interface NodeOptions {
  readonly database: Database
  readonly blobs: BlobStore
  readonly outbound: Outbound
  readonly payments: PaymentChoice
  /** signs links and encrypts secrets; without it, one is kept beside the database */
  readonly secretKey: Option.Option<Redacted.Redacted>
}

export type NodeMailroomError = BlobsUnusable | RelayUrlInvalid | SecretKeyUnusable | StoreUnusable

/** One core is left for everything else. */
const PARSER_WORKERS = Math.max(1, availableParallelism() - 1)

/** A database in memory needs no key that outlives it. */
const secretKey = ({ secretKey: given, database }: NodeOptions) => {
  if (Option.isSome(given)) return Effect.succeed(given.value)
  return database.kind === "memory"
    ? Effect.sync(() => Redacted.make(randomBytes(32).toString("base64url")))
    : SecretKeyFile.loadOrCreate(join(dirname(database.filename), "secret.key"))
}

/** Stripe's library is large, and loaded where it is used. */
const payments = (choice: PaymentChoice) =>
  choice.kind === "simulated"
    ? SimulatedPayments.layer
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@mailroom/payments")),
          ({ StripePayments }) => StripePayments.layer(choice),
        ),
      )

/** The engine's ports, on real parts. */
const ports = (
  options: NodeOptions,
): Layer.Layer<Exclude<EnginePorts, Settings> | Stores, NodeMailroomError, Settings> => {
  const { database, blobs, outbound } = options
  const allowPrivate = Effect.map(Settings, (settings) => settings.webhookAllowPrivate)
  const webhooks = Layer.unwrapEffect(
    Effect.map(allowPrivate, (allow) => UndiciWebhookTransport.layer({ allowPrivate: allow })),
  )
  return Layer.mergeAll(
    outbound.kind === "capture" ? CaptureRelay.layer : SmtpRelay.layer({ url: outbound.url }),
    Layer.unwrapEffect(Effect.map(secretKey(options), NodeVault.layer)),
    Argon2Passwords.layer,
    NodeDkimKeys.layer,
    Layer.provideMerge(webhooks, SystemDns.layer()),
    payments(options.payments),
    MimeParserPool.layer({ workers: PARSER_WORKERS }),
    NodemailerComposer.layer,
    InProcessSignals.layer,
    blobs.kind === "memory" ? MemoryBlobs.layer : FileBlobs.layer(blobs.directory),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteStore.layer({ filename: database.kind === "memory" ? ":memory:" : database.filename }),
        NodeEntropy.layer,
      ),
    ),
  )
}

/** Everything in a folder of its own: what an embedded Mailroom needs when it has no other wishes. */
const inFolder = (folder: string, outbound: Outbound): NodeOptions => ({
  database: { kind: "file", filename: join(folder, "mailroom.db") },
  blobs: { kind: "file", directory: join(folder, "blobs") },
  outbound,
  payments: { kind: "simulated" },
  secretKey: Option.none(),
})

/** The engine with its background work, ready to be embedded. */
const layer = (
  settings: EngineSettings,
  options: NodeOptions,
): Layer.Layer<EngineServices | EnginePorts | Stores, NodeMailroomError> =>
  Engine.workers.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(ports(options)),
    Layer.provideMerge(Layer.succeed(Settings, settings)),
  )

export const NodeMailroom = { inFolder, layer, ports }
