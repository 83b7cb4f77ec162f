/** The file with the SECRET_KEY that a server on SQLite creates at its first start. */
import { Data, Effect, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { link, mkdir, open, readFile, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"

/** The key file can be neither read nor created. `message` is one line that says which file, why, and what to do. */
export class SecretKeyUnusable extends Data.TaggedError("SecretKeyUnusable")<{
  readonly path: string
  readonly message: string
}> {}

const KEY_LENGTH = 32

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error"

const attempt = <A>(operation: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({ try: operation, catch: codeOf })

const openAndSync = (path: string, flags: string, content?: string) =>
  attempt(async () => {
    const file = await open(path, flags, 0o600)
    try {
      if (content !== undefined) await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
  })

/**
 * Creates the file atomically: others see no key or a whole one, also after a crash. When two processes start at once,
 * one creates it and the other fails with EEXIST.
 */
const create = (path: string): Effect.Effect<void, string> =>
  Effect.acquireUseRelease(
    Effect.succeed(`${path}.${randomUUID()}`),
    (draft) =>
      attempt(() => mkdir(dirname(path), { recursive: true })).pipe(
        Effect.andThen(openAndSync(draft, "wx", `${randomBytes(KEY_LENGTH).toString("base64url")}\n`)),
        Effect.andThen(attempt(() => link(draft, path))),
        Effect.andThen(openAndSync(dirname(path), "r")),
      ),
    (draft) => Effect.ignore(attempt(() => rm(draft, { force: true }))),
  )

const warnIfReadable = (path: string) =>
  attempt(() => stat(path)).pipe(
    Effect.flatMap(({ mode }) =>
      (mode & 0o077) === 0 || process.platform === "win32"
        ? Effect.void
        : Effect.logWarning(`Others on this machine may read the secret key in ${path}: chmod 600 ${path}`),
    ),
  )

export const SecretKeyFile = {
  /**
   * Reads the key from a file, which is created with 32 random bytes (base64url, mode 0600) when absent. Logs a warning
   * when other users may read the file. Fails when it cannot be read or is empty.
   */
  loadOrCreate: (path: string): Effect.Effect<Redacted.Redacted, SecretKeyUnusable> =>
    attempt(() => stat(path)).pipe(
      Effect.catchIf(
        (code) => code === "ENOENT",
        () =>
          Effect.catchIf(
            create(path),
            (code) => code === "EEXIST",
            () => Effect.void,
          ),
      ),
      Effect.andThen(warnIfReadable(path)),
      Effect.andThen(attempt(() => readFile(path, "utf8"))),
      Effect.mapError(
        (code) =>
          new SecretKeyUnusable({
            path,
            message:
              `The secret key in ${path} can be neither read nor created (${code}). ` +
              "Let the user that runs the service read and write there, or set SECRET_KEY.",
          }),
      ),
      Effect.map((content) => content.trim()),
      Effect.filterOrFail(
        (key) => key !== "",
        () =>
          new SecretKeyUnusable({
            path,
            message:
              `The secret key in ${path} is empty. Restore the file from a backup; on a first start, delete it ` +
              "and a new key is made.",
          }),
      ),
      Effect.map(Redacted.make),
      Effect.withSpan("SecretKeyFile.loadOrCreate"),
    ),
}
