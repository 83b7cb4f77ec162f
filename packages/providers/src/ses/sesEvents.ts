/**
 * What SES publishes, as events (`eventType`) and as the older notifications (`notificationType`), as far as it is about
 * a delivery (docs.aws.amazon.com/ses, Contents of event data that SES publishes to SNS).
 */
import type { InvalidInput, MailReport, RecipientReport } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { optional, reading } from "../reading.js"
import { addressesOf, said } from "../reported.js"

/** `source` is the return path that we sent with, `destination` whom we sent to. */
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

const TOLD: ReadonlySet<unknown> = new Set(["Delivery", "Bounce", "Complaint", "DeliveryDelay"])

/** Of a mail that was sent or opened, of a topic that was set up. */
const Other = Schema.Struct({
  eventType: Schema.optional(Schema.Unknown),
  notificationType: Schema.optional(Schema.Unknown),
}).pipe(Schema.filter(({ eventType, notificationType }) => !TOLD.has(eventType ?? notificationType)))

const read = reading(Schema.Union(Delivery, Bounce, Complaint, DeliveryDelay, Other))

/** Whether the address is bad for good. Of other types, `Undetermined` among them, SES does not know. */
const PERMANENCE: ReadonlyMap<string, boolean> = new Map([
  ["Permanent", true],
  ["Transient", false],
])

/**
 * SES takes an automatic answer for a transient bounce too, and cannot tell it from one that came without a report of
 * its server: so that is no word on the delivery (docs.aws.amazon.com/ses, Bounce types).
 */
const isPerhapsAnswer = (
  { bounceType, bounceSubType }: typeof Bounce.Type.bounce,
  { status, diagnosticCode }: Recipient,
): boolean => bounceType === "Transient" && bounceSubType === "General" && !status && !diagnosticCode

type Fate = Pick<RecipientReport, "outcome" | "permanent">

/** The one address that the mail went to comes first: a bounce may name what it was forwarded to. */
const recipientReport =
  ({ destination }: typeof Mail.Type, fate: Fate) =>
  ({ emailAddress, status, diagnosticCode }: Recipient): RecipientReport => ({
    addresses: addressesOf(destination.length === 1 ? destination[0] : null, emailAddress),
    ...fate,
    ...said({ status, reply: diagnosticCode }),
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
      .filter((recipient) => !isPerhapsAnswer(bounce, recipient))
      .map(recipientReport(mail, { outcome: "bounced", permanent }))
  }
  if ("complaint" in event) {
    const { complainedRecipients, complaintFeedbackType } = event.complaint
    // Takes back what was said by mistake (RFC 5965 §3.5 leaves the types open; this one is in IANA's list).
    if (complaintFeedbackType === "not-spam") return []
    return complainedRecipients.map(recipientReport(mail, { outcome: "complained", permanent: null }))
  }
  return event.deliveryDelay.delayedRecipients.map(
    recipientReport(mail, { outcome: "delayed", permanent: null }),
  )
}

type Event = Effect.Effect.Success<ReturnType<typeof read>>

/** What SES says to a topic that it begins to publish to is a sentence. */
const isSentence = (message: string): boolean => !message.trimStart().startsWith("{")

/** Of a message that SNS signed. */
export const readSesEvent = (message: string): Effect.Effect<ReadonlyArray<MailReport>, InvalidInput> =>
  isSentence(message)
    ? Effect.succeed([])
    : Effect.map(read(message), (event) => {
        const recipients = "mail" in event ? recipientsOf(event) : []
        return "mail" in event && recipients.length > 0 ? [{ returnPath: event.mail.source, recipients }] : []
      })
