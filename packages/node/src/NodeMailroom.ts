/**
 * The engine with its adapters for Node: SQLite or Postgres, files or S3, an SMTP relay. The server and applications that
 * embed the engine provide `NodeMailroom.layer` once and use the engine's services below it.
 */
import { type BlobsUnusable, FileBlobs, MemoryBlobs, type S3Options } from "@mailroom/blobs"
import {
  type Blobs,
  DomainStore,
  Engine,
  type EnginePorts,
  type EngineServices,
  type EngineSettings,
  InProcessSignals,
  type Integrity,
  NoProviderReports,
  NoSpamFilter,
  PlatformKeyStore,
  type ProviderReports,
  Settings,
  SimulatedPayments,
  Vault,
} from "@mailroom/engine"
import {
  AttachmentTextThreads,
  CaptureRelay,
  MimeParserPool,
  NodemailerComposer,
  type RelayUrlInvalid,
  SignatureThread,
  SmtpRelay,
} from "@mailroom/mail"
import { RspamdFilter, SystemDns, UndiciWebhookTransport } from "@mailroom/network"
import type { StripeOptions } from "@mailroom/payments"
import type { ProviderOptions, TopicArnInvalid } from "@mailroom/providers"
import {
  Argon2Passwords,
  NodeDkimKeys,
  NodeEntropy,
  NodeVault,
  SecretKeyDoesNotFit,
  SecretKeyFile,
  type SecretKeyUnusable,
} from "@mailroom/security"
import { type PostgresOptions, SqliteStore, type Stores, type StoreUnusable } from "@mailroom/store-sql"
import { Context, Data, Effect, Layer, Option, Redacted } from "effect"
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
/** `capture` stores mail in the development outbox instead of sending it. */
export type Outbound =
  | { readonly kind: "capture" }
  | { readonly kind: "relay"; readonly url: Redacted.Redacted }

/** The payment provider; `simulated` takes no money. Must match the engine setting `billing`. */
export type PaymentChoice = { readonly kind: "simulated" } | ({ readonly kind: "stripe" } & StripeOptions)

/** The mail provider that reports over HTTP; `none`: no provider does. */
export type ReportChoice = { readonly kind: "none" } | ProviderOptions

/** The spam filter that every mail is shown to; `url`: the address of an rspamd normal worker. */
export type SpamFilterChoice = { readonly kind: "none" } | { readonly kind: "rspamd"; readonly url: string }

/** Characters of a secret key that a person or a program chose. */
export const SECRET_KEY_MIN_LENGTH = 32

/** The adapters of one process. */
export interface NodeOptions {
  readonly database: Database
  readonly blobs: BlobStore
  readonly outbound: Outbound
  readonly payments: PaymentChoice
  readonly reports: ReportChoice
  readonly spamFilter: SpamFilterChoice
  /** signs links and encrypts secrets; none: generated and stored beside a database file, random for one in memory */
  readonly secretKey: Option.Option<Redacted.Redacted>
}

/** A Postgres database needs a configured secret key. */
export class SecretKeyMissing extends Data.TaggedError("SecretKeyMissing") {
  override readonly message: string =
    "A Postgres database needs a secret key, the same in every process that uses it."
}

/** The settings need an optional package that is not installed. */
export class PackageMissing extends Data.TaggedError("PackageMissing")<{ readonly message: string }> {}

export type NodeMailroomError =
  | BlobsUnusable
  | PackageMissing
  | RelayUrlInvalid
  | SecretKeyDoesNotFit
  | SecretKeyMissing
  | SecretKeyUnusable
  | StoreUnusable
  | TopicArnInvalid

/** What `npm install` adds for an S3 store. */
const S3_PACKAGES =
  "@aws-sdk/client-s3@3 @aws-sdk/lib-storage@3 @aws-sdk/s3-request-presigner@3 @smithy/node-http-handler@4"

/** Parser threads: leaves one core to the event loop. */
const PARSER_WORKERS = Math.max(1, availableParallelism() - 1)

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

/**
 * Fails when the database was made with another secret key: what it has sealed could not be opened. A database that has sent mail has the
 * sealed key of the platform domain, or of a custom domain.
 */
const opensSealedKeys = ({ open }: Vault["Type"]) =>
  Effect.gen(function* () {
    const platform = yield* Effect.flatMap(PlatformKeyStore, ({ all }) => all)
    const domain = yield* Effect.flatMap(DomainStore, ({ anySealedKey }) => anySealedKey)
    const sealed = [...platform.map(({ sealedKey }) => sealedKey), ...Option.toArray(domain)]
    yield* Effect.forEach(sealed, open, { discard: true })
  }).pipe(
    Effect.catchSomeDefect((defect) =>
      defect instanceof SecretKeyDoesNotFit ? Option.some(Effect.fail(defect)) : Option.none(),
    ),
  )

const vault = (options: NodeOptions) =>
  Layer.unwrapEffect(Effect.map(secretKey(options), NodeVault.layer)).pipe(
    Layer.tap((built) => opensSealedKeys(Context.get(built, Vault))),
  )

/** Whether an import failed because there is no such package. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"

/** Imports an adapter on use. `packages`: optional packages that it needs, as `npm install` takes them. */
const optional = <A>(
  load: () => Promise<A>,
  setting: string,
  packages: string,
): Effect.Effect<A, PackageMissing> =>
  Effect.tryPromise({ try: load, catch: (error) => error }).pipe(
    Effect.catchAll((error) =>
      isMissing(error)
        ? new PackageMissing({ message: `${setting} needs more packages. Run npm install ${packages}` })
        : Effect.die(error),
    ),
  )

/** Imports the client of Postgres on use: with SQLite it would take a tenth of the time of the start. */
const postgres = Effect.promise(() => import("@mailroom/store-sql/postgres"))

/** The stores and the signals, which reach this process or all processes on the database. */
const stores = (database: Database) => {
  switch (database.kind) {
    case "memory":
      return Layer.merge(SqliteStore.layer({ filename: ":memory:" }), InProcessSignals.layer)
    case "file":
      return Layer.merge(SqliteStore.layer({ filename: database.filename }), InProcessSignals.layer)
    case "postgres":
      return Layer.unwrapEffect(Effect.map(postgres, (store) => store.layer(database)))
  }
}

/** Imports the S3 SDK on use, because it is large. */
const blobStore = (blobs: BlobStore): Layer.Layer<Blobs, BlobsUnusable | PackageMissing> => {
  switch (blobs.kind) {
    case "memory":
      return MemoryBlobs.layer
    case "file":
      return FileBlobs.layer(blobs.directory)
    case "s3":
      return Layer.unwrapEffect(
        Effect.map(
          optional(() => import("@mailroom/blobs/s3"), "An S3 store", S3_PACKAGES),
          ({ S3Blobs }) => S3Blobs.layer(blobs),
        ),
      )
  }
}

/** Imports the Stripe library on use, because it is large. */
const payments = (choice: PaymentChoice) =>
  choice.kind === "simulated"
    ? SimulatedPayments.layer
    : Layer.unwrapEffect(
        Effect.map(
          optional(() => import("@mailroom/payments"), "Stripe", "stripe@23"),
          ({ StripePayments }) => StripePayments.layer(choice),
        ),
      )

/** Imports the provider adapters on use. */
const reports = (choice: ReportChoice): Layer.Layer<ProviderReports, TopicArnInvalid> =>
  choice.kind === "none"
    ? NoProviderReports.layer
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@mailroom/providers")),
          ({ providerReports }) => providerReports(choice),
        ),
      )

/** The engine's ports with their adapters. */
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
    vault(options),
    Argon2Passwords.layer,
    NodeDkimKeys.layer,
    Layer.provideMerge(Layer.merge(webhooks, SignatureThread.layer()), SystemDns.layer()),
    payments(options.payments),
    reports(options.reports),
    options.spamFilter.kind === "none" ? NoSpamFilter.layer : RspamdFilter.layer(options.spamFilter.url),
    AttachmentTextThreads.layer(),
    MimeParserPool.layer({ fastThreads: PARSER_WORKERS }),
    NodemailerComposer.layer,
    blobStore(blobs),
  ).pipe(Layer.provideMerge(Layer.mergeAll(stores(database), NodeEntropy.layer)))
}

/** Options for an embedded engine that stores everything in one folder. */
const inFolder = (folder: string, outbound: Outbound): NodeOptions => ({
  database: { kind: "file", filename: join(folder, "mailroom.db") },
  blobs: { kind: "file", directory: join(folder, "blobs") },
  outbound,
  payments: { kind: "simulated" },
  reports: { kind: "none" },
  spamFilter: { kind: "none" },
  secretKey: Option.none(),
})

/** Milliseconds that requests to webhooks and the like have to end, when the process ends. */
const FINISH_WITHIN = 9000

/** The engine with its background workers, which finish what they have begun. */
const layer = (
  settings: EngineSettings,
  options: NodeOptions,
): Layer.Layer<EngineServices | EnginePorts | Stores, NodeMailroomError> =>
  Engine.finishing(FINISH_WITHIN).pipe(
    Layer.provideMerge(Engine.workers),
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(ports(options)),
    Layer.provideMerge(Layer.succeed(Settings, settings)),
  )

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
      return Layer.unwrapEffect(
        Effect.map(postgres, (store) => store.besideService({ ...database, maxConnections: 1 })),
      )
  }
}

/**
 * The integrity check for a command beside the running service. Uses one connection to its database, and creates, migrates
 * and leases nothing. The service polls for jobs that the check adds, within 5 s.
 */
const integrity = (database: Database): Layer.Layer<Integrity, DatabaseInMemory | StoreUnusable> =>
  Engine.integrity.pipe(Layer.provide([storesBeside(database), NodeEntropy.layer, InProcessSignals.layer]))

export const NodeMailroom = { inFolder, integrity, layer, ports }
