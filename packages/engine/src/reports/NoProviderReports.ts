/** `ProviderReports` where mail leaves through a relay that reports by mail alone, or through none. */
import { InvalidSignature } from "@mailroom/domain"
import { Layer } from "effect"
import { ProviderReports } from "../ports/ProviderReports.js"

/** Nobody proves to be a provider that there is not. */
export const layer: Layer.Layer<ProviderReports> = Layer.succeed(ProviderReports, {
  provider: null,
  headersFor: () => ({}),
  read: () => new InvalidSignature(),
})
