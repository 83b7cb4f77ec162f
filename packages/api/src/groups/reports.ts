/** What mail providers report of the mail that left through them (decisions §6). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { BodyLimit, reportsBody } from "../bodyLimit.js"
import { IgnoresUnknown } from "../requestInput.js"

const provider = HttpApiSchema.param("provider", Schema.String)

export class ReportsGroup extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("take")`/v1/reports/${provider}`
      .setPayload(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
      .addSuccess(Schema.Struct({ received: Schema.Literal(true) }))
      .annotate(OpenApi.Summary, "Where a mail provider reports; only the one of PROVIDER_REPORTS")
      .annotate(
        OpenApi.Description,
        "Needs no key: each request proves itself, by a signature or by credentials of its provider.",
      ),
  )
  .annotate(BodyLimit, reportsBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Reports")
  // Nobody's but the provider's, and an unknown path elsewhere.
  .annotate(OpenApi.Exclude, true) {}
