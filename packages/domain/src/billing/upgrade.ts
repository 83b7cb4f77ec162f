/** The `upgrade` field of errors that a payment would lift (docs/specification/errors.md). */
import { Schema } from "effect"
import { described } from "../described.js"
import type { BillingMode } from "../accounts/state.js"

/** The text form, for plan limits. */
export const UPGRADE_HINT = "POST /v1/billing/upgrade for a checkout URL"

/** The hint where nothing is sold. Stubs carry it because they always have `upgrade` (spec: events.rule-1). */
export const OPERATOR_HINT = "Ask the operator of this service for a larger plan"

/** The object form, for payment errors and inbound limits. */
export const Upgrade = Schema.Struct({
  browserUrl: described(Schema.String, "the page where the owner upgrades"),
  apiEndpoint: described(
    Schema.Struct({
      method: described(Schema.Literal("POST"), "HTTP method"),
      path: described(Schema.Literal("/v1/billing/upgrade"), "path of the route"),
    }),
    "the route that returns a checkout link",
  ),
  hint: described(Schema.String, "what to do, on one line"),
}).annotations({ identifier: "Upgrade", description: "How to lift the limit" })
export type Upgrade = typeof Upgrade.Type

export const upgradeAt = (baseUrl: string, billing: BillingMode): Upgrade => ({
  browserUrl: `${baseUrl}/dashboard/billing`,
  apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
  hint: billing === "none" ? OPERATOR_HINT : UPGRADE_HINT,
})

/** The object form where it is optional: null where nothing is sold. */
export const upgradeIfSold = (baseUrl: string, billing: BillingMode): Upgrade | null =>
  billing === "none" ? null : upgradeAt(baseUrl, billing)
