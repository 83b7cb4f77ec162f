/**
 * Reports of Postmark (postmarkapp.com/developer/webhooks). It signs nothing: its webhook brings the user and the
 * password that the operator put into the address of the webhook (RFC 7617).
 */
import { InvalidSignature } from "@mailroom/domain"
import { ProviderReports } from "@mailroom/engine"
import { Effect, Layer, Redacted } from "effect"
import { isSameText } from "../provenText.js"
import { metadataOf, readPostmark } from "./notices.js"

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
      const isProved = isSameText(credentialsIn(headers["authorization"] ?? ""), Redacted.value(credentials))
      return yield* isProved ? readPostmark(body) : new InvalidSignature()
    }),
  })
