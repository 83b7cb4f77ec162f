/** Messages and threads (docs/specification/messages.md, docs/specification/threads.md). */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Multipart from "@effect/platform/Multipart"
import * as OpenApi from "@effect/platform/OpenApi"
import {
  ClaimCondition,
  Direction,
  ForwardBody,
  InboundUsage,
  Message,
  MessageListItem,
  MessagePatch,
  ReplyBody,
  RsvpBody,
  SendBody,
  Thread,
  ThreadPatch,
  ThreadWithMessages,
  Upgrade,
  described,
} from "@mailroom/domain"
import { Schema } from "effect"
import { Deleted } from "../answers.js"
import { BodyLimit, messageBody, rawMailBody } from "../bodyLimit.js"
import { Conflict, InboundLimitExceeded, PayloadTooLarge, TooManyRequests, Unavailable } from "../errors.js"
import { bodies, dateTime, flag, givenLabels, include, listParameters } from "../filters.js"
import { PageMetadata, pageOffset } from "../paging.js"
import { mailboxId, messageId, threadId } from "../paths.js"
import { query, saying } from "../query.js"
import { FileFields, IgnoresUnknown } from "../requestInput.js"
import { MailAccess, Needs } from "../security.js"
import { OneDraft } from "./drafts.js"

export const MessagesQuery = query({
  ...listParameters,
  claim: Schema.optional(
    ClaimCondition.annotations({
      description: "only received messages that are free, claimed by a worker, or completed",
      ...saying("must be free, claimed or completed"),
    }),
  ),
  offset: pageOffset,
})

export const limitMetadata = {
  overLimitCount: described(Schema.Int, "number of gated messages, which the list hides"),
  upgrade: Schema.optional(Upgrade).annotations({
    description: "how to lift the inbound limit; absent when nothing is gated",
  }),
  limitHint: Schema.optional(InboundUsage).annotations({
    description: "usage of the inbound quota; present from 50 percent on",
  }),
}

export const MessagesPage = Schema.Struct({
  messages: described(Schema.Array(MessageListItem), "the messages of the page"),
  metadata: described(
    Schema.Struct({
      ...limitMetadata,
      ...PageMetadata.fields,
      offset: described(Schema.Int, "number of skipped messages"),
    }),
    "metadata of the page and the list",
  ),
}).annotations({ identifier: "MessagesPage", description: "A page of messages" })
export type MessagesMetadata = (typeof MessagesPage.Type)["metadata"]

export const ThreadsList = Schema.Struct({
  threads: described(Schema.Array(Thread), "the threads"),
  metadata: described(
    Schema.Struct({
      ...limitMetadata,
      limit: described(Schema.Int, "maximal length of the list: 50"),
      offset: described(Schema.Int, "always 0: there are no pages"),
      hasMore: described(Schema.Boolean, "always false: there are no pages"),
    }),
    "metadata of the list",
  ),
}).annotations({ identifier: "ThreadsList", description: "The list of threads" })

const One = Schema.Struct({ message: described(Message, "the message") })

/** Raw mail as a body: bytes for clients; the server has written them to a file. */
const RawMail = Schema.declare(
  (body): body is Uint8Array | Multipart.PersistedFile =>
    body instanceof Uint8Array || Multipart.isPersistedFile(body),
).annotations({
  [HttpApiSchema.AnnotationEncoding]: { kind: "Uint8Array", contentType: "message/rfc822" },
  jsonSchema: {
    type: "string",
    format: "binary",
    description: "the raw mail (RFC 5322), lines end with CRLF",
  },
})

const ImportQuery = query({
  direction: Schema.optional(
    Direction.annotations({
      description: "by default OUTBOUND for a mail from the mailbox, else INBOUND",
      ...saying("must be INBOUND or OUTBOUND"),
    }),
  ),
  receivedAt: Schema.optional(
    dateTime(
      "when the mail was received or sent; by default the date of its topmost Received field, else its Date, else now; a time in the future becomes now",
    ),
  ),
  labels: Schema.optional(givenLabels("labels of the message, separated by commas")),
  read: Schema.optionalWith(flag("whether the message is marked as read"), { default: () => true }),
})

/** The field of files when a send is a form. */
const messageFiles = new Set(["attachments"])

export class MessagesGroup extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/messages`
      .setUrlParams(MessagesQuery)
      .addSuccess(MessagesPage)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List the messages of a mailbox, newest first")
      .annotate(
        OpenApi.Description,
        "Takes any combination of filters. Gated messages are hidden and counted in `metadata.overLimitCount`; quarantined ones are hidden unless `include=quarantined`. For deep pages, pass `metadata.nextCursor` as `cursor`: unlike `offset`, it is equally fast at any depth, and takes every filter. A page of a filtered list may have fewer messages than `limit`, or none, and not be the last: continue while `metadata.hasMore` is true. Bodies are cut at 64 kB.",
      ),
  )
  .add(
    HttpApiEndpoint.post("send")`/v1/mailboxes/${mailboxId}/messages`
      .setPayload(SendBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Send a message; responds when the relay has accepted it")
      .annotate(
        OpenApi.Description,
        "Responds with 201 and the message, or with 202 and a draft when `sendAt` names a later time or a policy of the mailbox holds the mail for a review. The checks, in this order: sending is not paused, the mailbox is ACTIVE and its sending not stopped, its custom domain is VERIFIED, the owner is verified, payment, recipient and sends of the trial, test and disposable domains, blocked recipients, suppressed recipients, attachments, sizes, a thread that a person has taken over, storage, mail loops, velocity, daily and monthly limit, the relay. A refused send does not count; one that the relay refused counts in the velocity. Recipients on the platform get the mail without the relay. The body may also be a multipart form with the same field names, repeated for lists, and files as `attachments`.",
      ),
  )
  .add(
    HttpApiEndpoint.post("import")`/v1/mailboxes/${mailboxId}/import`
      .setUrlParams(ImportQuery)
      .setPayload(RawMail)
      .annotate(BodyLimit, rawMailBody)
      .addSuccess(One, { status: 201 })
      .addSuccess(One, { status: 200 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Import an old mail as a message")
      .annotate(
        OpenApi.Description,
        "The body is the raw mail, `message/rfc822` of at most 40 MB. The message has the time when it was received or sent, its thread, its attachments, and is found by search. Nothing happens because of it: no event, webhook, wait or claim, and it counts toward the storage only. Its sender is not proven. 200 with the message that is there when the mailbox has the mail already, so an import can be repeated. 429 above 50 mails or 10 MB a second.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .annotate(IgnoresUnknown, true)
      .setUrlParams(query({ include }))
      .addSuccess(One)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get a message")
      .annotate(
        OpenApi.Description,
        "Returns headers, complete bodies and attachments. 402 while the message is above the inbound limit; it unlocks in place. 404 while it is quarantined, unless `include=quarantined`.",
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
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Label a message, or mark it read or unread")
      .annotate(
        OpenApi.Description,
        "`labels` replaces all earlier labels; `addLabels` and `removeLabels` change some and keep the others, also when several clients do it at once. Absent fields do not change.",
      ),
  )
  .add(
    HttpApiEndpoint.del("remove")`/v1/mailboxes/${mailboxId}/messages/${messageId}`
      .addSuccess(Deleted)
      .addError(InboundLimitExceeded)
      .middleware(MailAccess)
      .annotate(Needs, ["send", "manage"])
      .annotate(OpenApi.Summary, "Delete a message with its attachments and its source")
      .annotate(
        OpenApi.Description,
        "The message cannot be restored. It still counts toward the quota. Deletes a quarantined message, too.",
      ),
  )
  .add(
    HttpApiEndpoint.get("raw")`/v1/mailboxes/${mailboxId}/messages/${messageId}/raw`
      .setUrlParams(query({ include }))
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "message/rfc822" }))
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get the raw mail as it was received or sent")
      .annotate(
        OpenApi.Description,
        "Returns `message/rfc822`, including trace headers. 404 while it is quarantined, unless `include=quarantined`.",
      ),
  )
  .add(
    HttpApiEndpoint.post("quarantine")`/v1/mailboxes/${mailboxId}/messages/${messageId}/quarantine`
      .addSuccess(One)
      .addError(InboundLimitExceeded)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["manage"])
      .annotate(OpenApi.Summary, "Quarantine a received message")
      .annotate(
        OpenApi.Description,
        "Needs the permission to read, too. The message is hidden from now on, from lists, threads, search, waits and claims, until it is released; `message.quarantined` tells so. Does nothing to a quarantined message. 400 for a sent message.",
      ),
  )
  .add(
    HttpApiEndpoint.post("reply")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply`
      .setPayload(ReplyBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Reply to the sender of a message, in its thread")
      .annotate(
        OpenApi.Description,
        "The reply goes to the Reply-To of the message or, without one, to its sender; a reply to a sent message goes to its recipients. `cc` and `bcc` of the body are added. Subject and threading headers come from the message; nothing is quoted. 400 `NOBODY_TO_ANSWER` for a message without a valid address to reply to. Every check of a send follows.",
      ),
  )
  .add(
    HttpApiEndpoint.post("replyAll")`/v1/mailboxes/${mailboxId}/messages/${messageId}/reply-all`
      .setPayload(ReplyBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Reply to all addresses of a message, in its thread")
      .annotate(
        OpenApi.Description,
        "The reply goes to the recipients of a reply and those of To, with a copy to those of Cc, without the mailbox itself. 400 for more than 50 recipients in To or in Cc. Every check of a send follows.",
      ),
  )
  .add(
    HttpApiEndpoint.post("rsvp")`/v1/mailboxes/${mailboxId}/messages/${messageId}/rsvp`
      .setPayload(RsvpBody)
      .addSuccess(One, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(Conflict)
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Answer the invitation in a message")
      .annotate(
        OpenApi.Description,
        "Sends the organizer a reply in the message's thread that calendars understand: accepted, tentative or declined. 400 `NO_INVITATION` for a message without a calendar; 409 for one that asks for no answer, or does not invite this mailbox. Every rule of a send applies.",
      ),
  )
  .add(
    HttpApiEndpoint.post("forward")`/v1/mailboxes/${mailboxId}/messages/${messageId}/forward`
      .setPayload(ForwardBody)
      .annotate(BodyLimit, messageBody)
      .annotate(FileFields, messageFiles)
      .addSuccess(One, { status: 201 })
      .addSuccess(OneDraft, { status: 202 })
      .addError(InboundLimitExceeded)
      .addError(PayloadTooLarge)
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["send"])
      .annotate(OpenApi.Summary, "Forward a message with its attachments")
      .annotate(
        OpenApi.Description,
        "The text of the body comes first, then the original message, which the key must be allowed to read, too. A forward starts a new thread. 400 for more than 20 attachments, those of the message included. Every check of a send follows.",
      ),
  )
  .annotate(OpenApi.Title, "Messages")
  .annotate(OpenApi.Description, "Received and sent mail.") {}

export class ThreadsGroup extends HttpApiGroup.make("threads")
  .add(
    HttpApiEndpoint.get("list")`/v1/mailboxes/${mailboxId}/threads`
      .annotate(IgnoresUnknown, true)
      .addSuccess(ThreadsList)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "List up to 50 threads, newest activity first")
      .annotate(
        OpenApi.Description,
        "A thread groups messages by their Message-ID, In-Reply-To and References. Counts and times are those of visible messages. `GET /v1/threads` with `mailboxId` has the others, in pages.",
      ),
  )
  .add(
    HttpApiEndpoint.get("get")`/v1/mailboxes/${mailboxId}/threads/${threadId}`
      .annotate(IgnoresUnknown, true)
      .setUrlParams(query({ bodies }))
      .addSuccess(Schema.Struct({ thread: described(ThreadWithMessages, "the thread") }))
      .addError(TooManyRequests)
      .addError(Unavailable)
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Get a thread with its messages, oldest first")
      .annotate(
        OpenApi.Description,
        "Returns at most the newest 500 messages. Older ones are in the list of messages, with `threadId` and `before`.",
      ),
  )
  .add(
    HttpApiEndpoint.patch("update")`/v1/mailboxes/${mailboxId}/threads/${threadId}`
      .setPayload(ThreadPatch)
      .addSuccess(Schema.Struct({ thread: described(Thread, "the thread") }))
      .middleware(MailAccess)
      .annotate(Needs, ["read"])
      .annotate(OpenApi.Summary, "Label all messages of a thread, or mark them read or unread")
      .annotate(
        OpenApi.Description,
        "Changes all visible messages. Absent fields do not change. A repeated call changes nothing more.",
      ),
  )
  .add(
    HttpApiEndpoint.post("takeOver")`/v1/threads/${threadId}/takeover`
      .addSuccess(Schema.Struct({ thread: described(Thread, "the thread") }))
      .middleware(MailAccess)
      .annotate(Needs, ["review"])
      .annotate(OpenApi.Summary, "Take a thread over: a person answers it")
      .annotate(
        OpenApi.Description,
        "From now on sends of keys into the thread get 409 `THREAD_TAKEN_OVER`, and scheduled ones fail when they are due. The owner's session sends, and what a person approves from now on is sent. Mail and events go on. A repeated call changes nothing.",
      ),
  )
  .add(
    HttpApiEndpoint.post("release")`/v1/threads/${threadId}/release`
      .addSuccess(Schema.Struct({ thread: described(Thread, "the thread") }))
      .middleware(MailAccess)
      .annotate(Needs, ["review"])
      .annotate(OpenApi.Summary, "Release a thread that a person took over")
      .annotate(OpenApi.Description, "Keys may send into it again. A repeated call changes nothing."),
  )
  .annotate(OpenApi.Title, "Threads")
  .annotate(OpenApi.Description, "Conversations.") {}
