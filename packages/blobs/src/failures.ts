/** Errors of file systems and S3 stores, as `StorageFailure` while running and as `BlobsUnusable` at the start. */
import { StorageFailure } from "@mailroom/engine"
import { Data } from "effect"

const FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"])

/** Codes of conditions that can end, so that the same call may succeed later. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  "EACCES",
  "EAGAIN",
  "EBUSY",
  "EHOSTDOWN",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENODEV",
  "ENOTCONN",
  "ENXIO",
  "EPERM",
  "EROFS",
  "ESTALE",
  "ETIMEDOUT",
])

/** The code of a system error (`ENOENT`); null for any other error. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null

/**
 * The storage failure for an error of the file system: `full` without space or quota; `unavailable` for conditions that
 * can end (no access, read-only, input/output error, too many open files); `unexpected` for all others.
 */
export const blobFailure = (cause: unknown): StorageFailure => {
  const code = errorCode(cause) ?? ""
  const reason = FULL_CODES.has(code) ? "full" : UNAVAILABLE_CODES.has(code) ? "unavailable" : "unexpected"
  return new StorageFailure({ reason, cause })
}

const S3_FULL_CODES: ReadonlySet<string> = new Set([
  "InsufficientStorage",
  "QuotaExceeded",
  "XMinioStorageFull",
  "XMinioAdminBucketQuotaExceeded",
])

/** Codes of bugs of ours, which neither a retry nor the operator of the store can correct. */
const S3_BUG_CODES: ReadonlySet<string> = new Set([
  "NoSuchKey",
  "NotFound",
  "InvalidArgument",
  "InvalidRequest",
])

/** The code of an error of the SDK: that of a system error, or the name of the S3 error. */
export const s3Code = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  return "code" in error && typeof error.code === "string" ? error.code : error.name
}

/**
 * The storage failure for an error of an S3 store: `full` without space; `unexpected` for an invalid request;
 * `unavailable` for all others, because the store, the network or the credentials may work later.
 */
export const s3Failure = (cause: unknown): StorageFailure => {
  if (cause instanceof StorageFailure) return cause
  const code = s3Code(cause) ?? ""
  const reason = S3_FULL_CODES.has(code) ? "full" : S3_BUG_CODES.has(code) ? "unexpected" : "unavailable"
  return new StorageFailure({ reason, cause })
}

/** Whether a request failed because the object does not exist. */
export const isMissingObject = ({ cause }: StorageFailure): boolean =>
  ["NoSuchKey", "NotFound"].includes(s3Code(cause) ?? "")

/** The folder or bucket cannot hold blobs. `message` is one line that says which one, why, and what to do. */
export class BlobsUnusable extends Data.TaggedError("BlobsUnusable")<{
  readonly place: string
  readonly message: string
  readonly cause: unknown
}> {}

const diagnoseFolder = (code: string | null): readonly [why: string, remedy: string] => {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return ["permission denied", "Give the user that runs the service write access to it"]
    case "EROFS":
      return ["its file system is read-only", "Mount it for writing"]
    case "ENOSPC":
    case "EDQUOT":
      return ["there is no space left", "Free some space"]
    case "ENOENT":
      return ["no folder can be created there", "Create one that the service can write to"]
    case "EEXIST":
    case "ENOTDIR":
      return ["a file stands in its place or above it", "Move that file away"]
    default:
      return [code ?? "unknown error", "Create a folder there that the service can write to"]
  }
}

/** The error for a folder that failed the check at the start. */
export const folderUnusable = (directory: string, cause: unknown): BlobsUnusable => {
  const [why, remedy] = diagnoseFolder(errorCode(cause))
  return new BlobsUnusable({
    place: directory,
    message: `The folder for blobs ${directory} cannot be used: ${why}. ${remedy}, or use another folder.`,
    cause,
  })
}

const diagnoseBucket = (code: string | null, cause: unknown): readonly [why: string, remedy: string] => {
  switch (code) {
    case "NotFound":
    case "NoSuchBucket":
      return ["there is no such bucket", "Create it"]
    case "Forbidden":
    case "AccessDenied":
    case "403":
      return ["access is denied", "Give the credentials access to it"]
    case "CredentialsProviderError":
      return ["there are no credentials", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"]
    case "ECONNREFUSED":
      return ["nothing listens there", "Start the store"]
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return ["there is no such host", "Correct the endpoint"]
    case "PermanentRedirect":
    case "301":
      return ["it is in another region", "Name that region"]
    default:
      return [
        cause instanceof Error && cause.message !== "" ? cause.message : (code ?? "unknown error"),
        "Correct that",
      ]
  }
}

/** The error for a bucket that failed the check at the start. */
export const bucketUnusable = (
  { bucket, endpoint }: { readonly bucket: string; readonly endpoint: string | null },
  cause: unknown,
): BlobsUnusable => {
  const [why, remedy] = diagnoseBucket(s3Code(cause), cause)
  const where = endpoint === null ? "" : ` at ${endpoint}`
  return new BlobsUnusable({
    place: bucket,
    message: `The bucket ${bucket}${where} cannot hold blobs: ${why}. ${remedy}, or use another bucket.`,
    cause,
  })
}
