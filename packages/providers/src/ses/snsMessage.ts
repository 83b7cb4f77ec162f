/** Messages of SNS to an HTTPS subscriber (docs.aws.amazon.com/sns, Parsing message formats; Verifying signatures). */
import { Schema } from "effect"
import { type KeyObject, verify } from "node:crypto"
import { optional } from "../shared.js"

const Signed = {
  MessageId: Schema.String,
  TopicArn: Schema.String,
  Message: Schema.String,
  /** when it was published; retries keep it */
  Timestamp: Schema.String,
  SignatureVersion: Schema.Literal("1", "2"),
  Signature: Schema.String,
  SigningCertURL: Schema.String,
}

const Notification = Schema.Struct({
  ...Signed,
  Type: Schema.Literal("Notification"),
  Subject: optional(Schema.String),
})

/** About the subscription: it waits for our confirmation, or it was ended. */
const Confirmation = Schema.Struct({
  ...Signed,
  Type: Schema.Literal("SubscriptionConfirmation", "UnsubscribeConfirmation"),
  Token: Schema.String,
  SubscribeURL: Schema.String,
})

export const SnsMessage = Schema.Union(Notification, Confirmation)
export type SnsMessage = typeof SnsMessage.Type

/** The signed text: the fields sorted by name, each name and each value on a line of its own. */
const signedText = (message: SnsMessage): string => {
  const { Message, MessageId, Timestamp, TopicArn, Type } = message
  const fields =
    message.Type === "Notification"
      ? { Message, MessageId, Subject: message.Subject ?? null, Timestamp, TopicArn, Type }
      : {
          Message,
          MessageId,
          SubscribeURL: message.SubscribeURL,
          Timestamp,
          Token: message.Token,
          TopicArn,
          Type,
        }
  return Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join("")
}

const HASHES = { "1": "sha1", "2": "sha256" } as const

export const isSignedBy = (key: KeyObject, message: SnsMessage): boolean =>
  verify(
    HASHES[message.SignatureVersion],
    Buffer.from(signedText(message)),
    key,
    Buffer.from(message.Signature, "base64"),
  )
