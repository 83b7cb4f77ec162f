/** The audit trail (docs/specification/keys.md, Audit trail). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, AuditEntry, described } from "@mailroom/domain"
import { Schema } from "effect"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { query } from "../query.js"
import { AccountAccess, Needs } from "../security.js"

export const auditPaging = { limit: pageLimit(AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT), cursor }

export const AuditPage = Schema.Struct({
  entries: described(Schema.Array(AuditEntry), "the entries of the page"),
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "AuditPage", description: "Entries of the audit trail" })

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/v1/audit")
      .setUrlParams(query(auditPaging))
      .addSuccess(AuditPage)
      .middleware(AccountAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "List the audit trail, newest first, for 400 days")
      .annotate(
        OpenApi.Description,
        "Who changed keys, sign-ins, plan, mailboxes, webhooks, domains and suppressions of the account, and what the operator did to it. Also works while payment is required or the account is suspended.",
      ),
  )
  .annotate(OpenApi.Title, "Audit trail")
  .annotate(OpenApi.Description, "Who did what to the account.") {}
