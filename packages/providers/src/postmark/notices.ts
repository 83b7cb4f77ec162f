/** What Postmark's webhooks say, as far as it is about a delivery (postmarkapp.com/developer/webhooks). */
import type { InvalidInput, MailReport, RecipientReport } from "@mailroom/domain"
import { Effect, Schema } from "effect"
import { optional, reading } from "../reading.js"
import { addressesOf, said } from "../reported.js"

/**
 * Where a mail's return path comes back: Postmark sends with one of its own, and returns what a mail's header
 * `X-PM-Metadata-return-path` said.
 */
const RETURN_PATH = "return-path"

/** The header that says it: the local part alone, for a value has 80 characters at most. */
export const metadataOf = (returnPath: string): Readonly<Record<string, string>> => ({
  [`X-PM-Metadata-${RETURN_PATH}`]: returnPath.replace(/@.*$/, ""),
})

const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Bounce = Schema.Struct({
  RecordType: Schema.Literal("Bounce", "SpamComplaint"),
  Type: Schema.String,
  Email: Schema.String,
  Details: optional(Schema.String),
  Description: optional(Schema.String),
  /** Postmark sends nothing to this address any more */
  Inactive: optional(Schema.Boolean),
  Metadata: optional(Metadata),
})

const Delivery = Schema.Struct({
  RecordType: Schema.Literal("Delivery"),
  Recipient: Schema.String,
  Details: optional(Schema.String),
  Metadata: optional(Metadata),
})

const told = new Set<unknown>([...Bounce.fields.RecordType.literals, ...Delivery.fields.RecordType.literals])

/** Of an opened mail, a clicked link, a mail that came in. */
const Other = Schema.Struct({ RecordType: Schema.optional(Schema.Unknown) }).pipe(
  Schema.filter(({ RecordType }) => !told.has(RecordType)),
)

const read = reading(Schema.Union(Bounce, Delivery, Other))

type Fate = Pick<RecipientReport, "outcome" | "permanent">

const bounced = (permanent: boolean | null): Fate => ({ outcome: "bounced", permanent })

/**
 * Postmark's types of a bounce (postmarkapp.com/developer/api/bounce-api, Bounce types). The others are no word on a
 * delivery: automatic answers, wishes to be on a list or not, tests.
 */
const FATES: ReadonlyMap<string, Fate> = new Map([
  ["HardBounce", bounced(true)],
  ["BadEmailAddress", bounced(true)],
  ["ManuallyDeactivated", bounced(true)],
  ["SoftBounce", bounced(false)],
  ["DnsError", bounced(false)],
  ["Blocked", bounced(false)],
  ["SpamNotification", bounced(false)],
  ["VirusNotification", bounced(false)],
  ["DMARCPolicy", bounced(false)],
  ["SMTPApiError", bounced(false)],
  ["Unconfirmed", bounced(false)],
  ["Unknown", bounced(null)],
  ["Transient", { outcome: "delayed", permanent: null }],
  ["SpamComplaint", { outcome: "complained", permanent: null }],
])

/** An address that Postmark gave up is bad for good, whatever it bounced with. */
const fateOf = ({ Type, Inactive }: typeof Bounce.Type): Fate | null => {
  const fate = FATES.get(Type) ?? null
  return fate?.outcome === "bounced" && Inactive === true ? bounced(true) : fate
}

const recipientOf = (notice: typeof Bounce.Type | typeof Delivery.Type): RecipientReport | null => {
  if (notice.RecordType === "Delivery")
    return {
      addresses: addressesOf(notice.Recipient),
      outcome: "delivered",
      permanent: null,
      ...said({ reply: notice.Details }),
    }
  const fate = fateOf(notice)
  return fate === null
    ? null
    : {
        addresses: addressesOf(notice.Email),
        ...fate,
        ...said({ reply: notice.Details || notice.Description }),
      }
}

/** Names of header fields have no case, and what writes or carries them changes it. */
const returnPathIn = (metadata: typeof Metadata.Type): string | null => {
  const [, value] = Object.entries(metadata).find(([key]) => key.toLowerCase() === RETURN_PATH) ?? []
  return typeof value === "string" && value !== "" ? value : null
}

/** Of a notice that Postmark sent. A mail without a return path in its metadata is none of ours. */
export const readPostmark = (body: string): Effect.Effect<ReadonlyArray<MailReport>, InvalidInput> =>
  Effect.map(read(body), (notice) => {
    if (!("Metadata" in notice)) return []
    const returnPath = returnPathIn(notice.Metadata ?? {})
    const recipient = recipientOf(notice)
    return returnPath === null || recipient === null ? [] : [{ returnPath, recipients: [recipient] }]
  })
