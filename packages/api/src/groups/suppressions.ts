/** The suppression list (spec, Send rules 3; decisions §2, §4). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  EmailAddress,
  Suppression,
  SUPPRESSIONS_PAGE_DEFAULT,
  SUPPRESSIONS_PAGE_MAX,
  withoutNul,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { suppressionId } from "../paths.js"
import { query, saying } from "../query.js"
import { DomainsAccess } from "../security.js"

export const SuppressionsQuery = query({
  email: Schema.optional(
    Schema.String.pipe(Schema.maxLength(320), withoutNul).annotations({
      description: "only this address",
      ...saying("must have at most 320 characters, and no NUL"),
    }),
  ),
  limit: pageLimit(SUPPRESSIONS_PAGE_MAX, SUPPRESSIONS_PAGE_DEFAULT),
  cursor,
})

export const SuppressionsPage = Schema.Struct({
  suppressions: described(Schema.Array(Suppression), "the entries of the page"),
  metadata: described(PageMetadata, "of the page"),
}).annotations({ identifier: "SuppressionsPage", description: "Suppressed addresses" })

export const CreateSuppressionBody = Schema.Struct({
  email: described(EmailAddress, "the address to suppress"),
  reason: Schema.optional(Schema.Literal("MANUAL")).annotations({
    description: "MANUAL, also when left out: the other reasons are for reports alone",
  }),
}).annotations({
  identifier: "CreateSuppressionBody",
  description: "The address to suppress",
})

export class SuppressionsGroup extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.get("list", "/v1/suppressions")
      .setUrlParams(SuppressionsQuery)
      .addSuccess(SuppressionsPage)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Addresses that are not written to, newest first")
      .annotate(
        OpenApi.Description,
        "Permanent bounces and complaints put an address here by themselves; a send to one is refused and names it.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/suppressions")
      .setPayload(CreateSuppressionBody)
      .addSuccess(Schema.Struct({ suppression: described(Suppression, "the entry") }), { status: 201 })
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Suppress an address; one on the list already stays as it is")
      .annotate(
        OpenApi.Description,
        "Sends to it are refused with 400 from now on. The answer has the `reason` and time of an address that was there before.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/suppressions/${suppressionId}`
      .addSuccess(Deleted)
      .middleware(DomainsAccess)
      .annotate(OpenApi.Summary, "Take an address off the list, so that it can be written to again")
      .annotate(OpenApi.Description, "The next bounce or complaint puts it back."),
  )
  .annotate(OpenApi.Title, "Suppressions")
  .annotate(OpenApi.Description, "Addresses that are not written to.") {}
