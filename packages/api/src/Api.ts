/** The HTTP contract, from which the server, the client and the OpenAPI document are built. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { eventEnvelopes } from "@mailroom/domain"
import {
  BadRequest,
  InternalError,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  Unavailable,
} from "./errors.js"
import { AccountGroup, BillingGroup, KeysGroup } from "./groups/account.js"
import { AddressListsGroup } from "./groups/addressLists.js"
import { AdminGroup } from "./groups/admin.js"
import { AttachmentsGroup } from "./groups/attachments.js"
import { AuditGroup } from "./groups/audit.js"
import { ClaimsGroup } from "./groups/claims.js"
import { DomainsGroup } from "./groups/domains.js"
import { DraftsGroup, ReviewsGroup } from "./groups/drafts.js"
import { MailboxesGroup } from "./groups/mailboxes.js"
import { ListsGroup } from "./groups/lists.js"
import { MetricsGroup } from "./groups/metrics.js"
import { MessagesGroup, ThreadsGroup } from "./groups/messages.js"
import { ReportsGroup } from "./groups/reports.js"
import { SearchGroup } from "./groups/search.js"
import { SessionGroup, SignupGroup } from "./groups/signup.js"
import { SuppressionsGroup } from "./groups/suppressions.js"
import { EventsGroup } from "./groups/events.js"
import { WaitsGroup } from "./groups/waits.js"
import { WebhooksGroup } from "./groups/webhooks.js"
import { withoutInternals } from "./openapi.js"

export class Api extends HttpApi.make("mailroom")
  .add(SignupGroup)
  .add(SessionGroup)
  .add(AccountGroup)
  .add(KeysGroup)
  .add(AuditGroup)
  .add(MailboxesGroup)
  .add(WaitsGroup)
  .add(MessagesGroup)
  .add(ThreadsGroup)
  .add(DraftsGroup)
  .add(ReviewsGroup)
  .add(ClaimsGroup)
  .add(ListsGroup)
  .add(SearchGroup)
  .add(MetricsGroup)
  .add(AttachmentsGroup)
  .add(DomainsGroup)
  .add(SuppressionsGroup)
  .add(AddressListsGroup)
  .add(WebhooksGroup)
  .add(EventsGroup)
  .add(BillingGroup)
  .add(ReportsGroup)
  .add(AdminGroup)
  .addError(BadRequest)
  .addError(NotFound)
  .addError(RequestTimeout)
  .addError(PayloadTooLarge)
  .addError(InternalError)
  .addError(Unavailable)
  .annotate(OpenApi.Title, "Mailroom")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Description, "Mailboxes for software agents")
  .annotate(OpenApi.License, { name: "MIT", url: "https://opensource.org/license/mit" })
  .annotate(HttpApi.AdditionalSchemas, Object.values(eventEnvelopes))
  .annotate(OpenApi.Transform, withoutInternals) {}
