/** The suppression list (docs/specification/messages.md, Suppressed addresses). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  EmailAddress,
  MailboxId,
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
import { DomainsAccess, Needs } from "../security.js"

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
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "SuppressionsPage", description: "Suppressed addresses" })

export const CreateSuppressionBody = Schema.Struct({
  email: described(EmailAddress, "the address to suppress"),
  mailboxId: Schema.optional(MailboxId).annotations({
    description: "the mailbox that must not send to the address; without it, no mailbox of the account may",
  }),
  reason: Schema.optional(Schema.Literal("MANUAL")).annotations({
    description: "MANUAL, which is the default: only reports set the other reasons",
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
      .annotate(Needs, ["read", "manage"])
      .annotate(OpenApi.Summary, "List suppressed addresses, newest first")
      .annotate(
        OpenApi.Description,
        "Permanent bounces, complaints, and recipients who unsubscribe suppress an address automatically. A send to a suppressed address is refused, and the error names it. An entry with `mailboxId` holds for that mailbox only.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/suppressions")
      .setPayload(CreateSuppressionBody)
      .addSuccess(Schema.Struct({ suppression: described(Suppression, "the entry") }), { status: 201 })
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Suppress an address; an existing entry does not change")
      .annotate(
        OpenApi.Description,
        "Sends to the address answer 400 from now on: those of all mailboxes, or those of the mailbox that `mailboxId` names. For an address that is already suppressed, the response has its earlier `reason` and time.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/suppressions/${suppressionId}`
      .addSuccess(Deleted)
      .middleware(DomainsAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Remove an address from the list")
      .annotate(
        OpenApi.Description,
        "The address can be written to again. The next permanent bounce or complaint suppresses it again.",
      ),
  )
  .annotate(OpenApi.Title, "Suppressions")
  .annotate(OpenApi.Description, "Addresses that must not be written to.") {}
