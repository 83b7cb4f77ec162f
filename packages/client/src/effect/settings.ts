/** Settings of the Effect client. */
import { Config, type ConfigError, type Effect, Option, type Redacted } from "effect"

export interface MailroomClientOptions {
  /** URL of the service, such as `https://mail.example.com` */
  readonly baseUrl: string
  /** an API key, `mr_…`. Signing up needs none */
  readonly apiKey?: Redacted.Redacted | undefined
  /** how often a request that is safe to repeat is repeated; by default 2 */
  readonly maxRetries?: number | undefined
}

/** `MAILROOM_URL` and `MAILROOM_API_KEY`. */
export const configured: Effect.Effect<MailroomClientOptions, ConfigError.ConfigError> = Config.all({
  baseUrl: Config.string("MAILROOM_URL"),
  apiKey: Config.map(Config.option(Config.redacted("MAILROOM_API_KEY")), Option.getOrUndefined),
})
