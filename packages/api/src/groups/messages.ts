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
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, messageBody } from "../bodyLimit.js"
import { InboundLimitExceeded, PayloadTooLarge, TooManyRequests, Unavailable } from "../errors.js"
import { cursor, pageLimit, PageMetadata, pageOffset } from "../paging.js"
import { mailboxId, messageId, threadId } from "../paths.js"
import { query, saying } from "../query.js"
import { FileFields, IgnoresUnknown } from "../requestInput.js"
import { MailAccess } from "../security.js"

/** Any ISO 8601 date-time with a zone, or a date. */
const Since = Schema.String.pipe(
  Schema.filter(
    (text) =>
      /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i.test(text) &&
      !Number.isNaN(Date.parse(text)),
  ),
  Schema.annotations({
    jsonSchema: { type: "string", format: "date-time", description: "created at or after this time" },
    ...saying("must be an ISO 8601 date-time, such as 2026-03-01T09:30:00Z"),
  }),
)

export const MessagesQuery = query({
  direction: Schema.optional(
    Direction.annotations({
      description: "only what came in, or only what went out",
      ...saying("must be INBOUND or OUTBOUND"),
    }),
  ),
  threadId: Schema.optional(
    ThreadId.annotations({
      description: "only messages of this thread",
      ...saying("must be the id of a thread"),
    }),
  ),
  since: Schema.optional(Since),
  limit: pageLimit(MESSAGES_PAGE_MAX, MESSAGES_PAGE_DEFAULT),
  offset: pageOffset,
  cursor,
})

const limitMetadata = {
  overLimitCount: described(Schema.Int, "messages above the inbound limit, hidden here"),
  upgrade: Schema.optional(Upgrade).annotations({
    description: "how to lift the inbound limit, where messages are hidden",
  }),
  limitHint: Schema.optional(InboundUsage).annotations({
    description: "the inbound quota: what was received this month of what the plan takes; from 50 percent on",
  }),
}

export const MessagesPage = Schema.Struct({
  messages: described(Schema.Array(MessageListItem), "the messages of the page"),
  metadata: described(
    Schema.Struct({
      ...limitMetadata,
      ...PageMetadata.fields,
      offset: described(Schema.Int, "how many were left out before the page"),
    }),
    "of the page and of the list",
  ),
}).annotations({ identifier: "MessagesPage", description: "Messages, and what the page does not show" })
export type MessagesMetadata = (typeof MessagesPage.Type)["metadata"]

export const ThreadsList = Schema.Struct({
  threads: described(Schema.Array(Thread), "the threads"),
  metadata: described(
    Schema.Struct({
      ...limitMetadata,
      limit: described(Schema.Int, "how many the list has at most: 50"),
      offset: described(Schema.Int, "always 0: there are no pages"),
      hasMore: described(Schema.Boolean, "always false: there are no pages"),
    }),
    "of the list",
  ),
}).annotations({ identifier: "ThreadsList", description: "Threads, and what the list does not show" })

const One = Schema.Struct({ message: described(Message, "the message") })

/** Sends may also come as a form, with files in this field. */
const messageFiles = new Set(["attachments"])

export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/messages`
      .setUrlParams(MessagesQuery)
      .addSuccess(MessagesPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Messages of a mailbox, newest first")
      .annotate(
        OpenApi.Description,
        "Messages above the inbound limit are hidden and counted in `metadata.overLimitCount`. To page deep, pass `metadata.nextCursor` as `cursor`: it costs the same at any depth, unlike `offset`. Bodies are cut at 64 kB.",
      ),
  )
  .add(
    HttpApiEndpoint.post("send")`/v1/mailboxes/${mailboxId}/messages`
      .setPayload(SendBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Send a message; answers once the relay took it")
      .annotate(
        OpenApi.Description,
        "Checked in this order: the mailbox is ACTIVE, the owner verified, the trial's recipient and sends, recipients that cannot be written to or are suppressed, attachments, sizes, velocity, the day's and the month's sends. A refusal counts nothing. Recipients on the platform are delivered inside. The body may also be a multipart form: fields of the same names, repeated for lists, and files as `attachments`.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(One)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "One message, whole")
      .annotate(
        OpenApi.Description,
        "With its headers, bodies uncut and attachments. 402 while it is above the inbound limit; it unlocks in place.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .setPayload(MessagePatch)
      .addSuccess(One)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Label a message, or mark it read or unread")
      .annotate(OpenApi.Description, "`labels` replaces the labels before; what is left out stays."),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .addSuccess(Deleted)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Delete a message with its attachments and its source")
      .annotate(OpenApi.Description, "For good. What its arrival counted stays counted."),
  )
  .add(
    HttpApiEndpoint.get("raw")`/v1/mailboxes/${mailboxId}/messages/${messageId}/raw`
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "message/rfc822" }))
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "The mail as it came in or went out, byte by byte")
      .annotate(OpenApi.Description, "As `message/rfc822`, trace headers included."),
  )
  .add(
    HttpApiEndpoint.post("reply")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply`
      .setPayload(ReplyBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Answer whoever sent a message, in its thread")
      .annotate(
        OpenApi.Description,
        "Goes to its Reply-To, or else to its sender; a reply to your own message goes to its recipients again. `cc` and `bcc` of the body are added. Subject and threading headers follow from the message; nothing is quoted. Every rule of a send applies.",
      ),
  )
  .add(
    HttpApiEndpoint.post("replyAll")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply-all`
      .setPayload(ReplyBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Answer everybody a message names, in its thread")
      .annotate(
        OpenApi.Description,
        "To whoever a reply goes to and the other recipients, in copy to those in copy; never to the mailbox itself. Every rule of a send applies.",
      ),
  )
  .add(
    HttpApiEndpoint.post("forward")`/v1/mailboxes/${mailboxId}/messages/${messageId}/forward`
      .setPayload(ForwardBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Send a message on, with its attachments")
      .annotate(
        OpenApi.Description,
        "The comment in the body comes first, then the message as it was. It starts a conversation of its own. Every rule of a send applies.",
      ),
  )
  .annotate(OpenApi.Title, "Messages")
  .annotate(OpenApi.Description, "Mail in and out.") {}

export class ThreadsGroup extends HttpApiGroup.make("threads")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/threads`
      .annotate(IgnoresUnknown, true)
      .addSuccess(ThreadsList)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "Up to 50 threads, newest activity first")
      .annotate(
        OpenApi.Description,
        "A thread is a conversation: messages tied together by their Message-ID, In-Reply-To and References. Counts and times are of visible messages.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/threads/${threadId}`
      .annotate(IgnoresUnknown, true)
      .addSuccess(Schema.Struct({ thread: described(ThreadWithMessages, "the thread") }))
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(OpenApi.Summary, "A thread with its messages, oldest first")
      .annotate(OpenApi.Description, "At most the newest 500 of its messages."),
  )
  .annotate(OpenApi.Title, "Threads")
  .annotate(OpenApi.Description, "Conversations.") {}
