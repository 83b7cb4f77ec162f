/** Parses DATABASE_URL and BLOB_URL, and checks that a Postgres comes with a SECRET_KEY. */
import { parseUrl } from "@mailroom/domain"
import type { BlobStore, Database } from "@mailroom/node"
import { Config, ConfigError, Either, Option, Redacted } from "effect"
import { integer } from "./parsers.js"

/** Connections of a process without `pool=`. On two cores more connections only wait for each other. */
const POOL_DEFAULT = 10
const POOL_MAX = 500

/** The number in a parameter of a URL; `fallback` without the parameter. */
const numberIn = (url: URL, parameter: string, fallback: number, max: number): Option.Option<number> =>
  Option.match(Option.fromNullable(url.searchParams.get(parameter)), {
    onNone: () => Option.some(fallback),
    onSome: integer(1, max),
  })

/** `pool` is a parameter of the service; the driver gets the rest of the address. */
const postgres = (text: string): Option.Option<Database> => {
  const url = parseUrl(text)
  if (url === null || url.hostname === "" || url.pathname.length < 2) return Option.none()
  return Option.map(numberIn(url, "pool", POOL_DEFAULT, POOL_MAX), (maxConnections) => {
    url.searchParams.delete("pool")
    return { kind: "postgres", url: Redacted.make(url.href), maxConnections } as const
  })
}

export const DATABASE_ACCEPTED =
  "sqlite:{path of a file}, sqlite::memory: or postgres://{user}:{password}@{host}:{port}/{database}?pool=1-500"

export const database = (text: string): Option.Option<Database> => {
  if (text === "sqlite::memory:") return Option.some({ kind: "memory" })
  if (/^postgres(?:ql)?:\/\//.test(text)) return postgres(text)
  const filename = /^sqlite:(?:\/\/)?(?!:)(.+)$/.exec(text)?.[1]
  return Option.map(Option.fromNullable(filename), (found) => ({ kind: "file", filename: found }) as const)
}

/** Whether an address may contain a password. Not parsed: a `/` in a password is what makes an address invalid. */
export const mayHoldPassword = (text: string): boolean => /@|password/i.test(text)

const REGION_DEFAULT = "us-east-1"

const s3 = (text: string): Option.Option<BlobStore> => {
  const url = parseUrl(text)
  if (url === null) return Option.none()
  const { hostname: bucket, pathname, searchParams } = url
  const endpoint = searchParams.get("endpoint")
  const presign = searchParams.get("presign") ?? "false"
  const isValid =
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) &&
    (endpoint === null || (/^https?:\/\//.test(endpoint) && parseUrl(endpoint) !== null)) &&
    /^(?:true|false)$/.test(presign)
  if (!isValid) return Option.none()
  const folder = pathname.replace(/^\/+|\/+$/g, "")
  return Option.some({
    kind: "s3",
    bucket,
    prefix: folder === "" ? "" : `${folder}/`,
    endpoint,
    region: searchParams.get("region") ?? REGION_DEFAULT,
    presign: presign === "true",
    credentials: null,
  })
}

/** The variables of the AWS SDK, read here because the SDK itself does not read `.env`. */
const s3Credentials = Config.option(
  Config.all({
    accessKeyId: Config.nonEmptyString("AWS_ACCESS_KEY_ID"),
    secretAccessKey: Config.redacted(Config.nonEmptyString("AWS_SECRET_ACCESS_KEY")),
    sessionToken: Config.map(
      Config.option(Config.redacted(Config.nonEmptyString("AWS_SESSION_TOKEN"))),
      Option.getOrNull,
    ),
  }),
)

/** Adds the credentials to the address of an S3 store. Without both halves of a key, the SDK looks for one elsewhere. */
export const withCredentials = (given: Config.Config<BlobStore>): Config.Config<BlobStore> =>
  Config.map(Config.all([given, s3Credentials]), ([blobs, credentials]) =>
    blobs.kind === "s3" ? { ...blobs, credentials: Option.getOrNull(credentials) } : blobs,
  )

export const BLOBS_ACCEPTED =
  "file:{path of a folder}, memory: or s3://{bucket}/{prefix}?endpoint=https://…&region=…&presign=true"

export const blobStore = (text: string): Option.Option<BlobStore> => {
  if (text === "memory:") return Option.some({ kind: "memory" })
  if (text.startsWith("s3://")) return s3(text)
  const directory = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1]
  return Option.map(Option.fromNullable(directory), (found) => ({ kind: "file", directory: found }) as const)
}

interface Storage {
  readonly database: Database
  readonly secretKey: Option.Option<Redacted.Redacted>
}

/** Requires SECRET_KEY for Postgres, whose processes have to share it. Beside SQLite a key is generated. */
export const withSharedKey = <A extends Storage>(given: Config.Config<A>): Config.Config<A> =>
  Config.mapOrFail(given, (config) =>
    config.database.kind === "postgres" && Option.isNone(config.secretKey)
      ? Either.left(
          ConfigError.MissingData(
            ["SECRET_KEY"],
            "SECRET_KEY is not set, and DATABASE_URL is a Postgres: give every process the same key of at least 32 characters",
          ),
        )
      : Either.right(config),
  )
