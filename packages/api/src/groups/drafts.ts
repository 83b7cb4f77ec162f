/** Drafts and reviews (docs/specification/drafts.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  ApproveBody,
  described,
  Draft,
  DraftBody,
  DraftListItem,
  DraftPatch,
  DRAFTS_PAGE_DEFAULT,
  DRAFTS_PAGE_MAX,
  DraftStatus,
  Message,
  RejectBody,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, messageBody } from "../bodyLimit.js"
import { Conflict, InboundLimitExceeded, PayloadTooLarge, TooManyRequests, Unavailable } from "../errors.js"
import { bodies } from "../filters.js"
import { cursor, pageLimit, PageMetadata } from "../paging.js"
import { draftId, mailboxId } from "../paths.js"
import { query, saying } from "../query.js"
import { FileFields } from "../requestInput.js"
import { MailAccess, Needs, ProvisioningAccess } from "../security.js"

/** The answer with a draft. A send that is held or scheduled answers with it, too. */
export const OneDraft = Schema.Struct({ draft: described(Draft, "the draft") })

const OneMessage = Schema.Struct({ message: described(Message, "the message") })

export const DraftsPage = Schema.Struct({
  drafts: described(Schema.Array(DraftListItem), "the drafts of the page"),
  metadata: described(PageMetadata, "metadata of the page"),
}).annotations({ identifier: "DraftsPage", description: "A page of drafts" })

const page = { bodies, limit: pageLimit(DRAFTS_PAGE_MAX, DRAFTS_PAGE_DEFAULT), cursor }

const DraftsQuery = query({
  status: Schema.optional(
    DraftStatus.annotations({
      description: "only drafts in this state",
      ...saying(`must be one of ${DraftStatus.literals.join(", ")}`),
    }),
  ),
  ...page,
})

const draftFiles = new Set(["attachments"])

export class DraftsGroup extends HttpApiGroup.make("drafts")
  .add(
    HttpApiEndpoint.get("listAll", "/v1/drafts")
      .setUrlParams(DraftsQuery)
      .addSuccess(DraftsPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read", "draft"])
      .annotate(OpenApi.Summary, "List the drafts of all mailboxes, newest first")
      .annotate(
        OpenApi.Description,
        "A scoped key sees the drafts of its mailboxes. Bodies are cut at 64 kB.",
      ),
  )
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/drafts`
      .setUrlParams(DraftsQuery)
      .addSuccess(DraftsPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read", "draft"])
      .annotate(OpenApi.Summary, "List the drafts of a mailbox, newest first")
      .annotate(OpenApi.Description, "Bodies are cut at 64 kB."),
  )
  .add(
    HttpApiEndpoint.post("create")`/v1/mailboxes/${mailboxId}/drafts`
      .setPayload(DraftBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, draftFiles)
      .addSuccess(OneDraft, { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["draft"])
      .annotate(OpenApi.Summary, "Create a draft, or schedule a mail")
      .annotate(
        OpenApi.Description,
        "The fields of a send, all optional. With `sendAt`, which needs the permission to send, every check of a send is made now and again when it is due. A repeated `clientId` responds with the draft that has it. The body may also be a multipart form, as that of a send.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/drafts/${draftId}`
      .addSuccess(OneDraft)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read", "draft"])
      .annotate(OpenApi.Summary, "Get a draft")
      .annotate(OpenApi.Description, "A draft that was sent is gone: its message has the same id."),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}/drafts/${draftId}`
      .setPayload(DraftPatch)
      .annotate(BodyLimit, messageBody)
      .addSuccess(OneDraft)
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["draft"])
      .annotate(OpenApi.Summary, "Change a draft, schedule it, or cancel its schedule")
      .annotate(
        OpenApi.Description,
        "Absent fields do not change; `attachments` names all files. A changed mail ends its review and its approval. A scheduled one is checked and scheduled again, which needs the permission to send, as `sendAt` does. `sendAt: null` cancels the schedule.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}/drafts/${draftId}`
      .addSuccess(Deleted)
      .middleware(MailAccess)
      .annotate(Needs, ["draft"])
      .annotate(OpenApi.Summary, "Delete a draft with its files")
      .annotate(OpenApi.Description, "Cancels its schedule or its review."),
  )
  .add(
    HttpApiEndpoint.post("send")`/v1/mailboxes/${mailboxId}/drafts/${draftId}/send`
      .addSuccess(OneMessage, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Send a draft now")
      .annotate(
        OpenApi.Description,
        "Responds with 201 and the message, which has the id of the draft, or with 202 and the draft when a policy holds it for a review. Every check of a send is made. A refused draft stays as it was. 400 for a draft without recipient, subject or body.",
      ),
  )
  .annotate(OpenApi.Title, "Drafts")
  .annotate(
    OpenApi.Description,
    "Mails that are not sent yet: written, scheduled, or waiting for a review.",
  ) {}

export class ReviewsGroup extends HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.get("list", "/v1/reviews")
      .setUrlParams(query(page))
      .addSuccess(DraftsPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read", "review"])
      .annotate(OpenApi.Summary, "List the drafts that wait for a review, newest first")
      .annotate(OpenApi.Description, "A scoped key sees those of its mailboxes. Bodies are cut at 64 kB."),
  )
  .add(
    HttpApiEndpoint.post("approve")`/v1/reviews/${draftId}/approve`
      .setPayload(ApproveBody)
      .annotate(BodyLimit, messageBody)
      .addSuccess(OneMessage, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["review"])
      .annotate(OpenApi.Summary, "Approve a draft with exactly this content, and send it")
      .annotate(
        OpenApi.Description,
        "`edits` change the draft, and the changed one is sent. 409 `DIGEST_MISMATCH` for another content than the one that `digest` names. Responds with 201 and the message, or with 202 and the draft when it is sent later: at its `sendAt`, when the relay is back, when the velocity allows it, or when the account resumes sending. When a check refuses the send, it responds with 202, too: the draft is FAILED, and `error` has the refusal.",
      ),
  )
  .add(
    HttpApiEndpoint.post("reject")`/v1/reviews/${draftId}/reject`
      // The body is optional.
      .setPayload(Schema.NullOr(RejectBody))
      .addSuccess(OneDraft)
      .addError(Conflict)
      .middleware(ProvisioningAccess)
      .annotate(Needs, ["review"])
      .annotate(OpenApi.Summary, "Reject a draft")
      .annotate(
        OpenApi.Description,
        "The draft is REJECTED, and `error.message` has the reason. A changed draft can be sent again.",
      ),
  )
  .annotate(OpenApi.Title, "Reviews")
  .annotate(OpenApi.Description, "Sends that wait until a person approves them.") {}
