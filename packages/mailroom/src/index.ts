export { EmbeddedAccount } from "./EmbeddedAccount.js"
export { type ConsumeOptions, type Event, Events, type ReceivedMail } from "./Events.js"
export type { EventHandlerOptions, HandlerOptions } from "./handlerOptions.js"
export { type MailroomFailure, Refused, StorageUnavailable } from "./failures.js"
export { Mailboxes } from "./Mailboxes.js"
export { Mailroom, type MailroomServices, type StartError } from "./Mailroom.js"
export type { MessageListQuery } from "./MessageListQuery.js"
export {
  type MessageList,
  type MessageName,
  Messages,
  type NewMail,
  type NewReply,
  type SendOptions,
} from "./Messages.js"
export {
  DatabaseUrlInvalid,
  FolderMissing,
  type MailroomOptions,
  OptionsInvalid,
  type ReceiveOptions,
} from "./options.js"
export { PortUnusable, Receiver } from "./Receiver.js"
export type { SentMail } from "./SentMail.js"
export {
  createMailroom,
  type HandlerContext,
  type Handling,
  type IncomingEvent,
  type IncomingMail,
  MailroomClosed,
  type RunningMailroom,
} from "./createMailroom.js"
