/**
 * The errors of use cases, one class each, with the data of the refusal, and their HTTP statuses (`statusOf`).
 * `packages/api/src/wireErrors.ts` gives each its text and its code over HTTP; `packages/api/src/errorCodes.ts` documents the
 * codes. Logs name an error by its class: `reason` of `send refused` is the `_tag`.
 */
import { Data } from "effect"
import type { PaymentReason } from "./accounts/state.js"
import type { UnreadableReason } from "./attachments/text.js"
import type { InboundGate } from "./billing/inbound.js"
import type { Plan } from "./billing/plans.js"
import type { DraftStatus } from "./drafts/Draft.js"
import type { DraftId, MessageId, ThreadId } from "./ids.js"
import type { Permission } from "./keys/permissions.js"
import type { MailboxStatus } from "./mailboxes/Mailbox.js"
import type { SendingStopReason } from "./reputation/sendingHealth.js"
import type { Timestamp } from "./time.js"
import type { WebhookStatus } from "./webhooks/Webhook.js"

export interface Issue {
  readonly path: string
  readonly message: string
  /** where in the text of the field, UTF-16 units from its start */
  readonly position?: number
}

/** The kind of resource in a 404. */
export type ResourceKind =
  | "account"
  | "key"
  | "mailbox"
  | "message"
  | "thread"
  | "attachment"
  | "draft"
  | "webhook"
  | "delivery"
  | "domain"
  | "suppression"
  | "checkout"
  | "invitation"
  | "list"
  | "list entry"

// 400
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly issues: ReadonlyArray<Issue>
}> {}
export class InvalidToken extends Data.TaggedError("InvalidToken")<{ readonly what: string }> {}
export class LastFullKey extends Data.TaggedError("LastFullKey") {}
/** The custom domain of a new mailbox, or of a mailbox that sends, is not VERIFIED. */
export class DomainNotVerified extends Data.TaggedError("DomainNotVerified")<{ readonly domain: string }> {}
/** A PATCH cannot start a suspended mailbox. A send from one fails with `MailboxNotActive`. */
export class MailboxSuspended extends Data.TaggedError("MailboxSuspended")<{
  readonly reason: string | null
}> {}
/** A paused or suspended mailbox cannot send. */
export class MailboxNotActive extends Data.TaggedError("MailboxNotActive")<{
  readonly address: string
  readonly status: MailboxStatus
}> {}
/** `address` is the first recipient that is refused. */
export class RecipientNotAllowed extends Data.TaggedError("RecipientNotAllowed")<{
  readonly address: string
  readonly reason: "test domain" | "disposable address"
}> {}
/** `address` is the first recipient on the account's suppression list. */
export class RecipientSuppressed extends Data.TaggedError("RecipientSuppressed")<{
  readonly address: string
}> {}
/** `address` is the first recipient that a send list blocks. */
export class RecipientBlocked extends Data.TaggedError("RecipientBlocked")<{
  readonly address: string
}> {}
/** The allow and block lists of the account have `limit` entries. */
export class ListLimitReached extends Data.TaggedError("ListLimitReached")<{ readonly limit: number }> {}
/** The account has no attachment with this id of a request body, or the key's scope excludes it. */
export class AttachmentUnknown extends Data.TaggedError("AttachmentUnknown")<{ readonly id: string }> {}
/** The message that a reply answers has no valid address in Reply-To and From. */
export class NobodyToAnswer extends Data.TaggedError("NobodyToAnswer") {}
/** The message has no calendar that could be read. */
export class NoInvitation extends Data.TaggedError("NoInvitation") {}
/** A webhook of a payment or mail provider has no valid signature. */
export class InvalidSignature extends Data.TaggedError("InvalidSignature") {}
/**
 * The relay refused all recipients. Also fails a send of which one recipient is a mailbox of this service that does not exist,
 * is suspended, or refuses the sender; then the relay was not called.
 */
export class RelayRefused extends Data.TaggedError("RelayRefused")<{
  /** the relay's reply, on one line; a text of this service when the relay was not called */
  readonly answer: string
  /** the refused command when it is not RCPT TO: then the recipient is not the reason */
  readonly command?: "MAIL FROM" | "DATA"
  readonly recipients: ReadonlyArray<string>
}> {}
/** The account has `limit` active API keys. */
export class ApiKeyLimitReached extends Data.TaggedError("ApiKeyLimitReached")<{
  readonly limit: number
}> {}
export class WebhookLimitReached extends Data.TaggedError("WebhookLimitReached")<{
  readonly limit: number
}> {}
/** The account has `limit` drafts. A send that a policy holds fails with it, too. */
export class DraftLimitReached extends Data.TaggedError("DraftLimitReached")<{
  readonly limit: number
}> {}
export class WebhookNotActive extends Data.TaggedError("WebhookNotActive")<{
  readonly status: WebhookStatus
}> {}
/** The event of a delivery is no longer in the log. */
export class EventExpired extends Data.TaggedError("EventExpired") {}

// 401
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{
  readonly reason: "missing" | "invalid key" | "invalid session" | "wrong email or password" | "admin token"
}> {}

// 402
/** The account is in the state `payment_required`. `reason`: why. */
export class PaymentRequired extends Data.TaggedError("PaymentRequired")<{
  readonly reason: PaymentReason
}> {}
/** `allowed` is the owner's address, the only recipient during the trial. */
export class TrialRecipientLocked extends Data.TaggedError("TrialRecipientLocked")<{
  readonly allowed: string
}> {}
/** The payment was declined; the plan is unchanged. */
export class PaymentDeclined extends Data.TaggedError("PaymentDeclined") {}
/** A gated message or its attachment was read, answered, forwarded, changed, or attached to a send. */
export class OverInboundLimit extends Data.TaggedError("OverInboundLimit")<{
  readonly gate: InboundGate
  readonly resource: { readonly type: "message" | "attachment"; readonly id: string }
  /** of the account, for the quota headers */
  readonly quota: { readonly current: number; readonly limit: number | null }
  readonly resetAt: Timestamp
  /** seconds until `resetAt` */
  readonly retryAfter: number
}> {}

// 403
/** The owner has paused all sends of the account. */
export class SendingPaused extends Data.TaggedError("SendingPaused") {}
/** From the access rule of the route, or from a send whose account was suspended during the request. */
export class AccountSuspended extends Data.TaggedError("AccountSuspended")<{
  readonly reason: string | null
}> {}
/** The route needs full access. A mailbox outside the scope of a key is `NotFound` instead. */
export class ScopeForbidden extends Data.TaggedError("ScopeForbidden") {}
/**
 * The key lacks permissions: for a route it needs one of `required`; to create a key with these permissions it needs all of
 * them.
 */
export class PermissionDenied extends Data.TaggedError("PermissionDenied")<{
  readonly required: ReadonlyArray<Permission>
}> {}
export class SessionRequired extends Data.TaggedError("SessionRequired") {}
/** A request with a session that a page of another site sent. Requests with an API key are not checked. */
export class ForeignOrigin extends Data.TaggedError("ForeignOrigin") {}
/** From the access rule of the route, or from `admitSend`: the routes of mail accept an unverified owner, a send does not. */
export class EmailNotVerified extends Data.TaggedError("EmailNotVerified") {}
/** Too many sends of the mailbox bounced or were reported as spam. It sends again when the owner or the operator resumes it. */
export class SendingIsStopped extends Data.TaggedError("SendingIsStopped")<{
  readonly address: string
  readonly reason: SendingStopReason
}> {}
/** The operator has closed signup. */
export class SignupClosed extends Data.TaggedError("SignupClosed") {}
/** Signup needs an invitation, and the request has none. */
export class InvitationRequired extends Data.TaggedError("InvitationRequired") {}
export class MailboxLimitReached extends Data.TaggedError("MailboxLimitReached")<{
  readonly plan: Plan
  readonly limit: number
}> {}
export class CustomDomainLimitReached extends Data.TaggedError("CustomDomainLimitReached")<{
  readonly plan: Plan
  readonly limit: number
}> {}

// 404
export class NotFound extends Data.TaggedError("NotFound")<{ readonly resource: ResourceKind }> {}

// 408
/** The body of a request came more slowly than `BODY_MIN_RATE`, or stopped coming. */
export class RequestTooSlow extends Data.TaggedError("RequestTooSlow") {}

// 409
export class AlreadyTaken extends Data.TaggedError("AlreadyTaken")<{
  readonly what: "email" | "slug" | "address" | "domain"
  readonly value: string
}> {}
export class DomainInUse extends Data.TaggedError("DomainInUse")<{
  readonly domain: string
  readonly mailboxes: number
}> {}
/** The file belongs to a message, and can only be deleted with it. */
export class AttachmentInUse extends Data.TaggedError("AttachmentInUse")<{
  readonly messageId: MessageId
}> {}
/** The file belongs to a draft, and can only be deleted with it. */
export class AttachmentInDraft extends Data.TaggedError("AttachmentInDraft")<{
  readonly draftId: DraftId
}> {}
/** The draft has changed since the caller read its digest. `digest`: the current one. */
export class DigestMismatch extends Data.TaggedError("DigestMismatch")<{ readonly digest: string }> {}
/** A review was decided already, or the draft waits for none. */
export class NotPendingReview extends Data.TaggedError("NotPendingReview")<{
  readonly status: DraftStatus
}> {}
export class SlugReserved extends Data.TaggedError("SlugReserved")<{ readonly slug: string }> {}
export class AlreadyPaid extends Data.TaggedError("AlreadyPaid")<{ readonly plan: Plan }> {}
export class BillingDisabled extends Data.TaggedError("BillingDisabled") {}
/** The first request with this key is still running; `retryAfter` in seconds. */
export class IdempotencyKeyInUse extends Data.TaggedError("IdempotencyKeyInUse")<{
  readonly retryAfter: number
}> {}
/** The key was used with another body. */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused") {}
/** The request was carried out, but its response is lost. */
export class IdempotencyResultLost extends Data.TaggedError("IdempotencyResultLost") {}
/** The send under this key was interrupted, and the relay may have accepted the message. */
export class SendOutcomeUnknown extends Data.TaggedError("SendOutcomeUnknown")<{
  readonly messageId: MessageId
}> {}
/** Another worker holds the message for `retryAfter` seconds more at most, or, without it, its work is done. */
export class MessageClaimed extends Data.TaggedError("MessageClaimed")<{ readonly retryAfter?: number }> {}
/** The token does not hold the message: its lease ended, or it was never the token of this message. */
export class ClaimLost extends Data.TaggedError("ClaimLost") {}
/** The calendar of the message asks for no reply: its method is not REQUEST, or it names no organizer. */
export class NotARequest extends Data.TaggedError("NotARequest")<{ readonly method: string | null }> {}
/** The invitation is not for this mailbox. */
export class NotInvited extends Data.TaggedError("NotInvited")<{ readonly address: string }> {}
/** A person has taken the thread over and answers it. Nobody else sends into it until it is released. */
export class ThreadTakenOver extends Data.TaggedError("ThreadTakenOver")<{ readonly threadId: ThreadId }> {}
/** The account has no paid plan to change, or no customer at the payment provider. */
export class NoSubscription extends Data.TaggedError("NoSubscription") {}

// 410
export class CheckoutClosed extends Data.TaggedError("CheckoutClosed")<{
  readonly state: "completed" | "expired"
}> {}

// 413
export class SizeExceeded extends Data.TaggedError("SizeExceeded")<{
  readonly what: string
  readonly limitBytes: number
}> {}
/** An upload, or the new attachments of a send, do not fit into the storage of the plan. */
export class StorageFull extends Data.TaggedError("StorageFull")<{
  readonly usedBytes: number
  readonly limitBytes: number
}> {}

// 415
/** The file is empty, or of a kind without text. */
export class NoText extends Data.TaggedError("NoText")<{ readonly isEmpty: boolean }> {}

// 422
/** The file is of a kind with text, and cannot be read. */
export class TextUnreadable extends Data.TaggedError("TextUnreadable")<{
  readonly reason: UnreadableReason
}> {}

// 429; `retryAfter` in seconds
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly what: "signup" | "slug check" | "sign-in" | "link" | "support request" | "import"
  readonly retryAfter: number
}> {}
/** Unread responses of this account use all the memory that they may use. */
export class TooManyUnread extends Data.TaggedError("TooManyUnread")<{ readonly retryAfter: number }> {}
export class TooManyStreams extends Data.TaggedError("TooManyStreams")<{ readonly limit: number }> {}
export class TooManyWaits extends Data.TaggedError("TooManyWaits")<{ readonly limit: number }> {}
/** The mailbox sent `limit` messages in this minute (UTC). The operator sets the limit (`SEND_VELOCITY_PER_MINUTE`). */
export class SendVelocityExceeded extends Data.TaggedError("SendVelocityExceeded")<{
  readonly limit: number
  readonly retryAfter: number
}> {}
/** The mailbox, or all mailboxes of the account, sent `limit` messages since midnight UTC. The plan sets the limit. */
export class DailySendLimitReached extends Data.TaggedError("DailySendLimitReached")<{
  readonly of: "mailbox" | "account"
  readonly limit: number
  readonly retryAfter: number
}> {}
/** The automatic turns in a thread, or with a correspondent, have reached their limit in this hour (docs/decisions/0032). */
export class MailLoopCut extends Data.TaggedError("MailLoopCut")<{
  readonly within: "thread" | "correspondent"
  readonly limit: number
  readonly retryAfter: number
}> {}
/** The mailbox sent `limit` messages since the 1st of the month (UTC). The plan sets the limit. */
export class MonthlySendLimitReached extends Data.TaggedError("MonthlySendLimitReached")<{
  readonly limit: number
  readonly retryAfter: number
}> {}

// 503
/** Request bodies use all the memory that they may use. The body was not read; `retryAfter` in seconds. */
export class TooManyBodies extends Data.TaggedError("TooManyBodies")<{ readonly retryAfter: number }> {}
/**
 * The relay did not answer or refused for now. Also fails a send to a mailbox of this service that is not provisioned yet, and
 * to a role address that takes no more mail in this hour; then the relay was not called. `recipientOnly`: the failure is about this
 * recipient, such as a 4xx to RCPT TO, and the relay may take the mail for others.
 */
export class RelayUnavailable extends Data.TaggedError("RelayUnavailable")<{
  readonly reason: string
  readonly recipientOnly?: true
}> {}
/**
 * The relay received the whole mail and did not confirm it (RFC 5321 §4.2.5). `messageId` is the id of the message that is
 * now UNKNOWN, if the send has one.
 */
export class RelayUncertain extends Data.TaggedError("RelayUncertain")<{
  readonly reason: string
  readonly messageId?: MessageId
}> {}
export class DnsUnavailable extends Data.TaggedError("DnsUnavailable")<{ readonly domain: string }> {}
/** The payment provider is unavailable, or refuses for a reason that the caller cannot change. */
export class PaymentsUnavailable extends Data.TaggedError("PaymentsUnavailable") {}
/** The mail provider is unavailable, so its request cannot be verified or carried out. */
export class ProviderUnavailable extends Data.TaggedError("ProviderUnavailable") {}

/** This process has reached its limit of concurrent work of this kind. */
export class Overloaded extends Data.TaggedError("Overloaded")<{ readonly retryAfter: number }> {}
/** The reported message is still being sent; its acceptance is not recorded yet. */
export class ReportTooEarly extends Data.TaggedError("ReportTooEarly") {}

/** All errors of use cases. */
export type MailroomError =
  | InvalidInput
  | InvalidToken
  | LastFullKey
  | DomainNotVerified
  | MailboxSuspended
  | MailboxNotActive
  | RecipientNotAllowed
  | RecipientSuppressed
  | RecipientBlocked
  | ListLimitReached
  | AttachmentUnknown
  | NobodyToAnswer
  | NoInvitation
  | InvalidSignature
  | RelayRefused
  | ApiKeyLimitReached
  | WebhookLimitReached
  | DraftLimitReached
  | WebhookNotActive
  | EventExpired
  | Unauthenticated
  | PaymentRequired
  | TrialRecipientLocked
  | PaymentDeclined
  | OverInboundLimit
  | AccountSuspended
  | SendingPaused
  | ScopeForbidden
  | PermissionDenied
  | SessionRequired
  | ForeignOrigin
  | SendingIsStopped
  | SignupClosed
  | InvitationRequired
  | EmailNotVerified
  | MailboxLimitReached
  | CustomDomainLimitReached
  | NotFound
  | RequestTooSlow
  | AlreadyTaken
  | DomainInUse
  | AttachmentInUse
  | AttachmentInDraft
  | DigestMismatch
  | NotPendingReview
  | SlugReserved
  | AlreadyPaid
  | BillingDisabled
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | IdempotencyResultLost
  | SendOutcomeUnknown
  | MessageClaimed
  | ClaimLost
  | NotARequest
  | NotInvited
  | ThreadTakenOver
  | NoSubscription
  | CheckoutClosed
  | SizeExceeded
  | StorageFull
  | NoText
  | TextUnreadable
  | RateLimited
  | TooManyStreams
  | TooManyWaits
  | TooManyUnread
  | MailLoopCut
  | SendVelocityExceeded
  | DailySendLimitReached
  | MonthlySendLimitReached
  | TooManyBodies
  | RelayUnavailable
  | ReportTooEarly
  | Overloaded
  | RelayUncertain
  | DnsUnavailable
  | PaymentsUnavailable
  | ProviderUnavailable

/** The HTTP status of each error (docs/specification/errors.md). */
export const statusOf: { readonly [T in MailroomError["_tag"]]: number } = {
  InvalidInput: 400,
  InvalidToken: 400,
  LastFullKey: 400,
  DomainNotVerified: 400,
  MailboxSuspended: 400,
  MailboxNotActive: 400,
  RecipientNotAllowed: 400,
  RecipientSuppressed: 400,
  RecipientBlocked: 400,
  ListLimitReached: 400,
  AttachmentUnknown: 400,
  NobodyToAnswer: 400,
  NoInvitation: 400,
  InvalidSignature: 400,
  RelayRefused: 400,
  ApiKeyLimitReached: 400,
  WebhookLimitReached: 400,
  DraftLimitReached: 400,
  WebhookNotActive: 400,
  EventExpired: 400,
  Unauthenticated: 401,
  PaymentRequired: 402,
  TrialRecipientLocked: 402,
  PaymentDeclined: 402,
  OverInboundLimit: 402,
  AccountSuspended: 403,
  SendingPaused: 403,
  ScopeForbidden: 403,
  PermissionDenied: 403,
  SessionRequired: 403,
  ForeignOrigin: 403,
  SendingIsStopped: 403,
  SignupClosed: 403,
  InvitationRequired: 403,
  EmailNotVerified: 403,
  MailboxLimitReached: 403,
  CustomDomainLimitReached: 403,
  NotFound: 404,
  RequestTooSlow: 408,
  AlreadyTaken: 409,
  DomainInUse: 409,
  AttachmentInUse: 409,
  AttachmentInDraft: 409,
  DigestMismatch: 409,
  NotPendingReview: 409,
  SlugReserved: 409,
  AlreadyPaid: 409,
  BillingDisabled: 409,
  IdempotencyKeyInUse: 409,
  IdempotencyKeyReused: 409,
  IdempotencyResultLost: 409,
  SendOutcomeUnknown: 409,
  MessageClaimed: 409,
  ClaimLost: 409,
  NotARequest: 409,
  NotInvited: 409,
  ThreadTakenOver: 409,
  NoSubscription: 409,
  CheckoutClosed: 410,
  SizeExceeded: 413,
  StorageFull: 413,
  NoText: 415,
  TextUnreadable: 422,
  RateLimited: 429,
  TooManyStreams: 429,
  TooManyWaits: 429,
  TooManyUnread: 429,
  MailLoopCut: 429,
  SendVelocityExceeded: 429,
  DailySendLimitReached: 429,
  MonthlySendLimitReached: 429,
  TooManyBodies: 503,
  RelayUnavailable: 503,
  ReportTooEarly: 503,
  Overloaded: 503,
  RelayUncertain: 503,
  DnsUnavailable: 503,
  PaymentsUnavailable: 503,
  ProviderUnavailable: 503,
}
