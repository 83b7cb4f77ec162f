/** The client as a service of Effect, made of the contract: typed requests, tagged errors, streams. */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import { Api } from "@mailroom/api"
import { type ConfigError, Context, Effect, Layer, Option, Redacted, type Stream } from "effect"
import type { MailroomEvent } from "../follow.js"
import { checkedKey } from "../settings.js"
import { Transport } from "../Transport.js"
import { withSettings } from "./requests.js"
import { configured, type MailroomClientOptions } from "./settings.js"
import { events, type EventsFailed, type EventStreamOptions } from "./streams.js"

const requests = (options: MailroomClientOptions, init: RequestInit | undefined) =>
  HttpApiClient.make(Api, { baseUrl: options.baseUrl, transformClient: withSettings(options, init) })

/** The methods of the contract by group, such as `client.messages.send({ path: { id }, payload })`. */
export type Methods = Effect.Effect.Success<ReturnType<typeof requests>>

export interface Client extends Methods {
  /**
   * The events of the account, from now, from `after`, or from where the cursor is. Reconnects by itself; what comes while
   * the connection is lost comes afterwards.
   */
  readonly follow: <R = never>(
    options?: EventStreamOptions<R>,
  ) => Stream.Stream<MailroomEvent, EventsFailed, R>
}

export class MailroomClient extends Context.Tag("@mailroom/client/MailroomClient")<MailroomClient, Client>() {
  /** On an `HttpClient` of your own. Events use the global `fetch`, or that of `FetchHttpClient.Fetch`. */
  static readonly layerWithoutHttpClient = (
    options: MailroomClientOptions,
  ): Layer.Layer<MailroomClient, never, HttpClient.HttpClient> =>
    Layer.effect(
      MailroomClient,
      Effect.gen(function* () {
        const fetch = Option.getOrUndefined(yield* Effect.serviceOption(FetchHttpClient.Fetch))
        const init = Option.getOrUndefined(yield* Effect.serviceOption(FetchHttpClient.RequestInit))
        const { baseUrl } = options
        const apiKey = checkedKey(options.apiKey && Redacted.value(options.apiKey)) ?? ""
        const transport = new Transport({ baseUrl, apiKey, fetch })
        const checked = { ...options, apiKey: apiKey === "" ? undefined : Redacted.make(apiKey) }
        return { ...(yield* requests(checked, init)), follow: events(transport) }
      }),
    )

  static readonly layer = (options: MailroomClientOptions): Layer.Layer<MailroomClient> =>
    Layer.provide(MailroomClient.layerWithoutHttpClient(options), FetchHttpClient.layer)

  /** Settings from `MAILROOM_URL` and `MAILROOM_API_KEY`, by the ConfigProvider. */
  static readonly layerConfig: Layer.Layer<MailroomClient, ConfigError.ConfigError> = Layer.unwrapEffect(
    Effect.map(configured, (options) => MailroomClient.layer(options)),
  )
}
