/** A draft: a mail that is kept to be sent later, or until a person has approved it (docs/specification/drafts.md). */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, AttachmentId, DraftId, MailboxId, MessageId } from "../ids.js"
import type { MailboxRecord } from "../mailboxes/Mailbox.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const DraftStatus = Schema.Literal(
  "DRAFT",
  "SCHEDULED",
  "PENDING_REVIEW",
  "REJECTED",
  "FAILED",
).annotations({
  identifier: "DraftStatus",
  description:
    "DRAFT: waits to be sent; SCHEDULED: is sent at `sendAt`; PENDING_REVIEW: waits for a decision; REJECTED: refused by a person, or not decided in time; FAILED: was refused when it was due",
})
export type DraftStatus = typeof DraftStatus.Type

/** A file of a draft. Its bytes are those of the stored attachment with this id. */
export const DraftFile = Schema.Struct({
  id: described(AttachmentId, "id of the attachment"),
  filename: described(Schema.String, "name of the file"),
  contentType: described(Schema.String, "MIME type of the file"),
  sizeBytes: described(Schema.Int, "size of the file, bytes"),
  contentId: described(
    Schema.NullOr(Schema.String),
    "Content-ID of an inline image, without angle brackets; null for other files",
  ),
  sha256: described(Schema.String, "SHA-256 of the bytes, lower-case hex"),
}).annotations({ identifier: "DraftAttachment", description: "A file of a draft" })
export type DraftFile = typeof DraftFile.Type

/** The message that a draft answers, as it was when the draft named it. */
export const DraftReply = Schema.Struct({
  /** as the client named it: the id of a message here, or a Message-ID */
  inReplyTo: Schema.String,
  /** the answered message of the mailbox; null when it is unknown here */
  messageId: Schema.NullOr(MessageId),
  /** In-Reply-To and References of the mail */
  links: Schema.Struct({
    inReplyTo: Schema.NullOr(Schema.String),
    references: Schema.Array(Schema.String),
  }),
  /** whether the mail declares to be an automatic reply */
  automated: Schema.Boolean,
})
export type DraftReply = typeof DraftReply.Type

/** The mail that a client submitted, and the display name in its From. */
export const SubmittedFile = Schema.Struct({
  ...DraftFile.fields,
  /** null for none; absent in drafts of earlier versions */
  fromName: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
})
export type SubmittedFile = typeof SubmittedFile.Type

/** All that the mail of a draft is made of, as the client wrote it. Null or empty: not written yet. */
export const DraftContent = Schema.Struct({
  to: Schema.Array(Schema.String),
  cc: Schema.Array(Schema.String),
  bcc: Schema.Array(Schema.String),
  subject: Schema.NullOr(Schema.String),
  bodyText: Schema.NullOr(Schema.String),
  bodyHtml: Schema.NullOr(Schema.String),
  replyTo: Schema.NullOr(Schema.String),
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  labels: Schema.Array(Schema.String),
  /** whether each recipient gets a mail of their own, with a link to unsubscribe */
  bulk: Schema.Boolean,
  attachments: Schema.Array(DraftFile),
  reply: Schema.NullOr(DraftReply),
  /** the answer to an invitation, which the mail carries beside its text */
  calendar: Schema.NullOr(Schema.Struct({ method: Schema.Literal("REPLY"), content: Schema.String })),
  /** the mail as a client submitted it, whose body is sent unchanged; absent in drafts of earlier versions */
  submitted: Schema.optionalWith(Schema.NullOr(SubmittedFile), { default: () => null }),
})
export type DraftContent = typeof DraftContent.Type

/** Why a draft is held: a policy that reviews every send, or a new recipient. */
export const HoldReason = Schema.Union(
  Schema.Struct({ code: described(Schema.Literal("EVERY_SEND"), "the mailbox reviews every send") }),
  Schema.Struct({
    code: described(Schema.Literal("NEW_RECIPIENT"), "the recipient is new to the mailbox"),
    address: described(Schema.String, "address of the recipient"),
  }),
).annotations({ identifier: "HoldReason", description: "Why a send waits for a review" })
export type HoldReason = typeof HoldReason.Type

export const ReviewRecord = Schema.Struct({
  requestedAt: Instant,
  expiresAt: Instant,
  reasons: Schema.Array(HoldReason),
})
export type ReviewRecord = typeof ReviewRecord.Type

export const DraftError = Schema.Struct({
  code: described(Schema.String, "the code of the refusal; REJECTED or REVIEW_EXPIRED for a review"),
  message: described(Schema.String, "what refused it, or the reason of the rejection"),
}).annotations({ identifier: "DraftError", description: "Why a draft was not sent" })
export type DraftError = typeof DraftError.Type

export const DraftRecord = Schema.Struct({
  id: DraftId,
  accountId: AccountId,
  mailboxId: MailboxId,
  status: DraftStatus,
  content: DraftContent,
  /** SHA-256 of `digestedText`; clients see that of `approvableText` */
  digest: Schema.String,
  /** what a person approved (`isApproved`): a digest and the display name of the mailbox; null without an approval */
  approvedDigest: Schema.NullOr(Schema.String),
  /** when a person approved that content, by a session; null: nobody, or a key did */
  personApprovedAt: Schema.NullOr(Instant),
  /** whether a person sent or scheduled it, by a session */
  byPerson: Schema.Boolean,
  clientId: Schema.NullOr(Schema.String),
  sendAt: Schema.NullOr(Instant),
  review: Schema.NullOr(ReviewRecord),
  error: Schema.NullOr(DraftError),
  /**
   * when a worker has to look at it: to send it, to end its review, or to remove it; null: never, or not before the account
   * resumes sending
   */
  dueAt: Schema.NullOr(Instant),
  /** attempts to send it since it was scheduled that found the relay away */
  attempts: Schema.Int,
  /** bytes of the content that count as storage; its files count by themselves */
  sizeBytes: Schema.Int,
  createdAt: Instant,
  updatedAt: Instant,
})
export type DraftRecord = typeof DraftRecord.Type

export const Draft = Schema.Struct({
  id: described(DraftId, "id of the draft, and of the message that is made of it"),
  mailboxId: described(MailboxId, "the mailbox that sends it"),
  status: described(DraftStatus, "what it waits for, or why it was not sent"),
  fromAddress: described(Schema.String, "address in the From header of its mail"),
  fromName: described(
    Schema.NullOr(Schema.String),
    "display name in the From header of its mail: that of the mailbox now, or of the submitted mail; null for none",
  ),
  to: described(Schema.Array(Schema.String), "recipients"),
  cc: described(Schema.Array(Schema.String), "recipients of copies"),
  bcc: described(Schema.Array(Schema.String), "recipients of blind copies"),
  subject: described(Schema.NullOr(Schema.String), "the subject; null for none yet"),
  bodyText: described(Schema.NullOr(Schema.String), "the text part; null for none"),
  bodyHtml: described(Schema.NullOr(Schema.String), "the HTML part; null for none"),
  inReplyTo: described(
    Schema.NullOr(Schema.String),
    "the answered message: its id here, or its Message-ID; null for none",
  ),
  attachments: described(Schema.Array(DraftFile), "the files"),
  headers: described(Schema.Record({ key: Schema.String, value: Schema.String }), "additional header fields"),
  replyTo: described(Schema.NullOr(Schema.String), "address of the Reply-To header; null for none"),
  labels: described(Schema.Array(Schema.String), "labels of the message that is made of it"),
  bulk: described(
    Schema.Boolean,
    "whether each recipient gets a mail of their own, with a link to unsubscribe",
  ),
  submitted: described(
    Schema.NullOr(DraftFile),
    "the mail as it was submitted by SMTP, whose body is sent unchanged; null for any other draft, and after a change of the mail",
  ),
  sendAt: described(Schema.NullOr(Timestamp), "when it is sent; null without a schedule"),
  clientId: described(Schema.NullOr(Schema.String), "the client's own id; null for none"),
  digest: described(
    Schema.String,
    "SHA-256 over recipients, subject, bodies, files, display name and time: an approval names it. Lower-case hex",
  ),
  review: described(
    Schema.NullOr(
      Schema.Struct({
        requestedAt: described(Timestamp, "when the send was held"),
        expiresAt: described(Timestamp, "when the review ends without a decision"),
        reasons: described(Schema.Array(HoldReason), "why it was held"),
      }),
    ),
    "the review; null for a draft that no policy held",
  ),
  error: described(Schema.NullOr(DraftError), "why it was not sent; null for other drafts"),
  createdAt: described(Timestamp, "time of creation"),
  updatedAt: described(Timestamp, "time of the last change"),
}).annotations({ identifier: "Draft", description: "A mail that was not sent yet" })
export type Draft = typeof Draft.Type

/** A draft in a list: bodies are cut at 64 kB. */
export const DraftListItem = Schema.Struct({
  ...Draft.fields,
  truncated: Schema.optional(Schema.Boolean).annotations({
    description: "true when a body is cut at 64 kB; a single read returns it whole",
  }),
}).annotations({ identifier: "DraftListItem", description: "A draft in a list: bodies cut at 64 kB" })
export type DraftListItem = typeof DraftListItem.Type

const viewFile = ({ id, filename, contentType, sizeBytes, contentId, sha256 }: DraftFile): DraftFile => ({
  id,
  filename,
  contentType,
  sizeBytes,
  contentId,
  sha256,
})

/** The display name in From: the mailbox's, which may change until the draft is sent, or that of the submitted mail. */
const fromNameOf = ({ submitted }: DraftContent, { displayName }: DraftMailbox): string | null =>
  submitted === null ? displayName : submitted.fromName

/** What a draft shows of its mailbox. */
export type DraftMailbox = Pick<MailboxRecord, "fullAddress" | "displayName">

/** The fields of a draft's view, without those that only the service reads. `digest`: that of `approvableText`. */
export const viewDraft = (draft: DraftRecord, mailbox: DraftMailbox, digest: string): Draft => {
  const { content, review } = draft
  return {
    id: draft.id,
    mailboxId: draft.mailboxId,
    status: draft.status,
    fromAddress: mailbox.fullAddress,
    fromName: fromNameOf(content, mailbox),
    to: content.to,
    cc: content.cc,
    bcc: content.bcc,
    subject: content.subject,
    bodyText: content.bodyText,
    bodyHtml: content.bodyHtml,
    inReplyTo: content.reply?.inReplyTo ?? null,
    attachments: content.attachments,
    headers: content.headers,
    replyTo: content.replyTo,
    labels: content.labels,
    bulk: content.bulk,
    submitted: content.submitted === null ? null : viewFile(content.submitted),
    sendAt: timestampOrNull(draft.sendAt),
    clientId: draft.clientId,
    digest,
    review: review && {
      requestedAt: timestamp(review.requestedAt),
      expiresAt: timestamp(review.expiresAt),
      reasons: review.reasons,
    },
    error: draft.error,
    createdAt: timestamp(draft.createdAt),
    updatedAt: timestamp(draft.updatedAt),
  }
}
