/**
 * Reports of Amazon SES, through an SNS topic and its HTTPS subscription. SNS signs what it posts with a key of which it
 * publishes the certificate; raw message delivery is not signed, and so not taken. AWS's own validator for Node heeds
 * neither topic nor age, and waits for ever: what it does besides is one call of node:crypto.
 */
import { HOUR, InvalidSignature, MINUTE } from "@mailroom/domain"
import { type ProviderNotice, ProviderReports } from "@mailroom/engine"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { readSesEvent } from "./sesEvents.js"
import { type Fetch, makeSns, type Sns } from "./sns.js"
import { isSignedBy, SnsMessage } from "./snsMessage.js"
import { originOf, type TopicArnInvalid } from "./topic.js"

export interface SesOptions {
  /** the topic that SES publishes to: messages of any other are refused */
  readonly topicArn: string
  /** how SNS is asked. Default: over HTTPS */
  readonly fetch?: Fetch
}

/** SNS tries for an hour at most (docs.aws.amazon.com/sns, Message delivery retries); the rest is for clocks. */
const AGE_MAX = HOUR + 5 * MINUTE
const AHEAD_MAX = 5 * MINUTE

const parse = Schema.decodeUnknownOption(Schema.parseJson(SnsMessage))

/** A message of the topic, once SNS has proved to be its author. What costs us a question comes last. */
const proved = Effect.fnUntraced(function* (sns: Sns, topicArn: string, { body }: ProviderNotice) {
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
          const message = yield* proved(sns, topicArn, notice)
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
