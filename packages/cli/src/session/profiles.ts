/** The file with the keys: `~/.config/mailroom/config.json`, which only its owner can read. */
import { Effect, ParseResult, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { CliError, failure } from "../CliError.js"
import { environmentValue, Shell } from "../terminal/Shell.js"

export const Profile = Schema.Struct({
  /** URL of the service, without a slash at the end */
  url: Schema.String,
  /** `mr_…`; goes to this URL only */
  apiKey: Schema.String,
  /** id or address of the mailbox that commands use without `--mailbox` */
  mailbox: Schema.optional(Schema.String),
})
export type Profile = typeof Profile.Type

const Profiles = Schema.Struct({
  /** name of the profile that commands use without `--profile` */
  current: Schema.String,
  profiles: Schema.Record({ key: Schema.String, value: Profile }),
})
export type Profiles = typeof Profiles.Type

export const DEFAULT_PROFILE = "default"

const none: Profiles = { current: DEFAULT_PROFILE, profiles: {} }

/** Rights for the owner of the file alone. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
/** The rights of group and others. */
const OTHERS = 0o077

export const configFile = Effect.map(Shell, (shell) =>
  join(environmentValue(shell, "XDG_CONFIG_HOME") ?? join(shell.home, ".config"), "mailroom", "config.json"),
)

const decode = Schema.decodeUnknown(Schema.parseJson(Profiles))

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

const reading = (path: string) => async (): Promise<string | null> => {
  try {
    const { mode } = await stat(path)
    // Windows has no such rights.
    if (process.platform !== "win32" && (mode & OTHERS) !== 0)
      throw failure(
        `Others can read ${path}, which has keys.`,
        `Run chmod 600 ${path}; if others may have read it, revoke the keys.`,
      )
    return await readFile(path, "utf8")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null
    throw error
  }
}

const fileFailure = (path: string) => (error: unknown) =>
  error instanceof CliError
    ? error
    : failure(
        `${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
        "Check the rights of the file and its folder.",
      )

/** The stored profiles; none without a file. */
export const loadProfiles: Effect.Effect<Profiles, CliError, Shell> = Effect.flatMap(configFile, (path) =>
  Effect.tryPromise({ try: reading(path), catch: fileFailure(path) }).pipe(
    Effect.flatMap((text) => (text === null ? Effect.succeed(none) : decode(text))),
    Effect.catchIf(ParseResult.isParseError, () =>
      failure(`${path} is damaged.`, `Remove it, and sign in again with mailroom login.`),
    ),
  ),
)

/** Writes a new file beside the file, hands it to `use`, and removes it if it is still there. */
const drafting = (
  text: string,
  use: (draft: string, path: string) => Promise<void>,
): Effect.Effect<string, CliError, Shell> =>
  Effect.flatMap(configFile, (path) =>
    Effect.tryPromise({
      try: async () => {
        await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
        const draft = `${path}.${randomUUID()}`
        try {
          await writeFile(draft, text, { mode: FILE_MODE, flag: "wx", flush: true })
          await use(draft, path)
        } finally {
          await rm(draft, { force: true })
        }
        return path
      },
      catch: fileFailure(path),
    }),
  )

/** Writes the file whole or not at all: to a new file, which then takes the place of the old one. */
const storeProfiles = (profiles: Profiles): Effect.Effect<string, CliError, Shell> =>
  drafting(`${JSON.stringify(profiles, undefined, 2)}\n`, rename)

/** Fails when the file cannot be written. Call it before something that gives a key only once. */
export const checkStorable: Effect.Effect<void, CliError, Shell> = Effect.asVoid(
  drafting("", () => Promise.resolve()),
)

/** Stores a profile and makes it the current one. Returns the path of the file. */
export const storeProfile = (name: string, profile: Profile): Effect.Effect<string, CliError, Shell> =>
  Effect.flatMap(loadProfiles, ({ profiles }) =>
    storeProfiles({ current: name, profiles: { ...profiles, [name]: profile } }),
  )

/** Removes a profile. False if there is none of this name. */
export const removeProfile = (name: string): Effect.Effect<boolean, CliError, Shell> =>
  Effect.flatMap(loadProfiles, ({ current, profiles }) => {
    const { [name]: removed, ...others } = profiles
    if (removed === undefined) return Effect.succeed(false)
    const next = current === name ? (Object.keys(others)[0] ?? DEFAULT_PROFILE) : current
    return Effect.as(storeProfiles({ current: next, profiles: others }), true)
  })
