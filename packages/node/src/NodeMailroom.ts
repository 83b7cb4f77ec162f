/**
 * The engine on real parts in one Node process: SQLite or Postgres, files or S3, SMTP through a relay. What the server runs, and what
 * one embeds: provide `NodeMailroom.layer` once, use the engine's services anywhere below it.
 */
import { type BlobsUnusable, FileBlobs, MemoryBlobs, type S3Options } from "@mailroom/blobs"
import {
  type Blobs,
  Engine,
  type EnginePorts,
  type EngineServices,
  type EngineSettings,
  InProcessSignals,
  type Integrity,
  NoProviderReports,
  type ProviderReports,
  Settings,
  SimulatedPayments,
} from "@mailroom/engine"
import {
  CaptureRelay,
  MimeParserPool,
  NodemailerComposer,
  type RelayUrlInvalid,
  SignatureThread,
  SmtpRelay,
} from "@mailroom/mail"
import { SystemDns, UndiciWebhookTransport } from "@mailroom/network"
import type { StripeOptions } from "@mailroom/payments"
import type { ProviderOptions, TopicArnInvalid } from "@mailroom/providers"
import {
  Argon2Passwords,
  NodeDkimKeys,
  NodeEntropy,
  NodeVault,
  SecretKeyFile,
  type SecretKeyUnusable,
} from "@mailroom/security"
import {
  type PostgresOptions,
  PostgresStore,
  SqliteStore,
  type Stores,
  type StoreUnusable,
} from "@mailroom/store-sql"
import { Data, Effect, Layer, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"

export type Database =
  | { readonly kind: "file"; readonly filename: string }
  | { readonly kind: "memory" }
  | ({ readonly kind: "postgres" } & PostgresOptions)
export type BlobStore =
  | { readonly kind: "file"; readonly directory: string }
  | { readonly kind: "memory" }
  | ({ readonly kind: "s3" } & S3Options)
/** `capture` keeps mail in the development outbox and sends none. */
export type Outbound =
  | { readonly kind: "capture" }
  | { readonly kind: "relay"; readonly url: Redacted.Redacted }

/** Who takes the payments; `simulated` takes no money. It has to go with the engine's `billing`. */
export type PaymentChoice = { readonly kind: "simulated" } | ({ readonly kind: "stripe" } & StripeOptions)

/** Who reports over HTTP what became of mail that left; `none`: nobody. */
export type ReportChoice = { readonly kind: "none" } | ProviderOptions

/** Where this process keeps things, whom it hands its mail to and where accounts pay; who reports to it. */
export interface NodeOptions {
  readonly database: Database
  readonly blobs: BlobStore
  readonly outbound: Outbound
  readonly payments: PaymentChoice
  readonly reports: ReportChoice
  /** signs links and encrypts secrets; without it, one is kept beside a database that is a file */
  readonly secretKey: Option.Option<Redacted.Redacted>
}

/** A database that processes share, and no key that they could share. */
export class SecretKeyMissing extends Data.TaggedError("SecretKeyMissing") {
  override readonly message: string =
    "A Postgres database needs a secret key, the same in every process that uses it."
}

export type NodeMailroomError =
  | BlobsUnusable
  | RelayUrlInvalid
  | SecretKeyMissing
  | SecretKeyUnusable
  | StoreUnusable
  | TopicArnInvalid

/** One core is left for everything else. */
const PARSER_WORKERS = Math.max(1, availableParallelism() - 1)

/** A database in memory needs no key that outlives it; one on a server has a key that its processes share. */
const secretKey = ({
  secretKey: given,
  database,
}: NodeOptions): Effect.Effect<Redacted.Redacted, SecretKeyMissing | SecretKeyUnusable> => {
  if (Option.isSome(given)) return Effect.succeed(given.value)
  switch (database.kind) {
    case "memory":
      return Effect.sync(() => Redacted.make(randomBytes(32).toString("base64url")))
    case "file":
      return SecretKeyFile.loadOrCreate(join(dirname(database.filename), "secret.key"))
    case "postgres":
      return Effect.fail(new SecretKeyMissing())
  }
}

/** The stores, and what wakes whom: in this process, or in all that share the database. */
const stores = (database: Database) => {
  switch (database.kind) {
    case "memory":
      return Layer.merge(SqliteStore.layer({ filename: ":memory:" }), InProcessSignals.layer)
    case "file":
      return Layer.merge(SqliteStore.layer({ filename: database.filename }), InProcessSignals.layer)
    case "postgres":
      return PostgresStore.layer(database)
  }
}

/** The SDK for S3 is large, and loaded where it is used. */
const blobStore = (blobs: BlobStore): Layer.Layer<Blobs, BlobsUnusable> => {
  switch (blobs.kind) {
    case "memory":
      return MemoryBlobs.layer
    case "file":
      return FileBlobs.layer(blobs.directory)
    case "s3":
      return Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@mailroom/blobs/s3")),
          ({ S3Blobs }) => S3Blobs.layer(blobs),
        ),
      )
  }
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

/** Loaded where there is a provider. */
const reports = (choice: ReportChoice): Layer.Layer<ProviderReports, TopicArnInvalid> =>
  choice.kind === "none"
    ? NoProviderReports.layer
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@mailroom/providers")),
          ({ providerReports }) => providerReports(choice),
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
    Layer.provideMerge(Layer.merge(webhooks, SignatureThread.layer()), SystemDns.layer()),
    payments(options.payments),
    reports(options.reports),
    MimeParserPool.layer({ promptWorkers: PARSER_WORKERS }),
    NodemailerComposer.layer,
    blobStore(blobs),
  ).pipe(Layer.provideMerge(Layer.mergeAll(stores(database), NodeEntropy.layer)))
}

/** Everything in a folder of its own: what an embedded Mailroom needs when it has no other wishes. */
const inFolder = (folder: string, outbound: Outbound): NodeOptions => ({
  database: { kind: "file", filename: join(folder, "mailroom.db") },
  blobs: { kind: "file", directory: join(folder, "blobs") },
  outbound,
  payments: { kind: "simulated" },
  reports: { kind: "none" },
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

/** The database is in the memory of the service, where no other process finds it. */
export class DatabaseInMemory extends Data.TaggedError("DatabaseInMemory") {
  override readonly message: string =
    "The database is in the memory of the service, where no other process can look at it."
}

const storesBeside = (database: Database): Layer.Layer<Stores, DatabaseInMemory | StoreUnusable> => {
  switch (database.kind) {
    case "memory":
      return Layer.fail(new DatabaseInMemory())
    case "file":
      return SqliteStore.besideService({ filename: database.filename })
    case "postgres":
      return PostgresStore.besideService({ ...database, maxConnections: 1 })
  }
}

/**
 * The check of counts for a command beside the running service: one connection to its database, in which nothing is
 * created, migrated or leased. The service finds jobs that the check adds at its next look, within 5 s.
 */
const integrity = (database: Database): Layer.Layer<Integrity, DatabaseInMemory | StoreUnusable> =>
  Engine.integrity.pipe(Layer.provide([storesBeside(database), NodeEntropy.layer, InProcessSignals.layer]))

export const NodeMailroom = { inFolder, integrity, layer, ports }
