/** Delivery reports that mail providers post (docs/decisions/0029). */
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
      .annotate(OpenApi.Summary, "Receive reports of the mail provider in PROVIDER_REPORTS")
      .annotate(
        OpenApi.Description,
        "Needs no key: a signature or credentials of the provider authenticate each request.",
      ),
  )
  .annotate(BodyLimit, reportsBody)
  .annotate(IgnoresUnknown, true)
  .annotate(OpenApi.Title, "Reports")
  // Only for the provider; for others the path does not exist.
  .annotate(OpenApi.Exclude, true) {}
