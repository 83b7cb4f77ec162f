/** `@mailroom/client`: mailboxes for software agents, by promises and async iterators. */
export { Mailroom, type Events } from "./Mailroom.js"
export type { Fetch, MailroomOptions, RequestOptions } from "./options.js"
export type { Call, WithResponse } from "./Call.js"
export type { List, Page } from "./Page.js"
export type { FileUpload, RawMail } from "./files.js"
export type { EventCursor, EventsOptions, MailroomEvent } from "./follow.js"
export {
  ConnectionError,
  type ErrorBody,
  type Issue,
  MailroomError,
  NotJsonError,
  RedirectedError,
  TimeoutError,
  WebhookVerificationError,
} from "./MailroomError.js"
export * from "./generated/errors.js"
export type * from "./generated/types.js"
export { unwrapWebhook, type WebhookHeaders } from "./webhook.js"
