/**
 * Reads the delivery events of SES: events (`eventType`) and the older notifications (`notificationType`)
 * (docs.aws.amazon.com/ses, Contents of event data that SES publishes to SNS).
 */
import type { InvalidInput, MailReport, RecipientReport } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { addressesOf, diagnosticFields, jsonDecoder, optional } from "../shared.js"

/** `source` is our return path, `destination` the recipients. */
const Mail = Schema.Struct({ source: Schema.String, destination: Schema.Array(Schema.String) })

const Recipient = Schema.Struct({
  emailAddress: Schema.String,
  status: optional(Schema.String),
  diagnosticCode: optional(Schema.String),
})
type Recipient = typeof Recipient.Type

const Delivery = Schema.Struct({
  mail: Mail,
  delivery: Schema.Struct({ recipients: Schema.Array(Schema.String), smtpResponse: optional(Schema.String) }),
})

const Bounce = Schema.Struct({
  mail: Mail,
  bounce: Schema.Struct({
    bounceType: Schema.String,
    bounceSubType: optional(Schema.String),
    bouncedRecipients: Schema.Array(Recipient),
  }),
})

const Complaint = Schema.Struct({
  mail: Mail,
  complaint: Schema.Struct({
    complainedRecipients: Schema.Array(Recipient),
    complaintFeedbackType: optional(Schema.String),
  }),
})

const DeliveryDelay = Schema.Struct({
  mail: Mail,
  deliveryDelay: Schema.Struct({ delayedRecipients: Schema.Array(Recipient) }),
})

/** SES accepted the mail, found malware in it, and sends it to nobody. */
const Reject = Schema.Struct({
  mail: Mail,
  reject: Schema.Struct({ reason: optional(Schema.String) }),
})

const DELIVERY_EVENTS: ReadonlySet<unknown> = new Set([
  "Delivery",
  "Bounce",
  "Complaint",
  "DeliveryDelay",
  "Reject",
])

/** Events about sending or opening a mail, and messages about the topic. */
const Other = Schema.Struct({
  eventType: Schema.optional(Schema.Unknown),
  notificationType: Schema.optional(Schema.Unknown),
}).pipe(
  Schema.filter(({ eventType, notificationType }) => !DELIVERY_EVENTS.has(eventType ?? notificationType)),
)

const read = jsonDecoder(Schema.Union(Delivery, Bounce, Complaint, DeliveryDelay, Reject, Other))

/** Whether the address fails permanently. For other types, such as `Undetermined`, SES does not know. */
const PERMANENCE: ReadonlyMap<string, boolean> = new Map([
  ["Permanent", true],
  ["Transient", false],
])

/**
 * A transient bounce without status and diagnostic may be an automatic reply, which SES cannot tell apart: it says nothing
 * about the delivery (docs.aws.amazon.com/ses, Bounce types).
 */
const mayBeAutomaticReply = (
  { bounceType, bounceSubType }: typeof Bounce.Type.bounce,
  { status, diagnosticCode }: Recipient,
): boolean => bounceType === "Transient" && bounceSubType === "General" && !status && !diagnosticCode

type DeliveryResult = Pick<RecipientReport, "outcome" | "permanent">

/** A single recipient of the mail comes first: the bounce may name an address that the mail was forwarded to. */
const recipientReport =
  ({ destination }: typeof Mail.Type, result: DeliveryResult) =>
  ({ emailAddress, status, diagnosticCode }: Recipient): RecipientReport => ({
    addresses: addressesOf(destination.length === 1 ? destination[0] : null, emailAddress),
    ...result,
    ...diagnosticFields({ status, reply: diagnosticCode }),
  })

const recipientsOf = (event: Exclude<Event, typeof Other.Type>): ReadonlyArray<RecipientReport> => {
  const { mail } = event
  if ("delivery" in event) {
    const { recipients, smtpResponse } = event.delivery
    const report = recipientReport(mail, { outcome: "delivered", permanent: null })
    return recipients.map((emailAddress) => report({ emailAddress, diagnosticCode: smtpResponse }))
  }
  if ("bounce" in event) {
    const { bounce } = event
    const permanent = PERMANENCE.get(bounce.bounceType) ?? null
    return bounce.bouncedRecipients
      .filter((recipient) => !mayBeAutomaticReply(bounce, recipient))
      .map(recipientReport(mail, { outcome: "bounced", permanent }))
  }
  if ("complaint" in event) {
    const { complainedRecipients, complaintFeedbackType } = event.complaint
    // The opposite of a complaint (IANA's registry of feedback report types, RFC 5965 §7.3).
    if (complaintFeedbackType === "not-spam") return []
    return complainedRecipients.map(recipientReport(mail, { outcome: "complained", permanent: null }))
  }
  if ("reject" in event) {
    const report = recipientReport(mail, { outcome: "bounced", permanent: false })
    return mail.destination.map((emailAddress) =>
      report({ emailAddress, diagnosticCode: event.reject.reason }),
    )
  }
  return event.deliveryDelay.delayedRecipients.map(
    recipientReport(mail, { outcome: "delayed", permanent: null }),
  )
}

type Event = Effect.Effect.Success<ReturnType<typeof read>>

/** SES's first message to a topic is a sentence, no JSON. */
const isSentence = (message: string): boolean => !message.trimStart().startsWith("{")

export const readSesEvent = (message: string): Effect.Effect<ReadonlyArray<MailReport>, InvalidInput> =>
  isSentence(message)
    ? Effect.succeed([])
    : Effect.map(read(message), (event) => {
        const recipients = "mail" in event ? recipientsOf(event) : []
        return "mail" in event && recipients.length > 0 ? [{ returnPath: event.mail.source, recipients }] : []
      })
