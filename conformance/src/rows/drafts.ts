/** Drafts, schedule and approval: docs/specification/drafts.md. */
import type { Section } from "./Section.js"

export const drafts = [
  {
    heading: "A draft",
    rows: {
      "drafts.fields": "Exactly the fields of Draft",
      "drafts.from": "fromAddress and fromName are those that the mail leaves with",
      "drafts.from.submitted": "fromName of a submitted mail is that of its From",
      "drafts.sent": "A sent draft is gone; its message has its id",
      "drafts.storage": "Keeps its files, which count as storage; 409 for deleting one",
      "drafts.limit": "1,000 drafts of an account; else 400 DRAFT_LIMIT_REACHED",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/drafts",
    rows: {
      "drafts.create.201": "201; every field is optional",
      "drafts.client-id": "A repeated clientId answers with the first draft",
      "drafts.create.schedule": "sendAt needs the permission send, and passes every check",
    },
  },
  {
    heading: "GET, PATCH and DELETE",
    rows: {
      "drafts.list":
        "Pages, newest first, of a mailbox and of all, by state; a scoped key sees its mailboxes",
      "drafts.update.200": "PATCH changes what it names; null removes",
      "drafts.update.review": "A changed mail ends its review",
      "drafts.schedule.cancel": "DELETE, or PATCH {sendAt: null}, cancels a schedule",
      "drafts.404": "404 for a draft that is absent, foreign or out of scope",
    },
  },
  {
    heading: "POST /v1/mailboxes/{id}/drafts/{draftId}/send",
    rows: {
      "drafts.send.201": "201 with the message",
      "drafts.send.incomplete": "400 without recipient, subject or body",
    },
  },
  {
    heading: "Schedule",
    rows: {
      "drafts.schedule.202": "sendAt on a send, a reply, a forward: 202 with a SCHEDULED draft",
      "drafts.schedule.ahead": "sendAt with an offset, in the next 90 days; else 400",
      "drafts.schedule.failed": "A refusal when it is due: FAILED with its code, and draft.failed",
      "drafts.schedule.once": "Sent once at its time, also after an outage",
    },
  },
  {
    heading: "Review",
    rows: {
      "drafts.review.policy": "Every route that sends, under every policy",
      "drafts.review.heard": "An unproven mail makes its author no known recipient",
      "drafts.review.held": "202 with a PENDING_REVIEW draft and draft.review_requested; no quota is used",
      "drafts.review.reasons": "The reasons name each recipient that is new to the mailbox",
      "drafts.review.order":
        "A hold comes after every other check but the quotas, the mail loop and the relay",
      "drafts.digest": "SHA-256 of exactly what is sent",
      "drafts.review.mail": "One mail to the owner about several reviews",
      "drafts.review.expired": "Not decided in reviewTtlHours: REJECTED, and draft.expired",
      "drafts.review.withdrawn": "Changed or deleted before a decision: draft.withdrawn, with who did it",
      "drafts.review.decided-by": "draft.approved and draft.rejected have decided_by",
    },
  },
  {
    heading: "GET /v1/reviews",
    rows: { "drafts.reviews.list": "The drafts that wait for a review" },
  },
  {
    heading: "POST /v1/reviews/{draftId}/approve",
    rows: {
      "drafts.approve.permission": "A session, or a key of full access with review",
      "drafts.approve.201": "201 with the message, and draft.approved",
      "drafts.approve.409": "409 for another digest, and for a draft that was decided",
      "drafts.approve.edits": "edits: the changed mail is sent",
      "drafts.approve.name": "Another display name of the mailbox ends an approval",
      "drafts.approve.time": "Another time ends an approval",
    },
  },
  {
    heading: "POST /v1/reviews/{draftId}/reject",
    rows: { "drafts.reject.200": "REJECTED with the reason, and draft.rejected" },
  },
  {
    heading: "PATCH /v1/account",
    rows: { "drafts.paused": "sendingPaused: every send gets 403 SENDING_PAUSED; scheduled ones wait" },
  },
] as const satisfies ReadonlyArray<Section>
