/** Why a folder cannot hold blobs. */
import { Data } from "effect"
import { errorCode } from "./failure.js"

/** The folder for blobs cannot be created or written. `message` is one line: which folder, why, and what to do. */
export class BlobsUnusable extends Data.TaggedError("BlobsUnusable")<{
  readonly directory: string
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
    directory,
    message: `The folder for blobs ${directory} cannot be used: ${why}. ${remedy}, or set BLOB_URL to another folder.`,
    cause,
  })
}
