/** The declaration of an environment variable: name, default, meaning, accepted values, and parser. */
import { Config, ConfigError, Either, Option } from "effect"

export interface Variable<A> {
  readonly name: string
  /** the default as the README shows it; null when there is none */
  readonly fallback: string | null
  readonly meaning: string
  readonly config: Config.Config<A>
}

interface Description<A> {
  readonly name: string
  readonly fallback: string | null
  readonly meaning: string
  /** the accepted values, for the error about another one */
  readonly accepted: string
  readonly parse: (text: string) => Option.Option<A>
  /** whether the value is a secret, or which values may contain one; errors do not repeat those */
  readonly secret?: boolean | ((text: string) => boolean)
}

/** The trimmed text of a variable. An empty text counts as not set, so `FOO=` in a file means the default. */
const given = (name: string): Config.Config<Option.Option<string>> =>
  Config.map(Config.option(Config.string(name)), (text) =>
    Option.filter(
      Option.map(text, (value) => value.trim()),
      (value) => value !== "",
    ),
  )

const isSecret = <A>({ secret = false }: Description<A>, text: string): boolean =>
  typeof secret === "boolean" ? secret : secret(text)

const parsed = <A>(description: Description<A>, text: string): Either.Either<A, ConfigError.ConfigError> =>
  Either.fromOption(description.parse(text), () =>
    ConfigError.InvalidData(
      [description.name],
      `${description.name} is ${isSecret(description, text) ? "set to a value that is not valid" : JSON.stringify(text)}; it takes ${description.accepted}`,
    ),
  )

/** Declares a variable that may be left out. */
export const optional = <A>(description: Description<A>): Variable<Option.Option<A>> => ({
  ...description,
  config: Config.mapOrFail(
    given(description.name),
    Option.match({
      onNone: () => Either.right(Option.none<A>()),
      onSome: (text) => Either.map(parsed(description, text), Option.some),
    }),
  ),
})

/** Declares a variable with a default. */
export const variable = <A>(description: Description<A> & { readonly fallback: string }): Variable<A> => ({
  ...description,
  config: Config.mapOrFail(given(description.name), (text) =>
    parsed(
      description,
      Option.getOrElse(text, () => description.fallback),
    ),
  ),
})

/** The message about the first wrong variable of a configuration, on one line. */
export const configProblem = (error: ConfigError.ConfigError): string =>
  ConfigError.reduceWithContext(error, undefined, {
    andCase: (_, left) => left,
    orCase: (_, left) => left,
    invalidDataCase: (_, __, message) => message,
    missingDataCase: (_, __, message) => message,
    sourceUnavailableCase: (_, __, message) => message,
    unsupportedCase: (_, __, message) => message,
  })
