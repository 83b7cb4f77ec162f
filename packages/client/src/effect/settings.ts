/** Settings of the Effect client. */
import { Config, type ConfigError, type Effect, Option, Redacted } from "effect"
import { isSendable } from "../settings.js"

export interface MailroomClientOptions {
  /** URL of the service, such as `https://mail.example.com` */
  readonly baseUrl: string
  /** an API key, `mr_` and hexadecimal digits. Signing up needs none. The layer dies of one that no header field can carry */
  readonly apiKey?: Redacted.Redacted | undefined
  /** how often a request that is safe to repeat is repeated; by default 2 */
  readonly maxRetries?: number | undefined
}

/** `MAILROOM_URL` and `MAILROOM_API_KEY`. */
export const configured: Effect.Effect<MailroomClientOptions, ConfigError.ConfigError> = Config.all({
  baseUrl: Config.string("MAILROOM_URL"),
  apiKey: Config.redacted("MAILROOM_API_KEY").pipe(
    Config.validate({
      message: "MAILROOM_API_KEY has a character that a key never has, such as a space or an ellipsis",
      validation: (key) => isSendable(Redacted.value(key).trim()),
    }),
    Config.option,
    Config.map(Option.getOrUndefined),
  ),
})
