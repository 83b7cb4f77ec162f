/**
 * Reports in our own format, for any other relay: its operator posts what its log says (docs/operations.md). Signed by
 * Standard Webhooks (standardwebhooks.com).
 */
import { InvalidSignature, MINUTE, type MailReport, type Outcome } from "@mailroom/domain"
import { type ProviderNotice, ProviderReports } from "@mailroom/engine"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { createHmac } from "node:crypto"
import { addressesOf, diagnosticFields, isSameText, jsonDecoder, optional } from "../shared.js"

export interface GenericOptions {
  /** `whsec_` and the key in base64 */
  readonly secret: Redacted.Redacted
}

/** Difference between the timestamp of a signature and our clock. */
const TIMESTAMP_TOLERANCE = 5 * MINUTE

/** Reports of one request. */
const REPORTS_MAX_COUNT = 1000

/** Up to the longest local part and domain (RFC 5321 §4.5.3.1). */
const Address = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(320))

const OUTCOMES: ReadonlyArray<Outcome> = ["delivered", "delayed", "bounced", "complained"]

const Report = Schema.Struct({
  returnPath: Address,
  recipient: optional(Address),
  outcome: Schema.Literal(...OUTCOMES),
  status: optional(Schema.String.pipe(Schema.pattern(/^[245]\.\d{1,3}\.\d{1,3}$/))),
  diagnostic: optional(Schema.String),
  permanent: optional(Schema.Boolean),
})

const read = jsonDecoder(
  Schema.Struct({ reports: Schema.Array(Report).pipe(Schema.maxItems(REPORTS_MAX_COUNT)) }),
)

const mailReport = (report: typeof Report.Type): MailReport => ({
  returnPath: report.returnPath,
  recipients: [
    {
      addresses: addressesOf(report.recipient),
      outcome: report.outcome,
      ...diagnosticFields({ status: report.status, reply: report.diagnostic }),
      permanent: report.outcome === "bounced" ? (report.permanent ?? null) : null,
    },
  ],
})

const keyOf = (secret: Redacted.Redacted): Buffer =>
  Buffer.from(Redacted.value(secret).replace(/^whsec_/, ""), "base64")

const signatureUnder =
  (key: Buffer) =>
  ({ headers, body }: ProviderNotice): string =>
    createHmac("sha256", key)
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
      .digest("base64")

const isRecent = ({ headers }: ProviderNotice, now: number): boolean => {
  const seconds = headers["webhook-timestamp"] ?? ""
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= TIMESTAMP_TOLERANCE
}

/** The header is a list: during a rotation of the secret, the sender signs with both. */
const hasSignature = ({ headers }: ProviderNotice, signature: string): boolean =>
  headers["webhook-id"] !== undefined &&
  (headers["webhook-signature"] ?? "").split(" ").some((one) => isSameText(one, `v1,${signature}`))

export const genericReports = ({ secret }: GenericOptions): Layer.Layer<ProviderReports> =>
  Layer.sync(ProviderReports, () => {
    const sign = signatureUnder(keyOf(secret))
    return {
      provider: "generic",
      headersFor: () => ({}),
      read: Effect.fn("GenericReports.read")(function* (notice) {
        const now = yield* Clock.currentTimeMillis
        if (!isRecent(notice, now) || !hasSignature(notice, sign(notice)))
          return yield* new InvalidSignature()
        return (yield* read(notice.body)).reports.map(mailReport)
      }),
    }
  })
