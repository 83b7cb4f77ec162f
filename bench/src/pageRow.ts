/** A row of the messages list, as the server compared with stores and serves it. */
import { Schema } from "effect"

export const PageRow = Schema.Struct({
  id: Schema.String,
  mailboxId: Schema.String,
  threadId: Schema.String,
  direction: Schema.String,
  status: Schema.String,
  messageId: Schema.String,
  inReplyTo: Schema.NullOr(Schema.String),
  references: Schema.Array(Schema.String),
  fromAddress: Schema.String,
  fromName: Schema.NullOr(Schema.String),
  toAddresses: Schema.Array(Schema.String),
  ccAddresses: Schema.Array(Schema.String),
  bccAddresses: Schema.Array(Schema.String),
  replyTo: Schema.NullOr(Schema.String),
  subject: Schema.String,
  bodyText: Schema.NullOr(Schema.String),
  bodyHtml: Schema.NullOr(Schema.String),
  extractedText: Schema.NullOr(Schema.String),
  hasAttachments: Schema.Boolean,
  attachmentsDropped: Schema.Boolean,
  attachmentsDroppedReason: Schema.NullOr(Schema.String),
  overLimit: Schema.Boolean,
  automated: Schema.Boolean,
  authentication: Schema.Unknown,
  codes: Schema.Array(Schema.Unknown),
  links: Schema.Array(Schema.Unknown),
  labels: Schema.Array(Schema.String),
  readAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  sentAt: Schema.NullOr(Schema.String),
  receivedAt: Schema.NullOr(Schema.String),
  attachments: Schema.Array(Schema.Unknown),
})
export type PageRow = typeof PageRow.Type

/** The answer: what every message list carries. */
export const Page = Schema.Struct({
  messages: Schema.Array(PageRow),
  metadata: Schema.Struct({
    overLimitCount: Schema.Int,
    limit: Schema.Int,
    offset: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.optional(Schema.String),
  }),
})
export type Page = typeof Page.Type
