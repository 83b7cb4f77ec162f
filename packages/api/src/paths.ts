/** Ids in paths. A malformed id answers 404, like an id that does not exist (spec: decisions.order.path). */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import {
  AccountId,
  AttachmentId,
  DeliveryId,
  DomainId,
  DraftId,
  InvitationId,
  ListDirection,
  ListEntryId,
  ListKind,
  KeyId,
  MailboxId,
  MessageId,
  type ResourceKind,
  SuppressionId,
  ThreadId,
  WebhookId,
} from "@mailroom/domain"
import type { Schema } from "effect"
import { saying } from "./query.js"

const MALFORMED = "malformed id of "

/** The resource of a malformed id, from the message of a decoding issue; null for other issues. */
export const malformedIdOf = (message: string): ResourceKind | null =>
  resources.find((resource) => message === `${MALFORMED}${resource}`) ?? null

const resources: ReadonlyArray<ResourceKind> = [
  "account",
  "key",
  "mailbox",
  "message",
  "thread",
  "attachment",
  "draft",
  "domain",
  "suppression",
  "invitation",
  "list",
  "list entry",
  "webhook",
  "delivery",
]

const id = <A, const Name extends string>(
  name: Name,
  resource: ResourceKind,
  schema: Schema.Schema<A, string>,
) =>
  HttpApiSchema.param(
    name,
    schema.annotations({
      message: () => `${MALFORMED}${resource}`,
      description: `id of the ${resource === "key" ? "API key" : resource}`,
    }),
  )

export const accountId = id("id", "account", AccountId)
export const keyId = id("id", "key", KeyId)
export const mailboxId = id("id", "mailbox", MailboxId)
export const messageId = id("msgId", "message", MessageId)
export const threadId = id("tid", "thread", ThreadId)
export const attachmentId = id("id", "attachment", AttachmentId)
export const draftId = id("draftId", "draft", DraftId)
export const invitationId = id("id", "invitation", InvitationId)
export const domainId = id("id", "domain", DomainId)
export const listEntryId = id("entryId", "list entry", ListEntryId)
/** The two parts of a path that name a list. Anything else is a list that does not exist. */
export const listDirection = HttpApiSchema.param(
  "direction",
  ListDirection.annotations({
    ...saying(`${MALFORMED}list`),
    description: "receive: senders of mail to a mailbox; send: recipients of mail from it",
  }),
)
export const listKind = HttpApiSchema.param(
  "kind",
  ListKind.annotations({
    ...saying(`${MALFORMED}list`),
    description: "the allow list or the block list",
  }),
)
export const suppressionId = id("id", "suppression", SuppressionId)
export const webhookId = id("id", "webhook", WebhookId)
export const deliveryId = id("deliveryId", "delivery", DeliveryId)
