/**
 * The operator's routes (docs/specification/service.md). They are not in the OpenAPI document, which is for users, and
 * where no ADMIN_TOKEN is set these paths do not exist.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  atMostCharacters,
  Account,
  AccountId,
  ADDRESS_MAX_LENGTH,
  ADMIN_PAGE_DEFAULT,
  ADMIN_PAGE_MAX,
  Complaint,
  DnsRecord,
  Examination,
  Invitation,
  INVITATION_DAYS_MAX,
  LoggedErrors,
  Mailbox,
  oneLine,
  PlanInput,
  Stats,
  StoppedMailbox,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { accountId, invitationId, mailboxId } from "../paths.js"
import { query, saying } from "../query.js"
import { AdminAccess } from "../security.js"
import { AuditPage, auditPaging } from "./audit.js"

const page = { limit: pageLimit(ADMIN_PAGE_MAX, ADMIN_PAGE_DEFAULT), cursor }

const Reason = Schema.String.pipe(Schema.minLength(1), atMostCharacters(500), oneLine)

const OneAccount = Schema.Struct({ account: Account })
const OneMailbox = Schema.Struct({ mailbox: Mailbox })

export const AccountsPage = Schema.Struct({ accounts: Schema.Array(Account), metadata: PageMetadata })
export const ComplaintsPage = Schema.Struct({ complaints: Schema.Array(Complaint), metadata: PageMetadata })
export const StoppedMailboxesPage = Schema.Struct({
  mailboxes: Schema.Array(StoppedMailbox),
  metadata: PageMetadata,
})
export const DkimRecords = Schema.Struct({ dnsRecords: Schema.Struct({ dkim: Schema.Array(DnsRecord) }) })
const InvitationDays = Schema.Int.pipe(Schema.between(1, INVITATION_DAYS_MAX))
/** Only this response shows the token. */
export const NewInvitation = Schema.Struct({ invitation: Invitation, token: Schema.String })
export const InvitationsBody = Schema.Struct({ invitations: Schema.Array(Invitation) })
export const ExaminationBody = Schema.Struct({ examination: Examination })
export const LoggedErrorsBody = Schema.Struct({ errors: LoggedErrors })
export const StatsBody = Schema.Struct({ stats: Stats })

export class AdminGroup extends HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("accounts", "/admin/v1/accounts")
      .setUrlParams(
        query({
          q: Schema.optional(Schema.Trim.pipe(Schema.maxLength(ADDRESS_MAX_LENGTH), oneLine)).annotations({
            description: "beginning of an email or a slug, or an id",
          }),
          ...page,
        }),
      )
      .addSuccess(AccountsPage)
      .annotate(OpenApi.Summary, "Accounts, newest first"),
  )
  .add(
    HttpApiEndpoint.post("suspendAccount")`/admin/v1/accounts/${accountId}/suspend`
      .setPayload(Schema.Struct({ reason: Reason }))
      .addSuccess(OneAccount)
      .annotate(OpenApi.Summary, "Suspend an account; its owner can read the reason"),
  )
  .add(
    HttpApiEndpoint.post("unsuspendAccount")`/admin/v1/accounts/${accountId}/unsuspend`
      .addSuccess(OneAccount)
      .annotate(OpenApi.Summary, "End the suspension of an account"),
  )
  .add(
    HttpApiEndpoint.post("setPlan")`/admin/v1/accounts/${accountId}/plan`
      .setPayload(Schema.Struct({ plan: PlanInput }))
      .addSuccess(OneAccount)
      .annotate(OpenApi.Summary, "Put an account on a plan, without payment; its subscription is cancelled"),
  )
  .add(
    HttpApiEndpoint.post("suspendMailbox")`/admin/v1/mailboxes/${mailboxId}/suspend`
      .setPayload(Schema.NullOr(Schema.Struct({ reason: Schema.optional(Schema.NullOr(Reason)) })))
      .addSuccess(OneMailbox)
      .annotate(OpenApi.Summary, "Suspend a mailbox; its owner cannot start it"),
  )
  .add(
    HttpApiEndpoint.post("unsuspendMailbox")`/admin/v1/mailboxes/${mailboxId}/unsuspend`
      .addSuccess(OneMailbox)
      .annotate(OpenApi.Summary, "End the suspension of a mailbox"),
  )
  .add(
    HttpApiEndpoint.post("resumeSending")`/admin/v1/mailboxes/${mailboxId}/resume-sending`
      .addSuccess(OneMailbox)
      .annotate(OpenApi.Summary, "Let a mailbox send again whose sending was stopped"),
  )
  .add(
    HttpApiEndpoint.post("createInvitation", "/admin/v1/invitations")
      .setPayload(Schema.NullOr(Schema.Struct({ days: Schema.optional(InvitationDays) })))
      .addSuccess(NewInvitation, { status: 201 })
      .annotate(OpenApi.Summary, "Create an invitation for one account; only this response shows its token"),
  )
  .add(
    HttpApiEndpoint.get("invitations", "/admin/v1/invitations")
      .addSuccess(InvitationsBody)
      .annotate(OpenApi.Summary, "The newest 100 invitations, newest first"),
  )
  .add(
    HttpApiEndpoint.del("revokeInvitation")`/admin/v1/invitations/${invitationId}`
      .addSuccess(Deleted)
      .annotate(OpenApi.Summary, "Revoke an invitation"),
  )
  .add(
    HttpApiEndpoint.get("audit", "/admin/v1/audit")
      .setUrlParams(
        query({
          accountId: Schema.optional(AccountId).annotations({
            description: "the trail of this account; without it, that of the operator",
            ...saying("must be the id of an account"),
          }),
          ...auditPaging,
        }),
      )
      .addSuccess(AuditPage)
      .annotate(OpenApi.Summary, "An audit trail, newest first"),
  )
  .add(
    HttpApiEndpoint.get("complaints", "/admin/v1/complaints")
      .setUrlParams(query(page))
      .addSuccess(ComplaintsPage)
      .annotate(OpenApi.Summary, "Complaints about mail of any account, newest first"),
  )
  .add(
    HttpApiEndpoint.get("stoppedMailboxes", "/admin/v1/stopped-mailboxes")
      .setUrlParams(query(page))
      .addSuccess(StoppedMailboxesPage)
      .annotate(OpenApi.Summary, "Mailboxes of any account whose sending is stopped, the newest stop first"),
  )
  .add(
    HttpApiEndpoint.get("stats", "/admin/v1/stats")
      .addSuccess(StatsBody)
      .annotate(OpenApi.Summary, "Statistics of the whole service, each counted up to `countedTo`"),
  )
  .add(
    HttpApiEndpoint.post("doctor", "/admin/v1/doctor")
      .addSuccess(ExaminationBody)
      .annotate(
        OpenApi.Summary,
        "Compare stored counts with their rows for 10 s at most, and correct wrong ones",
      ),
  )
  .add(
    HttpApiEndpoint.get("errors", "/admin/v1/errors")
      .addSuccess(LoggedErrorsBody)
      .annotate(
        OpenApi.Summary,
        "The newest 200 warnings and errors in the log of this process, newest first",
      ),
  )
  .add(
    HttpApiEndpoint.get("dkim", "/admin/v1/dkim")
      .addSuccess(DkimRecords)
      .annotate(
        OpenApi.Summary,
        "The DKIM records of the platform domain: the signing key, then the next key",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateDkim", "/admin/v1/dkim/rotate")
      .addSuccess(DkimRecords)
      .annotate(
        OpenApi.Summary,
        "Create the next DKIM key of the platform domain; it signs once its record is found",
      ),
  )
  .middleware(AdminAccess)
  .annotate(OpenApi.Title, "Admin")
  .annotate(OpenApi.Exclude, true) {}
