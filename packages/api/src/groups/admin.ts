/**
 * The operator's routes (decisions §4, Admin). Not in the OpenAPI document: that one is for the service's users, and
 * where no ADMIN_TOKEN is set these paths do not exist.
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  Account,
  ADMIN_PAGE_DEFAULT,
  ADMIN_PAGE_MAX,
  Complaint,
  DnsRecord,
  Invitation,
  INVITATION_DAYS_MAX,
  Mailbox,
  oneLine,
  PlanInput,
  Stats,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { accountId, invitationId, mailboxId } from "../paths.js"
import { query } from "../query.js"
import { AdminAccess } from "../security.js"

const page = { limit: pageLimit(ADMIN_PAGE_MAX, ADMIN_PAGE_DEFAULT), cursor }

const Reason = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(500), oneLine)

const OneAccount = Schema.Struct({ account: Account })
const OneMailbox = Schema.Struct({ mailbox: Mailbox })

export const AccountsPage = Schema.Struct({ accounts: Schema.Array(Account), metadata: PageMetadata })
export const ComplaintsPage = Schema.Struct({ complaints: Schema.Array(Complaint), metadata: PageMetadata })
export const DkimRecords = Schema.Struct({ dnsRecords: Schema.Struct({ dkim: Schema.Array(DnsRecord) }) })
const InvitationDays = Schema.Int.pipe(Schema.between(1, INVITATION_DAYS_MAX))
/** The token is shown once. */
export const NewInvitation = Schema.Struct({ invitation: Invitation, token: Schema.String })
export const InvitationsBody = Schema.Struct({ invitations: Schema.Array(Invitation) })
export const StatsBody = Schema.Struct({ stats: Stats })

export class AdminGroup extends HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.get("accounts", "/admin/v1/accounts")
      .setUrlParams(
        query({
          q: Schema.optional(Schema.Trim.pipe(Schema.maxLength(254), oneLine)).annotations({
            description: "the start of an email or a slug, or an id",
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
      .annotate(OpenApi.Summary, "Stop an account; its owner reads the reason"),
  )
  .add(
    HttpApiEndpoint.post("unsuspendAccount")`/admin/v1/accounts/${accountId}/unsuspend`
      .addSuccess(OneAccount)
      .annotate(OpenApi.Summary, "Let a suspended account go on"),
  )
  .add(
    HttpApiEndpoint.post("setPlan")`/admin/v1/accounts/${accountId}/plan`
      .setPayload(Schema.Struct({ plan: PlanInput }))
      .addSuccess(OneAccount)
      .annotate(OpenApi.Summary, "Put an account on a plan, without payment"),
  )
  .add(
    HttpApiEndpoint.post("suspendMailbox")`/admin/v1/mailboxes/${mailboxId}/suspend`
      .setPayload(Schema.NullOr(Schema.Struct({ reason: Schema.optional(Schema.NullOr(Reason)) })))
      .addSuccess(OneMailbox)
      .annotate(OpenApi.Summary, "Stop a mailbox; its owner cannot start it again"),
  )
  .add(
    HttpApiEndpoint.post("unsuspendMailbox")`/admin/v1/mailboxes/${mailboxId}/unsuspend`
      .addSuccess(OneMailbox)
      .annotate(OpenApi.Summary, "Let a suspended mailbox go on"),
  )
  .add(
    HttpApiEndpoint.post("createInvitation", "/admin/v1/invitations")
      .setPayload(Schema.NullOr(Schema.Struct({ days: Schema.optional(InvitationDays) })))
      .addSuccess(NewInvitation, { status: 201 })
      .annotate(OpenApi.Summary, "Invite somebody to open one account; the token is shown once"),
  )
  .add(
    HttpApiEndpoint.get("invitations", "/admin/v1/invitations")
      .addSuccess(InvitationsBody)
      .annotate(OpenApi.Summary, "The newest 100 invitations, newest first"),
  )
  .add(
    HttpApiEndpoint.del("revokeInvitation")`/admin/v1/invitations/${invitationId}`
      .addSuccess(Deleted)
      .annotate(OpenApi.Summary, "Take an invitation back"),
  )
  .add(
    HttpApiEndpoint.get("complaints", "/admin/v1/complaints")
      .setUrlParams(query(page))
      .addSuccess(ComplaintsPage)
      .annotate(OpenApi.Summary, "Complaints about mail of any account, newest first"),
  )
  .add(
    HttpApiEndpoint.get("stats", "/admin/v1/stats")
      .addSuccess(StatsBody)
      .annotate(OpenApi.Summary, "Numbers of the whole service, each counted up to `countedTo`"),
  )
  .add(
    HttpApiEndpoint.get("dkim", "/admin/v1/dkim")
      .addSuccess(DkimRecords)
      .annotate(
        OpenApi.Summary,
        "The DKIM records of the platform domain: the key that signs, then the next",
      ),
  )
  .add(
    HttpApiEndpoint.post("rotateDkim", "/admin/v1/dkim/rotate")
      .addSuccess(DkimRecords)
      .annotate(OpenApi.Summary, "Make the platform's next key; it signs once its record is found"),
  )
  .middleware(AdminAccess)
  .annotate(OpenApi.Title, "Admin")
  .annotate(OpenApi.Exclude, true) {}
