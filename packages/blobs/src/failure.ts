/** Errors of the file system in the words of the port. */
import { StorageFailure } from "@mailroom/engine"

const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"])

// The disk, the mount or the operator may bring these right; the same call can succeed later.
const UNAVAILABLE: ReadonlySet<string> = new Set([
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

/** The code of a system error (`ENOENT`), or null when it is none. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null

/**
 * The storage failure that a file system's error is: `full` for want of space or quota, `unavailable` for what may
 * pass (no access, read-only, input/output errors, too many open files), `unexpected` for everything else.
 */
export const blobFailure = (cause: unknown): StorageFailure => {
  const code = errorCode(cause) ?? ""
  const reason = FULL.has(code) ? "full" : UNAVAILABLE.has(code) ? "unavailable" : "unexpected"
  return new StorageFailure({ reason, cause })
}
