/** `@mailroom/client/effect`: the client as a service of Effect. */
export * from "./MailroomClient.js"
export type { MailroomClientOptions } from "./settings.js"
export { type EventCursor, EventsFailed, type EventStreamOptions, type ItemOf, items } from "./streams.js"
export type { MailroomEvent } from "../follow.js"
export { Api } from "@mailroom/api"
export {
  AttachmentId,
  DeliveryId,
  DomainId,
  DraftId,
  KeyId,
  ListEntryId,
  MailboxId,
  MessageId,
  SuppressionId,
  ThreadId,
  WebhookId,
} from "@mailroom/domain"
