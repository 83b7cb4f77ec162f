/** `ProviderReports` for a relay that reports by mail alone, or for none. */
import { InvalidSignature } from "@mailroom/domain"
import { Layer } from "effect"
import { ProviderReports } from "../ports/ProviderReports.js"

export const layer: Layer.Layer<ProviderReports> = Layer.succeed(ProviderReports, {
  provider: null,
  headersFor: () => ({}),
  read: () => new InvalidSignature(),
})
