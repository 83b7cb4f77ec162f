/** Errors of an S3 store in the words of the port. */
import { StorageFailure } from "@mailroom/engine"

const FULL: ReadonlySet<string> = new Set([
  "InsufficientStorage",
  "QuotaExceeded",
  "XMinioStorageFull",
  "XMinioAdminBucketQuotaExceeded",
])

/** Codes that more trying does not bring right, and neither does the operator of the store. */
const OURS: ReadonlySet<string> = new Set(["NoSuchKey", "NotFound", "InvalidArgument", "InvalidRequest"])

/** What the SDK calls an error: S3's code, or the system's. */
export const s3Code = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  return "code" in error && typeof error.code === "string" ? error.code : error.name
}

/**
 * The storage failure that an error of the store is: `full` for want of space, `unexpected` for a request that makes no
 * sense, `unavailable` for everything else: the store, the network or the credentials may come right.
 */
export const s3Failure = (cause: unknown): StorageFailure => {
  if (cause instanceof StorageFailure) return cause
  const code = s3Code(cause) ?? ""
  const reason = FULL.has(code) ? "full" : OURS.has(code) ? "unexpected" : "unavailable"
  return new StorageFailure({ reason, cause })
}

/** Whether a request failed because there is no such object. */
export const isMissingObject = ({ cause }: StorageFailure): boolean =>
  ["NoSuchKey", "NotFound"].includes(s3Code(cause) ?? "")
