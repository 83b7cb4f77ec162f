/** How a refusal says that paying would lift it (spec, Errors, Format). */
import { Schema } from "effect"

/** The string form of plan limits. */
export const UPGRADE_HINT = "POST /v1/billing/upgrade for a checkout URL"

/** The object form of payment and inbound gates. */
export const Upgrade = Schema.Struct({
  browserUrl: Schema.String,
  apiEndpoint: Schema.Struct({ method: Schema.Literal("POST"), path: Schema.Literal("/v1/billing/upgrade") }),
  hint: Schema.String,
}).annotations({ identifier: "Upgrade", description: "How to lift the limit that stands in the way" })
export type Upgrade = typeof Upgrade.Type

export const upgradeAt = (baseUrl: string): Upgrade => ({
  browserUrl: `${baseUrl}/dashboard/billing`,
  apiEndpoint: { method: "POST", path: "/v1/billing/upgrade" },
  hint: UPGRADE_HINT,
})
