/** Messages and threads (spec, Messages, Threads). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  Direction,
  ForwardBody,
  InboundUsage,
  Message,
  MessageListItem,
  MessagePatch,
  MESSAGES_PAGE_DEFAULT,
  MESSAGES_PAGE_MAX,
  ReplyBody,
  SendBody,
  Thread,
  ThreadId,
  ThreadWithMessages,
  Upgrade,
} from "@mailroom/domain"
import { Schema } from "effect"
import { InboundLimitExceeded, PayloadTooLarge, TooManyRequests, Unavailable } from "../errors.js"
import { mailboxId, messageId, threadId } from "../paths.js"
import { MailAccess } from "../security.js"

const integer = Schema.NumberFromString.pipe(Schema.int())

/** Any ISO 8601 date-time with a zone, or a date. */
const Since = Schema.String.pipe(
  Schema.filter(
    (text) =>
      (/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(text) &&
        !Number.isNaN(Date.parse(text))) ||
      "must be an ISO 8601 date-time, such as 2026-03-01T09:30:00Z",
  ),
  Schema.annotations({ jsonSchema: { type: "string", format: "date-time" } }),
)

export const MessagesQuery = Schema.Struct({
  direction: Schema.optional(Direction),
  threadId: Schema.optional(ThreadId),
  since: Schema.optional(Since),
  limit: Schema.optionalWith(integer.pipe(Schema.between(1, MESSAGES_PAGE_MAX)), {
    default: () => MESSAGES_PAGE_DEFAULT,
  }),
  offset: Schema.optionalWith(integer.pipe(Schema.nonNegative()), { default: () => 0 }),
  cursor: Schema.optional(Schema.String.pipe(Schema.maxLength(200))).annotations({
    description: "`metadata.nextCursor` of the page before: as fast at any depth",
  }),
})

const limitMetadata = {
  overLimitCount: Schema.Int.annotations({ description: "messages above the inbound limit, hidden here" }),
  upgrade: Schema.optional(Upgrade),
  limitHint: Schema.optional(InboundUsage),
}

export const MessagesPage = Schema.Struct({
  messages: Schema.Array(MessageListItem),
  metadata: Schema.Struct({
    ...limitMetadata,
    limit: Schema.Int,
    offset: Schema.Int,
    hasMore: Schema.Boolean,
    nextCursor: Schema.optional(Schema.String),
  }),
}).annotations({ identifier: "MessagesPage" })
export type MessagesMetadata = (typeof MessagesPage.Type)["metadata"]

export const ThreadsList = Schema.Struct({
  threads: Schema.Array(Thread),
  metadata: Schema.Struct({
    ...limitMetadata,
    limit: Schema.Int,
    offset: Schema.Int,
    hasMore: Schema.Boolean,
  }),
}).annotations({ identifier: "ThreadsList" })

export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/messages`
      .setUrlParams(MessagesQuery)
      .addSuccess(MessagesPage)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Messages of a mailbox, newest first"),
  )
  .add(
    HttpApiEndpoint.post("send")`/v1/mailboxes/${mailboxId}/messages`
      .setPayload(SendBody)
      .addSuccess(Schema.Struct({ message: Message }), { status: 201 })
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Send a message; answers once the relay took it"),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .addSuccess(Schema.Struct({ message: Message }))
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "One message, whole"),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .setPayload(MessagePatch)
      .addSuccess(Schema.Struct({ message: Message }))
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Label a message, or mark it read or unread"),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .addSuccess(Schema.Struct({ deleted: Schema.Literal(true) }))
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Delete a message with its attachments and its source"),
  )
  .add(
    HttpApiEndpoint.get("raw")`/v1/mailboxes/${mailboxId}/messages/${messageId}/raw`
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "message/rfc822" }))
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "The mail as it came in or went out, byte by byte"),
  )
  .add(
    HttpApiEndpoint.post("reply")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply`
      .setPayload(ReplyBody)
      .addSuccess(Schema.Struct({ message: Message }), { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Answer whoever sent a message, in its thread"),
  )
  .add(
    HttpApiEndpoint.post("replyAll")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply-all`
      .setPayload(ReplyBody)
      .addSuccess(Schema.Struct({ message: Message }), { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Answer everybody a message names, in its thread"),
  )
  .add(
    HttpApiEndpoint.post("forward")`/v1/mailboxes/${mailboxId}/messages/${messageId}/forward`
      .setPayload(ForwardBody)
      .addSuccess(Schema.Struct({ message: Message }), { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Send a message on, with its attachments"),
  )
  .annotate(OpenApi.Title, "Messages") {}

export class ThreadsGroup extends HttpApiGroup.make("threads")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/threads`
      .addSuccess(ThreadsList)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Up to 50 threads, newest activity first"),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/threads/${threadId}`
      .addSuccess(Schema.Struct({ thread: ThreadWithMessages }))
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "A thread with its messages, oldest first"),
  )
  .annotate(OpenApi.Title, "Threads") {}
