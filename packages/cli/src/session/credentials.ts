/** Which service a command talks to, and with which key. */
import { Effect, Option } from "effect"
import { CliError, usageError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { environmentValue, Shell } from "../terminal/Shell.js"
import { loadProfiles, type Profile } from "./profiles.js"

export interface Credentials {
  readonly url: string
  readonly apiKey: string
  readonly mailbox: string | undefined
  /** where the key comes from */
  readonly source: string
}

export interface Selection {
  readonly profile: Option.Option<string>
}

/** A URL without a slash at its end. Fails for anything but http: and https:. */
export const serviceUrl = (text: string): Effect.Effect<string, CliError> => {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === ""
    ? Effect.succeed(url.href.replace(/\/+$/, ""))
    : usageError(`${text} is no URL of a service.`, "Name it as https://mail.example.com.")
}

const signedOut = (message: string, hint: string) =>
  new CliError({ exitCode: exitCodes.signedOut, message, hint })

/** The name of the selected profile, and the profile if it exists. */
export const selectedProfile = Effect.fnUntraced(function* ({ profile }: Selection) {
  const shell = yield* Shell
  const { current, profiles } = yield* loadProfiles
  const name = Option.getOrElse(profile, () => environmentValue(shell, "MAILROOM_PROFILE") ?? current)
  const found: Profile | undefined = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return { name, profile: found }
})

/**
 * MAILROOM_API_KEY and MAILROOM_URL come before the profile. The key of a profile goes to the URL of that profile alone: another
 * URL in the environment needs a key of its own.
 */
export const credentials = Effect.fnUntraced(function* (selection: Selection) {
  const shell = yield* Shell
  const apiKey = environmentValue(shell, "MAILROOM_API_KEY")
  const givenUrl = environmentValue(shell, "MAILROOM_URL")
  const url = givenUrl === undefined ? undefined : yield* serviceUrl(givenUrl)
  const mailbox = environmentValue(shell, "MAILROOM_MAILBOX")
  if (apiKey !== undefined && url !== undefined && Option.isNone(selection.profile))
    return { url, apiKey, mailbox, source: "MAILROOM_API_KEY" } satisfies Credentials
  const { name, profile } = yield* selectedProfile(selection)
  if (profile === undefined) {
    if (Option.isSome(selection.profile))
      return yield* signedOut(`There is no profile ${name}.`, `Run mailroom login --profile ${name}.`)
    return yield* apiKey === undefined
      ? signedOut("You are not signed in.", "Run mailroom login, or set MAILROOM_API_KEY and MAILROOM_URL.")
      : signedOut("MAILROOM_API_KEY is set, but no service.", "Set MAILROOM_URL too.")
  }
  if (Option.isSome(selection.profile))
    return { ...profile, mailbox: mailbox ?? profile.mailbox, source: name }
  if (apiKey !== undefined)
    return { url: profile.url, apiKey, mailbox, source: "MAILROOM_API_KEY" } satisfies Credentials
  if (url !== undefined && url !== profile.url)
    return yield* signedOut(
      `The key of profile ${name} is for ${profile.url}, and MAILROOM_URL names ${url}.`,
      "Set MAILROOM_API_KEY too, or choose a profile with --profile.",
    )
  return { ...profile, mailbox: mailbox ?? profile.mailbox, source: `profile ${name}` } satisfies Credentials
})
