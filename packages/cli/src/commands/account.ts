/** `login`, `logout`, `signup`, `whoami`. */
import * as Command from "@effect/cli/Command"
import * as Prompt from "@effect/cli/Prompt"
import { Effect, Option, Redacted } from "effect"
import { CliError, cliError, failure, usageError } from "../CliError.js"
import { exitCodes } from "../exitCodes.js"
import { fieldLines } from "../format.js"
import { common, json, optionalText, remote, text } from "../options.js"
import { Api, clientOf } from "../session/Api.js"
import { selectedProfile, serviceUrl } from "../session/credentials.js"
import { checkStorable, removeProfile, storeProfile } from "../session/profiles.js"
import { Output } from "../terminal/Output.js"
import { safeLine } from "../terminal/safeText.js"
import { environmentValue, Shell } from "../terminal/Shell.js"

const profileOption = optionalText("profile", "name of the profile to store; by default the current one")

const urlOption = optionalText("url", "URL of the service; by default MAILROOM_URL, or that of the profile")

/** A secret: typed unseen on a terminal, else the first line of the standard input. */
const secret = Effect.fnUntraced(function* (name: string) {
  const { stdin } = yield* Shell
  if (stdin.isTerminal) return Redacted.value(yield* Prompt.run(Prompt.password({ message: name })))
  const input = yield* Effect.promise(() => stdin.read())
  const [line = ""] = input.toString("utf8").split(/\r?\n/)
  return line === ""
    ? yield* usageError(`The standard input has no ${name.toLowerCase()}.`, "Pipe it in, on one line.")
    : line
})

/** The URL that is given, or that of the environment, or that of the profile, or an answer on the terminal. */
const targetUrl = Effect.fnUntraced(function* (url: Option.Option<string>, ofProfile: string | undefined) {
  const shell = yield* Shell
  const known = Option.getOrUndefined(url) ?? environmentValue(shell, "MAILROOM_URL") ?? ofProfile
  if (known !== undefined) return yield* serviceUrl(known)
  if (!shell.stdin.isTerminal)
    return yield* usageError("There is no URL of a service.", "Name it with --url, or set MAILROOM_URL.")
  return yield* serviceUrl(yield* Prompt.run(Prompt.text({ message: "URL of the service" })))
})

const login = Command.make(
  "login",
  {
    url: urlOption,
    profile: profileOption,
    mailbox: optionalText("mailbox", "the mailbox that commands of this profile use, by address or id"),
    json,
  },
  ({ url, profile, mailbox, json }) =>
    Effect.gen(function* () {
      const shell = yield* Shell
      const output = yield* Output
      const selected = yield* selectedProfile({ profile })
      const target = yield* targetUrl(url, selected.profile?.url)
      const apiKey = environmentValue(shell, "MAILROOM_API_KEY") ?? (yield* secret("API key"))
      const mailroom = yield* clientOf({ apiKey, url: target })
      const who = yield* Effect.tryPromise({
        try: (signal) => mailroom.account.whoami({ signal }),
        catch: cliError,
      })
      const path = yield* storeProfile(selected.name, {
        url: target,
        apiKey,
        ...(Option.isSome(mailbox) && { mailbox: mailbox.value }),
      })
      yield* output.value(
        who,
        ({ account }) => `Signed in to ${safeLine(account.slug)} at ${target}. The key is in ${path}.`,
      )
    }).pipe(Effect.provide(Output.layer(json))),
).pipe(
  Command.withDescription(
    "Store an API key: typed on a terminal, piped in, or from MAILROOM_API_KEY; checks it first",
  ),
)

const logout = Command.make("logout", { profile: profileOption }, ({ profile }) =>
  Effect.gen(function* () {
    const { name } = yield* selectedProfile({ profile })
    if (!(yield* removeProfile(name)))
      return yield* new CliError({
        exitCode: exitCodes.nothing,
        message: `There is no profile ${name}.`,
        hint: "Nothing was changed.",
      })
    const output = yield* Output
    yield* output.note(`Removed profile ${name}. Its key stays valid: mailroom keys revoke ends a key.`)
  }).pipe(Effect.provide(Output.layer(false))),
).pipe(Command.withDescription("Remove a stored API key"))

const signup = Command.make(
  "signup",
  {
    email: text("email", "address of the owner, who gets a mail to verify it"),
    slug: text("slug", "subdomain of the account's addresses; it cannot be changed"),
    name: optionalText("name", "the owner's name"),
    invitation: optionalText("invitation", "token of an invitation, where signup needs one"),
    url: urlOption,
    profile: profileOption,
    json,
  },
  ({ email, slug, name, invitation, url, profile, json }) =>
    Effect.gen(function* () {
      const output = yield* Output
      const selected = yield* selectedProfile({ profile })
      if (selected.profile !== undefined)
        return yield* failure(
          `Profile ${selected.name} has a key already.`,
          "Name another profile with --profile, or run mailroom logout first.",
        )
      const target = yield* targetUrl(url, undefined)
      yield* checkStorable
      const password = yield* secret("Password")
      const mailroom = yield* clientOf({ apiKey: "", url: target })
      const body = {
        email,
        slug,
        password,
        name: Option.getOrUndefined(name),
        invitation: Option.getOrUndefined(invitation),
      }
      const signedUp = yield* Effect.tryPromise({
        try: (signal) => mailroom.signup.create(body, { signal }),
        catch: cliError,
      })
      const { key } = signedUp.api_key
      // The service shows the first key once, and the disk may have become full since the check.
      const path = yield* storeProfile(selected.name, { url: target, apiKey: key }).pipe(
        Effect.tapError(() =>
          output.note(`The account was made. Keep its key, which is stored nowhere: ${key}`),
        ),
      )
      yield* output.value(signedUp, ({ user, mailbox }) =>
        [
          `Signed up ${safeLine(user.slug)}, with the mailbox ${safeLine(mailbox.address)}.`,
          `The key is in ${path}. The owner has mail at ${safeLine(user.email)}: sends work when it is verified.`,
        ].join("\n"),
      )
    }).pipe(Effect.provide(Output.layer(json))),
).pipe(
  Command.withDescription(
    "Create an account, and store its first key. The password is typed, or the first line of the standard input",
  ),
)

const whoami = Command.make("whoami", { common }, ({ common }) =>
  remote(
    common,
    Effect.gen(function* () {
      const output = yield* Output
      const { credentials } = yield* Api
      const who = yield* Api.request((mailroom, options) => mailroom.account.whoami(options))
      yield* output.value(who, ({ principal, account }) =>
        fieldLines([
          ["Service", credentials.url],
          ["Account", account.slug],
          ["Plan", account.plan],
          ["State", account.state],
          ["Key", `${principal.keyId ?? ""} from ${credentials.source}`],
          ["Mailboxes", principal.mailboxIds === null ? "all" : principal.mailboxIds.join(", ")],
          ["Permissions", principal.permissions.join(", ")],
        ]),
      )
    }),
  ),
).pipe(Command.withDescription("Show service, account and permissions of the key"))

export const accountCommands = [login, logout, signup, whoami] as const
