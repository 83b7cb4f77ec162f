/** Why a place cannot hold blobs. */
import { Data } from "effect"
import { errorCode } from "./failure.js"
import { s3Code } from "./s3Failure.js"

/** Blobs cannot be kept there. `message` is one line: which folder or bucket, why, and what to do. */
export class BlobsUnusable extends Data.TaggedError("BlobsUnusable")<{
  readonly place: string
  readonly message: string
  readonly cause: unknown
}> {}

const whyAndWhatToDo = (code: string | null): readonly [why: string, remedy: string] => {
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

/** The error for a folder that failed its trial. */
export const blobsUnusable = (directory: string, cause: unknown): BlobsUnusable => {
  const [why, remedy] = whyAndWhatToDo(errorCode(cause))
  return new BlobsUnusable({
    place: directory,
    message: `The folder for blobs ${directory} cannot be used: ${why}. ${remedy}, or set BLOB_URL to another folder.`,
    cause,
  })
}

const bucketProblem = (code: string | null): readonly [why: string, remedy: string] => {
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
      return [code ?? "unknown error", "See the cause"]
  }
}

/** The error for a bucket that failed its trial. */
export const bucketUnusable = (
  { bucket, endpoint }: { readonly bucket: string; readonly endpoint: string | null },
  cause: unknown,
): BlobsUnusable => {
  const [why, remedy] = bucketProblem(s3Code(cause))
  const where = endpoint === null ? "" : ` at ${endpoint}`
  return new BlobsUnusable({
    place: bucket,
    message: `The bucket ${bucket}${where} cannot hold blobs: ${why}. ${remedy}, or set BLOB_URL to another bucket.`,
    cause,
  })
}
