/** What SNS posts to an HTTPS subscriber (docs.aws.amazon.com/sns, Parsing message formats; Verifying signatures). */
import { Schema } from "effect"
import { type KeyObject, verify } from "node:crypto"
import { optional } from "../reading.js"

const Signed = {
  MessageId: Schema.String,
  TopicArn: Schema.String,
  Message: Schema.String,
  /** when it was published, which its retries do not change */
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

/** About the subscription itself: somebody made it, and it waits for our word; somebody ended it. */
const Confirmation = Schema.Struct({
  ...Signed,
  Type: Schema.Literal("SubscriptionConfirmation", "UnsubscribeConfirmation"),
  Token: Schema.String,
  SubscribeURL: Schema.String,
})

export const SnsMessage = Schema.Union(Notification, Confirmation)
export type SnsMessage = typeof SnsMessage.Type

/** What is signed: these fields by name, each on a line of its own and its value on the next. */
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

/** Whether the owner of the key signed it. */
export const isSignedBy = (key: KeyObject, message: SnsMessage): boolean =>
  verify(
    HASHES[message.SignatureVersion],
    Buffer.from(signedText(message)),
    key,
    Buffer.from(message.Signature, "base64"),
  )
