/**
 * Reports of Postmark (postmarkapp.com/developer/webhooks). Postmark signs nothing: its requests carry the user and
 * password that the operator put into the URL of the webhook (RFC 7617).
 */
import { type InvalidInput, InvalidSignature, type MailReport, type RecipientReport } from "@mailroom/domain"
import { ProviderReports } from "@mailroom/engine"
import { Effect, Layer, Redacted, Schema } from "effect"
import { addressesOf, diagnosticFields, isSameText, jsonDecoder, optional } from "../shared.js"

/**
 * The metadata with our return path. Postmark sends with a return path of its own, and its reports return the value of the
 * mail's header `X-PM-Metadata-return-path`.
 */
const RETURN_PATH = "return-path"

/** The header with that metadata. Only the local part, because a value has at most 80 characters. */
const metadataOf = (returnPath: string): Readonly<Record<string, string>> => ({
  [`X-PM-Metadata-${RETURN_PATH}`]: returnPath.replace(/@.*$/, ""),
})

const Metadata = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Bounce = Schema.Struct({
  RecordType: Schema.Literal("Bounce", "SpamComplaint"),
  Type: Schema.String,
  Email: Schema.String,
  Details: optional(Schema.String),
  Description: optional(Schema.String),
  /** Postmark has deactivated the address */
  Inactive: optional(Schema.Boolean),
  Metadata: optional(Metadata),
})

const Delivery = Schema.Struct({
  RecordType: Schema.Literal("Delivery"),
  Recipient: Schema.String,
  Details: optional(Schema.String),
  Metadata: optional(Metadata),
})

const deliveryTypes = new Set<unknown>([
  ...Bounce.fields.RecordType.literals,
  ...Delivery.fields.RecordType.literals,
])

/** Notices of an opened mail, a clicked link, or an inbound mail. */
const Other = Schema.Struct({ RecordType: Schema.optional(Schema.Unknown) }).pipe(
  Schema.filter(({ RecordType }) => !deliveryTypes.has(RecordType)),
)

const read = jsonDecoder(Schema.Union(Bounce, Delivery, Other))

type DeliveryResult = Pick<RecipientReport, "outcome" | "permanent">

const bounced = (permanent: boolean | null): DeliveryResult => ({ outcome: "bounced", permanent })

/**
 * By Postmark's bounce type (postmarkapp.com/developer/api/bounce-api, Bounce types). The other types are not about a
 * delivery: automatic replies, subscriptions, tests.
 */
const RESULTS: ReadonlyMap<string, DeliveryResult> = new Map([
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

/** A bounce that deactivated the address is permanent, whatever its type. */
const resultOf = ({ Type, Inactive }: typeof Bounce.Type): DeliveryResult | null => {
  const result = RESULTS.get(Type) ?? null
  return result?.outcome === "bounced" && Inactive === true ? bounced(true) : result
}

const recipientOf = (notice: typeof Bounce.Type | typeof Delivery.Type): RecipientReport | null => {
  if (notice.RecordType === "Delivery")
    return {
      addresses: addressesOf(notice.Recipient),
      outcome: "delivered",
      permanent: null,
      ...diagnosticFields({ reply: notice.Details }),
    }
  const result = resultOf(notice)
  return result === null
    ? null
    : {
        addresses: addressesOf(notice.Email),
        ...result,
        ...diagnosticFields({ reply: notice.Details || notice.Description }),
      }
}

/** Compares without case, because header field names lose theirs on the way. */
const returnPathIn = (metadata: typeof Metadata.Type): string | null => {
  const [, value] = Object.entries(metadata).find(([key]) => key.toLowerCase() === RETURN_PATH) ?? []
  return typeof value === "string" && value !== "" ? value : null
}

/** A mail without a return path in its metadata is not ours. */
const readPostmark = (body: string): Effect.Effect<ReadonlyArray<MailReport>, InvalidInput> =>
  Effect.map(read(body), (notice) => {
    if (!("Metadata" in notice)) return []
    const returnPath = returnPathIn(notice.Metadata ?? {})
    const recipient = recipientOf(notice)
    return returnPath === null || recipient === null ? [] : [{ returnPath, recipients: [recipient] }]
  })

export interface PostmarkOptions {
  /** `{user}:{password}` */
  readonly credentials: Redacted.Redacted
}

const credentialsIn = (authorization: string): string => {
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? []
  return Buffer.from(encoded, "base64").toString("utf8")
}

export const postmarkReports = ({ credentials }: PostmarkOptions): Layer.Layer<ProviderReports> =>
  Layer.succeed(ProviderReports, {
    provider: "postmark",
    headersFor: metadataOf,
    read: Effect.fn("PostmarkReports.read")(function* ({ headers, body }) {
      const isAuthentic = isSameText(
        credentialsIn(headers["authorization"] ?? ""),
        Redacted.value(credentials),
      )
      return yield* isAuthentic ? readPostmark(body) : new InvalidSignature()
    }),
  })
