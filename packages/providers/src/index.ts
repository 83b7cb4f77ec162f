/** `ProviderReports` of the configured provider (docs/operations.md, Reports from a provider). */
import type { ProviderReports } from "@mailroom/engine"
import type { Layer } from "effect"
import { type GenericOptions, genericReports } from "./generic/genericReports.js"
import { type PostmarkOptions, postmarkReports } from "./postmark/postmarkReports.js"
import { type SesOptions, sesReports } from "./ses/sesReports.js"
import type { TopicArnInvalid } from "./ses/sns.js"

/** The provider, and what authenticates its reports. */
export type ProviderOptions =
  | ({ readonly kind: "ses" } & SesOptions)
  | ({ readonly kind: "postmark" } & PostmarkOptions)
  | ({ readonly kind: "generic" } & GenericOptions)

export const providerReports = (options: ProviderOptions): Layer.Layer<ProviderReports, TopicArnInvalid> => {
  switch (options.kind) {
    case "ses":
      return sesReports(options)
    case "postmark":
      return postmarkReports(options)
    case "generic":
      return genericReports(options)
  }
}

export type { TopicArnInvalid }
