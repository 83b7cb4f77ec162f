/** The bodies of requests about drafts and reviews (docs/specification/drafts.md). */
import { Schema, Struct } from "effect"
import { described } from "../described.js"
import { CLIENT_ID_MAX_LENGTH, RECIPIENTS_MAX_COUNT, REJECTION_REASON_MAX_LENGTH } from "../limits.js"
import { Recipient } from "../mailboxes/address.js"
import { atMostCharacters, withoutNul } from "../messages/oneLine.js"
import { AnsweredId, mailFields, SendAt, sendAtField, Subject } from "../sending/send.js"

const draftRecipients = Schema.optional(
  Schema.Array(Recipient).pipe(Schema.maxItems(RECIPIENTS_MAX_COUNT)),
).annotations({ description: "recipients; a send needs at least one" })

/** A draft to create: the fields of a send, all optional. */
export const DraftBody = Schema.Struct({
  ...Struct.omit(mailFields, "to", "subject"),
  to: draftRecipients,
  subject: Schema.optional(Subject).annotations({ description: "the subject; a send needs one" }),
  sendAt: sendAtField,
  clientId: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), atMostCharacters(CLIENT_ID_MAX_LENGTH), withoutNul),
  ).annotations({
    description:
      "the client's own id, unique in the mailbox: a repeated creation answers with the draft that has it",
  }),
}).annotations({ identifier: "DraftBody", description: "A draft to create; every field is optional" })
export type DraftBody = typeof DraftBody.Type

const changes = {
  ...Struct.omit(mailFields, "to", "subject", "bodyText", "bodyHtml", "inReplyTo", "replyTo"),
  to: draftRecipients,
  subject: Schema.optional(Schema.NullOr(Subject)).annotations({ description: "the subject; null: none" }),
  bodyText: Schema.optional(Schema.NullOr(Schema.String)).annotations({
    description: "the text part; null: none",
  }),
  bodyHtml: Schema.optional(Schema.NullOr(Schema.String)).annotations({
    description: "the HTML part; null: none",
  }),
  inReplyTo: Schema.optional(Schema.NullOr(AnsweredId)).annotations({
    description: "the answered message; null: none",
  }),
  replyTo: Schema.optional(Schema.NullOr(Recipient)).annotations({
    description: "address of the Reply-To header; null: none",
  }),
}

/** Changes of what a draft sends. Fields that are undefined stay. */
export const DraftChanges = Schema.Struct(changes).annotations({
  identifier: "DraftChanges",
  description: "Changes of a draft; absent fields stay, and `attachments` names all files",
})
export type DraftChanges = typeof DraftChanges.Type

export const DraftPatch = Schema.Struct({
  ...changes,
  sendAt: Schema.optional(Schema.NullOr(SendAt)).annotations({
    description: "when to send it; null: cancel the schedule",
  }),
}).annotations({
  identifier: "DraftPatch",
  description: "Changes of a draft; absent fields stay, and `attachments` names all files",
})
export type DraftPatch = typeof DraftPatch.Type

export const ApproveBody = Schema.Struct({
  digest: described(
    Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/, { message: () => "must be the digest of a draft" })),
    "digest of the draft that was looked at",
  ),
  edits: Schema.optional(DraftChanges).annotations({
    description: "changes of the approver; the changed draft is sent",
  }),
}).annotations({ identifier: "ApproveBody", description: "An approval of exactly this draft" })
export type ApproveBody = typeof ApproveBody.Type

export const RejectBody = Schema.Struct({
  reason: Schema.optional(
    Schema.String.pipe(atMostCharacters(REJECTION_REASON_MAX_LENGTH), withoutNul),
  ).annotations({ description: "a text for whoever wrote the draft" }),
}).annotations({ identifier: "RejectBody", description: "A rejection" })
export type RejectBody = typeof RejectBody.Type
