/** How a refusal says that paying would lift it (spec, Errors, Format). */
import { Schema } from "effect"
import type { BillingMode } from "../accounts/state.js"

/** The string form of plan limits. */
export const UPGRADE_HINT = "POST /v1/billing/upgrade for a checkout URL"

/** The hint where nothing is sold. Gated stubs carry it: they always have `upgrade` (spec, Events, rule 1). */
export const OPERATOR_HINT = "Ask the operator of this service for a larger plan"

/** The object form of payment and inbound gates. */
export const Upgrade = Schema.Struct({
  browserUrl: Schema.String,
  apiEndpoint: Schema.Struct({ method: Schema.Literal("POST"), path: Schema.Literal("/v1/billing/upgrade") }),
  hint: Schema.String,
}).annotations({ identifier: "Upgrade", description: "How to lift the limit that stands in the way" })
export type Upgrade = typeof Upgrade.Type

export const upgradeAt = (baseUrl: string, billing: BillingMode): Upgrade => ({
  browserUrl: `${baseUrl}/dashboard/billing`,
  apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
  hint: billing === "none" ? OPERATOR_HINT : UPGRADE_HINT,
})

/** The same for an answer that can do without: null where nothing is sold. */
export const upgradeIfSold = (baseUrl: string, billing: BillingMode): Upgrade | null =>
  billing === "none" ? null : upgradeAt(baseUrl, billing)
