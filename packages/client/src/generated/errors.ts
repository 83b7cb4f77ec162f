/** Generated from the contract by `npm run client`; do not edit. */
import { type ErrorBody, MailroomError } from "../MailroomError.js"
import type {
  BadRequest,
  Conflict,
  Forbidden,
  InboundLimitExceeded,
  InternalError,
  NotFound,
  PayloadTooLarge,
  PaymentRequired,
  RequestTimeout,
  TooManyRequests,
  Unauthorized,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType,
} from "./types.js"

/** Errors of status 400. */
export class BadRequestError extends MailroomError {
  declare readonly body: BadRequest
}

/** Errors of status 402. */
export class PaymentError extends MailroomError {
  declare readonly body: PaymentRequired | InboundLimitExceeded
}

/** Errors of status 403. */
export class ForbiddenError extends MailroomError {
  declare readonly body: Forbidden
}

/** Errors of status 404. */
export class NotFoundError extends MailroomError {
  declare readonly body: NotFound
}

/** Errors of status 409. */
export class ConflictError extends MailroomError {
  declare readonly body: Conflict
}

/** Errors of status 410. */
export class GoneError extends MailroomError {
  declare readonly body: ErrorBody
}

/** Errors of status 413. */
export class TooLargeError extends MailroomError {
  declare readonly body: PayloadTooLarge
}

/** Errors of status 415. */
export class MediaTypeError extends MailroomError {
  declare readonly body: UnsupportedMediaType
}

/** Errors of status 422. */
export class UnprocessableError extends MailroomError {
  declare readonly body: Unprocessable
}

/** Errors of status 429. */
export class TooManyRequestsError extends MailroomError {
  declare readonly body: TooManyRequests
}

/** Errors of status 503. */
export class UnavailableError extends MailroomError {
  declare readonly body: Unavailable
}

/** 404 `ACCOUNT_NOT_FOUND`: no such account. */
export class AccountNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 403 `ACCOUNT_SUSPENDED`: the operator suspended the account. */
export class AccountSuspendedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 409 `ADDRESS_TAKEN`: a mailbox has this address already. */
export class AddressTakenError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `ALREADY_PAID`: the account is on a paid plan already. */
export class AlreadyPaidError extends ConflictError {
  declare readonly body: Conflict
}

/** 400 `API_KEY_LIMIT_REACHED`: the account has as many active API keys as it may have. */
export class ApiKeyLimitReachedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 409 `ATTACHMENT_IN_USE`: the file belongs to a message or a draft, and is deleted with it. */
export class AttachmentInUseError extends ConflictError {
  declare readonly body: Conflict
}

/**
 * 400 or 404 `ATTACHMENT_NOT_FOUND`: 400: an attachment id in the body does not exist; 404: no such
 * attachment, or out of the key's scope.
 */
export class AttachmentNotFoundError extends NotFoundError {}

/** 409 `BILLING_DISABLED`: this service sells nothing. */
export class BillingDisabledError extends ConflictError {
  declare readonly body: Conflict
}

/** 410 `CHECKOUT_COMPLETED`: the checkout was completed before. */
export class CheckoutCompletedError extends GoneError {
  declare readonly body: ErrorBody
}

/** 410 `CHECKOUT_EXPIRED`: the checkout has expired. */
export class CheckoutExpiredError extends GoneError {
  declare readonly body: ErrorBody
}

/** 404 `CHECKOUT_NOT_FOUND`: no such checkout. */
export class CheckoutNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/**
 * 409 `CLAIMED`: another worker holds the message until `Retry-After`, or, without that header, its work is
 * done.
 */
export class ClaimedError extends ConflictError {
  declare readonly body: Conflict
}

/**
 * 409 `CLAIM_LOST`: the token does not hold the message: its lease ended, or it is not the token of this
 * message.
 */
export class ClaimLostError extends ConflictError {
  declare readonly body: Conflict
}

/** 403 `CUSTOM_DOMAIN_LIMIT_REACHED`: the plan has no room for another custom domain. */
export class CustomDomainLimitReachedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 429 `DAILY_SEND_LIMIT_REACHED`: the mailbox has used its sends of the day. */
export class DailySendLimitReachedError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 404 `DELIVERY_NOT_FOUND`: no such delivery, or out of the key's scope. */
export class DeliveryNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 409 `DIGEST_MISMATCH`: the draft has another content than the digest names; `digest` is its own. */
export class DigestMismatchError extends ConflictError {
  declare readonly body: Conflict
}

/** 503 `DNS_UNAVAILABLE`: the name servers of the domain do not answer. */
export class DnsUnavailableError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 409 `DOMAIN_IN_USE`: mailboxes use the domain. */
export class DomainInUseError extends ConflictError {
  declare readonly body: Conflict
}

/** 404 `DOMAIN_NOT_FOUND`: no such domain. */
export class DomainNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 400 `DOMAIN_NOT_VERIFIED`: the domain of the new mailbox, or of the sending one, is not VERIFIED. */
export class DomainNotVerifiedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 409 `DOMAIN_TAKEN`: another account has verified the domain. */
export class DomainTakenError extends ConflictError {
  declare readonly body: Conflict
}

/** 400 `DRAFT_LIMIT_REACHED`: the account has as many drafts as it may have. */
export class DraftLimitReachedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `DRAFT_NOT_FOUND`: no such draft, or out of the key's scope. */
export class DraftNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 403 `EMAIL_NOT_VERIFIED`: the owner has not verified the address; sending and some routes need that. */
export class EmailNotVerifiedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 409 `EMAIL_TAKEN`: the email is registered. */
export class EmailTakenError extends ConflictError {
  declare readonly body: Conflict
}

/** 404 `ENDPOINT_NOT_FOUND`: no such path. */
export class EndpointNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 400 `EVENT_EXPIRED`: the event of this delivery has left the log. */
export class EventExpiredError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 403 `FOREIGN_ORIGIN`: a request with a session comes from another origin. */
export class ForeignOriginError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 409 `IDEMPOTENCY_KEY_IN_USE`: the first request with this `Idempotency-Key` is still running. */
export class IdempotencyKeyInUseError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `IDEMPOTENCY_KEY_REUSED`: the `Idempotency-Key` was used with another body. */
export class IdempotencyKeyReusedError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `IDEMPOTENCY_RESULT_LOST`: the request was carried out, but its response is lost. */
export class IdempotencyResultLostError extends ConflictError {
  declare readonly body: Conflict
}

/**
 * 402 `INBOUND_LIMIT_EXCEEDED`: the message is above the monthly inbound limit; an upgrade or the turn of the
 * month unlocks it.
 */
export class InboundLimitExceededError extends PaymentError {
  declare readonly body: InboundLimitExceeded
}

/**
 * 402 `INBOUND_TRIAL_LIMIT_EXCEEDED`: the message is above the trial's inbound limit; an upgrade unlocks it.
 */
export class InboundTrialLimitExceededError extends PaymentError {
  declare readonly body: InboundLimitExceeded
}

/** 500 `INTERNAL_ERROR`: an error of the service. */
export class InternalServerError extends MailroomError {
  declare readonly body: InternalError
}

/** 503 `INTERRUPTED`: the service is stopping. */
export class InterruptedError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 400 `INVALID_SIGNATURE`: a provider's request is not signed correctly. */
export class InvalidSignatureError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `INVALID_TOKEN`: the token of a link is invalid or expired. */
export class InvalidTokenError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `INVITATION_NOT_FOUND`: no such invitation. */
export class InvitationNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 403 `INVITATION_REQUIRED`: signup needs an invitation. */
export class InvitationRequiredError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 404 `KEY_NOT_FOUND`: no such key. */
export class KeyNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 400 `LAST_FULL_KEY`: the key is the only active key of full access. */
export class LastFullKeyError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `LIST_ENTRY_NOT_FOUND`: no such entry on the list. */
export class ListEntryNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 400 `LIST_LIMIT_REACHED`: the allow and block lists have as many entries as they may have. */
export class ListLimitReachedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `LIST_NOT_FOUND`: no such list. */
export class ListNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 403 `MAILBOX_LIMIT_REACHED`: the plan has no room for another mailbox. */
export class MailboxLimitReachedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 400 `MAILBOX_NOT_ACTIVE`: the sending mailbox is paused or suspended. */
export class MailboxNotActiveError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `MAILBOX_NOT_FOUND`: no such mailbox, or out of the key's scope. */
export class MailboxNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 400 `MAILBOX_SUSPENDED`: a suspended mailbox cannot be started. */
export class MailboxSuspendedError extends BadRequestError {
  declare readonly body: BadRequest
}

/**
 * 429 `MAIL_LOOP_CUT`: two machines answer each other; the thread or the correspondent has no automatic turn
 * left in this hour.
 */
export class MailLoopCutError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 404 `MESSAGE_NOT_FOUND`: no such message, or out of the key's scope. */
export class MessageNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 429 `MONTHLY_SEND_LIMIT_REACHED`: the mailbox has used its sends of the month. */
export class MonthlySendLimitReachedError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 400 `NOBODY_TO_ANSWER`: the message names no address that a reply could go to. */
export class NobodyToAnswerError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 409 `NOT_A_REQUEST`: the calendar of the message asks for no reply. */
export class NotARequestError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `NOT_INVITED`: the invitation does not name this mailbox. */
export class NotInvitedError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `NOT_PENDING_REVIEW`: the draft waits for no review: it was decided already. */
export class NotPendingReviewError extends ConflictError {
  declare readonly body: Conflict
}

/** 400 `NO_INVITATION`: the message has no calendar that could be read. */
export class NoInvitationError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 409 `NO_SUBSCRIPTION`: the account has no paid plan to change. */
export class NoSubscriptionError extends ConflictError {
  declare readonly body: Conflict
}

/** 415 `NO_TEXT`: the file is empty, or of a kind without text. */
export class NoTextError extends MediaTypeError {
  declare readonly body: UnsupportedMediaType
}

/** 503 `OVERLOADED`: the service has as much of this work as it can take. */
export class OverloadedError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 503 `PAYMENTS_UNAVAILABLE`: the payment provider is unavailable; nothing was changed. */
export class PaymentsUnavailableError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 402 `PAYMENT_DECLINED`: the payment provider declined the payment; the plan is unchanged. */
export class PaymentDeclinedError extends PaymentError {
  declare readonly body: PaymentRequired
}

/** 402 `PAYMENT_REQUIRED`: the trial is spent or expired, or the plan has lapsed. */
export class PaymentRequiredError extends PaymentError {
  declare readonly body: PaymentRequired
}

/** 403 `PERMISSION_DENIED`: the key lacks the permission; `required` names those of which it needs one. */
export class PermissionDeniedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 503 `PROVIDER_UNAVAILABLE`: the mail provider is unavailable; nothing was changed. */
export class ProviderUnavailableError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 429 `RATE_LIMITED`: too many requests of this kind. */
export class RateLimitedError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 400 `RECIPIENT_BLOCKED`: a recipient is on a block list of the account or the mailbox. */
export class RecipientBlockedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `RECIPIENT_NOT_ALLOWED`: a recipient has a disposable address, or one at a test domain. */
export class RecipientNotAllowedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `RECIPIENT_SUPPRESSED`: a recipient is on the suppression list. */
export class RecipientSuppressedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `RELAY_REFUSED`: the relay, or a mailbox of this service, refused the mail or its recipients. */
export class RelayRefusedError extends BadRequestError {
  declare readonly body: BadRequest
}

/**
 * 503 `RELAY_UNAVAILABLE`: the relay, or a mailbox of this service, takes no mail now; only the velocity
 * counts the send.
 */
export class RelayUnavailableError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 503 `REPORT_TOO_EARLY`: a provider reports about a message that is still being sent. */
export class ReportTooEarlyError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 408 `REQUEST_TIMEOUT`: the body came too slowly, or stopped. */
export class RequestTimeoutError extends MailroomError {
  declare readonly body: RequestTimeout
}

/** 403 `SCOPE_FORBIDDEN`: the route needs a key of full access. */
export class ScopeForbiddenError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 403 `SENDING_PAUSED`: the owner has paused all sends of the account. */
export class SendingPausedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/**
 * 403 `SENDING_STOPPED`: too many sends of the mailbox bounced or were reported as spam; the owner or the
 * operator resumes it.
 */
export class SendingStoppedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/**
 * 409 `SEND_OUTCOME_UNKNOWN`: the send under this `Idempotency-Key` has no recorded end, or ended as UNKNOWN;
 * `messageId` names the message.
 */
export class SendOutcomeUnknownError extends ConflictError {
  declare readonly body: Conflict
}

/**
 * 503 `SEND_UNCERTAIN`: the relay did not confirm the mail; the message is UNKNOWN, and `messageId` names it.
 */
export class SendUncertainError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 429 `SEND_VELOCITY_EXCEEDED`: the mailbox has used its sends of the minute. */
export class SendVelocityExceededError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 403 `SESSION_REQUIRED`: the route needs the session of the owner. */
export class SessionRequiredError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 403 `SIGNUP_CLOSED`: nobody can sign up at this service. */
export class SignupClosedError extends ForbiddenError {
  declare readonly body: Forbidden
}

/** 413 `SIZE_EXCEEDED`: a file, a message or the body is too large. */
export class SizeExceededError extends TooLargeError {
  declare readonly body: PayloadTooLarge
}

/** 409 `SLUG_RESERVED`: the slug is reserved. */
export class SlugReservedError extends ConflictError {
  declare readonly body: Conflict
}

/** 409 `SLUG_TAKEN`: the slug is registered. */
export class SlugTakenError extends ConflictError {
  declare readonly body: Conflict
}

/**
 * 413 `STORAGE_FULL`: the upload, the files of the send, or the draft would exceed the storage of the plan.
 */
export class StorageFullError extends TooLargeError {
  declare readonly body: PayloadTooLarge
}

/** 503 `STORAGE_UNAVAILABLE`: the database or the blob store is unavailable. */
export class StorageUnavailableError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 404 `SUPPRESSION_NOT_FOUND`: no such suppression. */
export class SuppressionNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** 422 `TEXT_DAMAGED`: the file is damaged, or not what it says it is. */
export class TextDamagedError extends UnprocessableError {
  declare readonly body: Unprocessable
}

/** 422 `TEXT_ENCRYPTED`: the file is encrypted, and only a password opens it. */
export class TextEncryptedError extends UnprocessableError {
  declare readonly body: Unprocessable
}

/** 422 `TEXT_TOO_LARGE`: the file needs more memory than reading it may take. */
export class TextTooLargeError extends UnprocessableError {
  declare readonly body: Unprocessable
}

/** 422 `TEXT_TOO_SLOW`: reading the file took too long. */
export class TextTooSlowError extends UnprocessableError {
  declare readonly body: Unprocessable
}

/** 404 `THREAD_NOT_FOUND`: no such thread, or out of the key's scope. */
export class ThreadNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/**
 * 409 `THREAD_TAKEN_OVER`: a person has taken the thread over, and keys do not send into it until it is
 * released.
 */
export class ThreadTakenOverError extends ConflictError {
  declare readonly body: Conflict
}

/** 503 `TOO_MANY_BODIES`: too many requests with large bodies are running; nothing was read. */
export class TooManyBodiesError extends UnavailableError {
  declare readonly body: Unavailable
}

/** 429 `TOO_MANY_STREAMS`: too many streams of the account are open. */
export class TooManyStreamsError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 429 `TOO_MANY_UNREAD`: the client does not read the responses that it has requested. */
export class TooManyUnreadError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 429 `TOO_MANY_WAITS`: too many requests of the account wait for a message. */
export class TooManyWaitsError extends TooManyRequestsError {
  declare readonly body: TooManyRequests
}

/** 402 `TRIAL_RECIPIENT_LOCKED`: in the trial, mail can only go to the owner's verified address. */
export class TrialRecipientLockedError extends PaymentError {
  declare readonly body: PaymentRequired
}

/** 401 `UNAUTHORIZED`: the key or the session is missing or invalid. */
export class UnauthorizedError extends MailroomError {
  declare readonly body: Unauthorized
}

/** 400 `VALIDATION_FAILED`: the body, the query or a header is invalid; `issues` names every field. */
export class ValidationFailedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `WEBHOOK_LIMIT_REACHED`: the account has as many webhooks as it may have. */
export class WebhookLimitReachedError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 400 `WEBHOOK_NOT_ACTIVE`: the webhook is paused or failed. */
export class WebhookNotActiveError extends BadRequestError {
  declare readonly body: BadRequest
}

/** 404 `WEBHOOK_NOT_FOUND`: no such webhook, or out of the key's scope. */
export class WebhookNotFoundError extends NotFoundError {
  declare readonly body: NotFound
}

/** The class of each code. */
export const codeClasses = {
  ACCOUNT_NOT_FOUND: AccountNotFoundError,
  ACCOUNT_SUSPENDED: AccountSuspendedError,
  ADDRESS_TAKEN: AddressTakenError,
  ALREADY_PAID: AlreadyPaidError,
  API_KEY_LIMIT_REACHED: ApiKeyLimitReachedError,
  ATTACHMENT_IN_USE: AttachmentInUseError,
  ATTACHMENT_NOT_FOUND: AttachmentNotFoundError,
  BILLING_DISABLED: BillingDisabledError,
  CHECKOUT_COMPLETED: CheckoutCompletedError,
  CHECKOUT_EXPIRED: CheckoutExpiredError,
  CHECKOUT_NOT_FOUND: CheckoutNotFoundError,
  CLAIMED: ClaimedError,
  CLAIM_LOST: ClaimLostError,
  CUSTOM_DOMAIN_LIMIT_REACHED: CustomDomainLimitReachedError,
  DAILY_SEND_LIMIT_REACHED: DailySendLimitReachedError,
  DELIVERY_NOT_FOUND: DeliveryNotFoundError,
  DIGEST_MISMATCH: DigestMismatchError,
  DNS_UNAVAILABLE: DnsUnavailableError,
  DOMAIN_IN_USE: DomainInUseError,
  DOMAIN_NOT_FOUND: DomainNotFoundError,
  DOMAIN_NOT_VERIFIED: DomainNotVerifiedError,
  DOMAIN_TAKEN: DomainTakenError,
  DRAFT_LIMIT_REACHED: DraftLimitReachedError,
  DRAFT_NOT_FOUND: DraftNotFoundError,
  EMAIL_NOT_VERIFIED: EmailNotVerifiedError,
  EMAIL_TAKEN: EmailTakenError,
  ENDPOINT_NOT_FOUND: EndpointNotFoundError,
  EVENT_EXPIRED: EventExpiredError,
  FOREIGN_ORIGIN: ForeignOriginError,
  IDEMPOTENCY_KEY_IN_USE: IdempotencyKeyInUseError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
  IDEMPOTENCY_RESULT_LOST: IdempotencyResultLostError,
  INBOUND_LIMIT_EXCEEDED: InboundLimitExceededError,
  INBOUND_TRIAL_LIMIT_EXCEEDED: InboundTrialLimitExceededError,
  INTERNAL_ERROR: InternalServerError,
  INTERRUPTED: InterruptedError,
  INVALID_SIGNATURE: InvalidSignatureError,
  INVALID_TOKEN: InvalidTokenError,
  INVITATION_NOT_FOUND: InvitationNotFoundError,
  INVITATION_REQUIRED: InvitationRequiredError,
  KEY_NOT_FOUND: KeyNotFoundError,
  LAST_FULL_KEY: LastFullKeyError,
  LIST_ENTRY_NOT_FOUND: ListEntryNotFoundError,
  LIST_LIMIT_REACHED: ListLimitReachedError,
  LIST_NOT_FOUND: ListNotFoundError,
  MAILBOX_LIMIT_REACHED: MailboxLimitReachedError,
  MAILBOX_NOT_ACTIVE: MailboxNotActiveError,
  MAILBOX_NOT_FOUND: MailboxNotFoundError,
  MAILBOX_SUSPENDED: MailboxSuspendedError,
  MAIL_LOOP_CUT: MailLoopCutError,
  MESSAGE_NOT_FOUND: MessageNotFoundError,
  MONTHLY_SEND_LIMIT_REACHED: MonthlySendLimitReachedError,
  NOBODY_TO_ANSWER: NobodyToAnswerError,
  NOT_A_REQUEST: NotARequestError,
  NOT_INVITED: NotInvitedError,
  NOT_PENDING_REVIEW: NotPendingReviewError,
  NO_INVITATION: NoInvitationError,
  NO_SUBSCRIPTION: NoSubscriptionError,
  NO_TEXT: NoTextError,
  OVERLOADED: OverloadedError,
  PAYMENTS_UNAVAILABLE: PaymentsUnavailableError,
  PAYMENT_DECLINED: PaymentDeclinedError,
  PAYMENT_REQUIRED: PaymentRequiredError,
  PERMISSION_DENIED: PermissionDeniedError,
  PROVIDER_UNAVAILABLE: ProviderUnavailableError,
  RATE_LIMITED: RateLimitedError,
  RECIPIENT_BLOCKED: RecipientBlockedError,
  RECIPIENT_NOT_ALLOWED: RecipientNotAllowedError,
  RECIPIENT_SUPPRESSED: RecipientSuppressedError,
  RELAY_REFUSED: RelayRefusedError,
  RELAY_UNAVAILABLE: RelayUnavailableError,
  REPORT_TOO_EARLY: ReportTooEarlyError,
  REQUEST_TIMEOUT: RequestTimeoutError,
  SCOPE_FORBIDDEN: ScopeForbiddenError,
  SENDING_PAUSED: SendingPausedError,
  SENDING_STOPPED: SendingStoppedError,
  SEND_OUTCOME_UNKNOWN: SendOutcomeUnknownError,
  SEND_UNCERTAIN: SendUncertainError,
  SEND_VELOCITY_EXCEEDED: SendVelocityExceededError,
  SESSION_REQUIRED: SessionRequiredError,
  SIGNUP_CLOSED: SignupClosedError,
  SIZE_EXCEEDED: SizeExceededError,
  SLUG_RESERVED: SlugReservedError,
  SLUG_TAKEN: SlugTakenError,
  STORAGE_FULL: StorageFullError,
  STORAGE_UNAVAILABLE: StorageUnavailableError,
  SUPPRESSION_NOT_FOUND: SuppressionNotFoundError,
  TEXT_DAMAGED: TextDamagedError,
  TEXT_ENCRYPTED: TextEncryptedError,
  TEXT_TOO_LARGE: TextTooLargeError,
  TEXT_TOO_SLOW: TextTooSlowError,
  THREAD_NOT_FOUND: ThreadNotFoundError,
  THREAD_TAKEN_OVER: ThreadTakenOverError,
  TOO_MANY_BODIES: TooManyBodiesError,
  TOO_MANY_STREAMS: TooManyStreamsError,
  TOO_MANY_UNREAD: TooManyUnreadError,
  TOO_MANY_WAITS: TooManyWaitsError,
  TRIAL_RECIPIENT_LOCKED: TrialRecipientLockedError,
  UNAUTHORIZED: UnauthorizedError,
  VALIDATION_FAILED: ValidationFailedError,
  WEBHOOK_LIMIT_REACHED: WebhookLimitReachedError,
  WEBHOOK_NOT_ACTIVE: WebhookNotActiveError,
  WEBHOOK_NOT_FOUND: WebhookNotFoundError,
}

export type ErrorCode = keyof typeof codeClasses

/** The class of a code that this client does not know, by the status. */
export const statusClasses = {
  400: BadRequestError,
  401: UnauthorizedError,
  402: PaymentError,
  403: ForbiddenError,
  404: NotFoundError,
  408: RequestTimeoutError,
  409: ConflictError,
  410: GoneError,
  413: TooLargeError,
  415: MediaTypeError,
  422: UnprocessableError,
  429: TooManyRequestsError,
  500: InternalServerError,
  503: UnavailableError,
}
