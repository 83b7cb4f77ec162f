/**
 * Reports of Amazon SES, through an SNS topic and its HTTPS subscription. SNS signs its messages with a key whose
 * certificate it publishes. Raw message delivery is not signed and therefore refused. Not AWS's validator for Node, which
 * checks neither topic nor age and has no timeout; the rest of it is one call of node:crypto.
 */
import { HOUR, InvalidSignature, MINUTE } from "@mailroom/domain"
import { type ProviderNotice, ProviderReports } from "@mailroom/engine"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { readSesEvent } from "./sesEvents.js"
import { type Fetch, makeSns, originOf, type Sns, type TopicArnInvalid } from "./sns.js"
import { isSignedBy, SnsMessage } from "./snsMessage.js"

export interface SesOptions {
  /** the topic that SES publishes to; messages of other topics are refused */
  readonly topicArn: string
  /** how to make requests to SNS. Default: the global `fetch` */
  readonly fetch?: Fetch
}

/** SNS retries for at most an hour (docs.aws.amazon.com/sns, Message delivery retries); 5 minutes for clock skew. */
const AGE_MAX = HOUR + 5 * MINUTE
const AHEAD_MAX = 5 * MINUTE

const parse = Schema.decodeUnknownOption(Schema.parseJson(SnsMessage))

/** The message, if SNS signed it for the topic. Checks that need a request to SNS come last. */
const verified = Effect.fnUntraced(function* (sns: Sns, topicArn: string, { body }: ProviderNotice) {
  const message = Option.getOrNull(parse(body))
  if (message === null || message.TopicArn !== topicArn) return yield* new InvalidSignature()
  const age = (yield* Clock.currentTimeMillis) - Date.parse(message.Timestamp)
  const isRecent = age <= AGE_MAX && age >= -AHEAD_MAX
  if (!isRecent) return yield* new InvalidSignature()
  const key = yield* sns.signingKey(message.SigningCertURL)
  return isSignedBy(key, message) ? message : yield* new InvalidSignature()
})

export const sesReports = ({
  topicArn,
  fetch = globalThis.fetch,
}: SesOptions): Layer.Layer<ProviderReports, TopicArnInvalid> =>
  Layer.effect(
    ProviderReports,
    Effect.gen(function* () {
      const sns = yield* makeSns(yield* originOf(topicArn), fetch)

      return ProviderReports.of({
        provider: "ses",
        headersFor: () => ({}),
        read: Effect.fn("SesReports.read")(function* (notice) {
          const message = yield* verified(sns, topicArn, notice)
          switch (message.Type) {
            case "Notification":
              return yield* readSesEvent(message.Message)
            case "SubscriptionConfirmation":
              yield* sns.confirm(topicArn, message.SubscribeURL)
              yield* Effect.logInfo(
                "Subscribed to the SNS topic of PROVIDER_REPORTS: SES reports from now on",
              )
              return []
            case "UnsubscribeConfirmation":
              yield* Effect.logWarning("The subscription to the SNS topic was ended: SES reports no more")
              return []
          }
        }),
      })
    }),
  )
