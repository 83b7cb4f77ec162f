/** Settings of an embedded Mailroom. Each has a default. */
import { issuesOf } from "@mailroom/domain"
import type { Certificate } from "@mailroom/mail"
import { NodeMailroom, type NodeOptions, type Outbound, SECRET_KEY_MIN_LENGTH } from "@mailroom/node"
import type { EngineSettings } from "@mailroom/engine"
import { Config, Data, Effect, Either, Option, Redacted, Schema } from "effect"

/** Where mail is received. */
export interface ReceiveOptions {
  /** address to listen on. Default 127.0.0.1; for mail from outside 0.0.0.0 or :: */
  readonly host?: string | undefined
  /** port to listen on; 0: any free port. Default 2525; other mail servers connect to 25 */
  readonly port?: number | undefined
  /** certificate chain and key in PEM, for STARTTLS */
  readonly tls?: Certificate | undefined
}

export interface MailroomOptions {
  /** folder of the mail, files and keys, made when it is absent; `database` needs one. Without one, all is in memory and gone at the end */
  readonly folder?: string | undefined
  /** domain of the addresses. Default mailroom.localhost */
  readonly domain?: string | undefined
  /** `postgres://…`, for several processes; the files stay in `folder`, which they share. Default: a file in `folder` */
  readonly database?: string | Redacted.Redacted | undefined
  /** 32 characters or more: signs links and encrypts secrets; Postgres needs one, the same in all processes. Default: made, and kept in `folder` */
  readonly secretKey?: string | Redacted.Redacted | undefined
  /** `smtp://user:password@host:587`, the relay that sends mail. Without one, mail to others is kept in the outbox */
  readonly relay?: string | Redacted.Redacted | undefined
  /** where mail is received; false: nowhere */
  readonly receive?: ReceiveOptions | false | undefined
  /** mails that one mailbox may send in a minute. Default 60 */
  readonly sendsPerMinute?: number | undefined
}

const Secret = Schema.Union(Schema.String, Schema.RedactedFromSelf(Schema.String)).annotations({
  message: () => ({ message: "must be a string or a Redacted", override: true }),
})

const redacted = (text: string | Redacted.Redacted): Redacted.Redacted =>
  Redacted.isRedacted(text) ? text : Redacted.make(text)

const SecretKey = Secret.pipe(
  Schema.filter((key) => Redacted.value(redacted(key)).length >= SECRET_KEY_MIN_LENGTH, {
    message: () => `must have at least ${SECRET_KEY_MIN_LENGTH} characters`,
  }),
)

/** An empty path would be the folder that the program runs in, or no folder. */
const namesFolder = (path: string): boolean => path.trim() !== ""
const FOLDER_EMPTY = "must name a folder. Leave it out to keep all mail in memory"
const Folder = Schema.String.pipe(Schema.filter(namesFolder, { message: () => FOLDER_EMPTY }))

const Nowhere = Schema.Literal(false).annotations({ message: () => "must be false or { host, port, tls }" })
const Tls = Schema.Struct({ cert: Schema.String, key: Schema.String })
const Receive = Schema.Struct({
  host: Schema.optional(Schema.String),
  port: Schema.optional(Schema.Int.pipe(Schema.between(0, 65_535))),
  tls: Schema.optional(Tls),
})

const Options = Schema.Struct({
  folder: Schema.optional(Folder),
  domain: Schema.optional(Schema.String),
  database: Schema.optional(Secret),
  secretKey: Schema.optional(SecretKey),
  relay: Schema.optional(Secret),
  receive: Schema.optional(Schema.Union(Nowhere, Receive)),
  sendsPerMinute: Schema.optional(Schema.Int.pipe(Schema.greaterThanOrEqualTo(1))),
})

/** An option is unknown or of a wrong kind. The message names each of them, and does not repeat the value. */
export class OptionsInvalid extends Data.TaggedError("OptionsInvalid")<{ readonly message: string }> {}

/** Checks options strictly: unknown ones are refused, too. */
export const checkedBy = <A, I>(schema: Schema.Schema<A, I>) => {
  const validate = Schema.validateEither(schema, { errors: "all", onExcessProperty: "error" })
  return (options: unknown): Either.Either<A, OptionsInvalid> =>
    Either.mapLeft(
      validate(options),
      ({ issue }) =>
        new OptionsInvalid({
          message: issuesOf(issue)
            .map(({ path, message }) => `${path === "" ? "The argument" : `\`${path}\``} ${message}`)
            .join("; "),
        }),
    )
}

/** Checks the options of a start: without its `folder`, a program would keep all mail in memory. */
export const checkedOptions: (options: unknown) => Either.Either<MailroomOptions, OptionsInvalid> =
  checkedBy(Options)

/** Checks the type of a certificate alone. */
export const checkedTls: (tls: unknown) => Either.Either<Certificate, OptionsInvalid> = checkedBy(Tls)

const DEFAULT_DOMAIN = "mailroom.localhost"
/** Connections to Postgres of one process. */
const MAX_CONNECTIONS = 10

export const domainOfOptions = ({ domain }: Pick<MailroomOptions, "domain">): string =>
  (domain ?? DEFAULT_DOMAIN).toLowerCase()

export const engineSettings = (options: MailroomOptions): EngineSettings => ({
  baseUrl: "http://localhost",
  platformDomain: domainOfOptions(options),
  postmasterEmail: null,
  billing: "none",
  defaultPlan: "Scale",
  signup: "closed",
  signupsPerHour: 1,
  sendVelocityPerMinute: options.sendsPerMinute ?? 60,
  webhookAllowPrivate: false,
  headerPrefix: "X-Mailroom-",
})

/** A database was given without a folder for the files of its mail. In memory, these would be gone at the end. */
export class FolderMissing extends Data.TaggedError("FolderMissing") {
  override readonly message: string =
    "`database` needs a `folder` too, for attachments and mail above 256 kB: one that all processes on the database share."
}

/** The database is not the address of a Postgres database. The message does not repeat it, because it has a password. */
export class DatabaseUrlInvalid extends Data.TaggedError("DatabaseUrlInvalid") {
  override readonly message: string =
    "`database` must be `postgres://user:password@host:5432/name`; a `/`, `@` or `#` in the password is written as %2F, %40 or %23."
}

const isPostgres = (address: string): boolean =>
  /^postgres(?:ql)?:\/\//.test(address) && URL.canParse(address)

const storedOptions = ({ folder, database, secretKey, relay }: MailroomOptions): NodeOptions => {
  const outbound: Outbound =
    relay === undefined ? { kind: "capture" } : { kind: "relay", url: redacted(relay) }
  const inFolder = NodeMailroom.inFolder(folder ?? "", outbound)
  const stored: NodeOptions =
    folder === undefined ? { ...inFolder, database: { kind: "memory" }, blobs: { kind: "memory" } } : inFolder
  return {
    ...stored,
    ...(database !== undefined && {
      database: { kind: "postgres", url: redacted(database), maxConnections: MAX_CONNECTIONS },
    }),
    secretKey: Option.map(Option.fromNullable(secretKey), redacted),
  }
}

export const nodeOptions = (
  options: MailroomOptions,
): Effect.Effect<NodeOptions, DatabaseUrlInvalid | FolderMissing> => {
  const { database, folder } = options
  if (database !== undefined && folder === undefined) return new FolderMissing()
  if (database !== undefined && !isPostgres(Redacted.value(redacted(database))))
    return new DatabaseUrlInvalid()
  return Effect.succeed(storedOptions(options))
}

const optional = <A>(config: Config.Config<A>) => Config.map(Config.option(config), Option.getOrUndefined)

/** The options from `MAILROOM_FOLDER`, `_DOMAIN`, `_DATABASE`, `_SECRET_KEY`, `_RELAY`, `_SMTP_HOST` and `_SMTP_PORT`. */
export const optionsFromConfig: Config.Config<MailroomOptions> = Config.all({
  folder: optional(
    Config.string("FOLDER").pipe(Config.validate({ message: FOLDER_EMPTY, validation: namesFolder })),
  ),
  domain: optional(Config.nonEmptyString("DOMAIN")),
  database: optional(Config.redacted("DATABASE")),
  secretKey: optional(Config.redacted("SECRET_KEY")),
  relay: optional(Config.redacted("RELAY")),
  receive: Config.all({
    host: optional(Config.nonEmptyString("SMTP_HOST")),
    port: optional(Config.port("SMTP_PORT")),
  }),
}).pipe(Config.nested("MAILROOM"))
