/** Parses PROVIDER_REPORTS: the provider that reports, and its credentials (docs/operations.md, Reports from a provider). */
import type { ReportChoice } from "@mailroom/node"
import { Option, Redacted } from "effect"

/** User and password as they stand in the address of a webhook. Anybody may guess there, so the password is long. */
const CREDENTIALS = /^[!-9;-~]+:[!-~]{16,}$/

const SECRET = /^whsec_([A-Za-z0-9+/]+=*)$/

/** Bytes of a secret (standardwebhooks.com, Signature scheme). */
const SECRET_MIN_BYTES = 24
const SECRET_MAX_BYTES = 64

const isWebhookSecret = (text: string): boolean => {
  const bytes = Buffer.from(SECRET.exec(text)?.[1] ?? "", "base64").length
  return bytes >= SECRET_MIN_BYTES && bytes <= SECRET_MAX_BYTES
}

export const REPORTS_ACCEPTED =
  "none, ses:{ARN of the SNS topic}, postmark:{user}:{password of at least 16 characters} or generic:whsec_{base64 of 24 to 64 bytes}"

export const reportChoice = (text: string): Option.Option<ReportChoice> => {
  if (text === "none") return Option.some({ kind: "none" })
  const [, kind, rest = ""] = /^(ses|postmark|generic):(.+)$/.exec(text) ?? []
  switch (kind) {
    case "ses":
      return Option.some({ kind, topicArn: rest })
    case "postmark":
      return CREDENTIALS.test(rest) ? Option.some({ kind, credentials: Redacted.make(rest) }) : Option.none()
    case "generic":
      return isWebhookSecret(rest) ? Option.some({ kind, secret: Redacted.make(rest) }) : Option.none()
    default:
      return Option.none()
  }
}
