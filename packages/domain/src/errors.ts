/**
 * Everything a use case can refuse, one class each. The data says what happened; the words, the status and the
 * code it becomes over HTTP stand in one table (`packages/http/src/errors.ts`).
 */
import { Data } from "effect"
import type { InboundGate } from "./billing/inbound.js"
import type { Plan } from "./billing/plans.js"
import type { MessageId } from "./ids.js"
import type { MailboxStatus } from "./mailboxes/Mailbox.js"
import type { Timestamp } from "./time.js"
import type { WebhookStatus } from "./webhooks/Webhook.js"

export interface Issue {
  readonly path: string
  readonly message: string
}

/** What a 404 or a gated 402 speaks of. */
export type ResourceKind =
  | "account"
  | "key"
  | "mailbox"
  | "message"
  | "thread"
  | "attachment"
  | "webhook"
  | "delivery"
  | "domain"
  | "suppression"
  | "checkout"
  | "invitation"

// 400
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly issues: ReadonlyArray<Issue>
}> {}
export class InvalidToken extends Data.TaggedError("InvalidToken")<{ readonly what: string }> {}
export class LastFullKey extends Data.TaggedError("LastFullKey") {}
export class DomainNotVerified extends Data.TaggedError("DomainNotVerified")<{ readonly domain: string }> {}
export class MailboxSuspended extends Data.TaggedError("MailboxSuspended")<{
  readonly reason: string | null
}> {}
export class MailboxNotActive extends Data.TaggedError("MailboxNotActive")<{
  readonly address: string
  readonly status: MailboxStatus
}> {}
export class RecipientNotAllowed extends Data.TaggedError("RecipientNotAllowed")<{
  readonly address: string
  readonly reason: "test domain" | "disposable address"
}> {}
export class RecipientSuppressed extends Data.TaggedError("RecipientSuppressed")<{
  readonly address: string
}> {}
export class AttachmentUnknown extends Data.TaggedError("AttachmentUnknown")<{ readonly id: string }> {}
export class NobodyToAnswer extends Data.TaggedError("NobodyToAnswer") {}
/** A request that claims to come from a provider, of payments or of mail, and does not prove it. */
export class InvalidSignature extends Data.TaggedError("InvalidSignature") {}
export class RelayRefused extends Data.TaggedError("RelayRefused")<{
  /** what the relay said, one line */
  readonly answer: string
  /** the command it answered, where that was not RCPT TO: then the recipient is not the reason */
  readonly command?: "MAIL FROM" | "DATA"
  readonly recipients: ReadonlyArray<string>
}> {}
export class WebhookLimitReached extends Data.TaggedError("WebhookLimitReached")<{
  readonly limit: number
}> {}
export class WebhookNotActive extends Data.TaggedError("WebhookNotActive")<{
  readonly status: WebhookStatus
}> {}
/** The event that a delivery tells of has left the log. */
export class EventExpired extends Data.TaggedError("EventExpired") {}

// 401
export class Unauthenticated extends Data.TaggedError("Unauthenticated")<{
  readonly reason: "missing" | "invalid key" | "invalid session" | "wrong email or password" | "admin token"
}> {}

// 402
export class PaymentRequired extends Data.TaggedError("PaymentRequired") {}
export class TrialSpent extends Data.TaggedError("TrialSpent") {}
export class TrialRecipientLocked extends Data.TaggedError("TrialRecipientLocked")<{
  readonly allowed: string
}> {}
/** The provider asked for the money and did not get it; nothing was changed. */
export class PaymentDeclined extends Data.TaggedError("PaymentDeclined") {}
export class OverInboundLimit extends Data.TaggedError("OverInboundLimit")<{
  readonly gate: InboundGate
  readonly resource: { readonly type: "message" | "attachment"; readonly id: string }
  /** of the account, for the headers */
  readonly quota: { readonly current: number; readonly limit: number | null }
  readonly resetAt: Timestamp
  /** seconds until `resetAt` */
  readonly retryAfter: number
}> {}

// 403
export class AccountSuspended extends Data.TaggedError("AccountSuspended")<{
  readonly reason: string | null
}> {}
export class ScopeForbidden extends Data.TaggedError("ScopeForbidden") {}
export class SessionRequired extends Data.TaggedError("SessionRequired") {}
export class ForeignOrigin extends Data.TaggedError("ForeignOrigin") {}
export class EmailNotVerified extends Data.TaggedError("EmailNotVerified") {}
/** Nobody may open an account here. */
export class SignupClosed extends Data.TaggedError("SignupClosed") {}
/** Opening an account needs an invitation, and the request has none. */
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
/** A file of a message is deleted with the message alone. */
export class AttachmentInUse extends Data.TaggedError("AttachmentInUse")<{
  readonly messageId: MessageId
}> {}
export class SlugReserved extends Data.TaggedError("SlugReserved")<{ readonly slug: string }> {}
export class AlreadyPaid extends Data.TaggedError("AlreadyPaid")<{ readonly plan: Plan }> {}
export class BillingDisabled extends Data.TaggedError("BillingDisabled") {}
/** the same key is at work right now; `retryAfter` in seconds */
export class IdempotencyKeyInUse extends Data.TaggedError("IdempotencyKeyInUse")<{
  readonly retryAfter: number
}> {}
/** the same key came with another body */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused") {}
/** the request was carried out, and nobody knows any more what was answered */
export class IdempotencyResultLost extends Data.TaggedError("IdempotencyResultLost") {}
/** the send under this key was broken off, and nobody knows whether the relay took the message */
export class SendOutcomeUnknown extends Data.TaggedError("SendOutcomeUnknown")<{
  readonly messageId: MessageId
}> {}
/** There is no paid plan to change, or nothing at the payment provider to look at. */
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
export class StorageFull extends Data.TaggedError("StorageFull")<{
  readonly usedBytes: number
  readonly limitBytes: number
}> {}

// 429; `retryAfter` in seconds
export class RateLimited extends Data.TaggedError("RateLimited")<{
  readonly what: "signup" | "slug check" | "sign-in" | "link" | "support request"
  readonly retryAfter: number
}> {}
/** Answers of this account that its clients have not read yet hold as much memory as they may. */
export class TooManyUnread extends Data.TaggedError("TooManyUnread")<{ readonly retryAfter: number }> {}
export class TooManyStreams extends Data.TaggedError("TooManyStreams")<{ readonly limit: number }> {}
export class SendVelocityExceeded extends Data.TaggedError("SendVelocityExceeded")<{
  readonly limit: number
  readonly retryAfter: number
}> {}
export class DailySendLimitReached extends Data.TaggedError("DailySendLimitReached")<{
  readonly limit: number
  readonly retryAfter: number
}> {}
/** Two machines answer each other in one thread. */
export class MailLoopCut extends Data.TaggedError("MailLoopCut")<{
  readonly limit: number
  readonly retryAfter: number
}> {}
export class MonthlySendLimitReached extends Data.TaggedError("MonthlySendLimitReached")<{
  readonly limit: number
  readonly retryAfter: number
}> {}

// 503
/** The process holds as many request bodies as it has memory for. Nothing was read; `retryAfter` in seconds. */
export class TooManyBodies extends Data.TaggedError("TooManyBodies")<{ readonly retryAfter: number }> {}
export class RelayUnavailable extends Data.TaggedError("RelayUnavailable")<{ readonly reason: string }> {}
/**
 * The relay was given the whole mail and did not say whether it took it (RFC 5321 §4.2.5); `messageId` is ours, of the
 * message that is UNKNOWN now, where there is one (decisions §2).
 */
export class RelayUncertain extends Data.TaggedError("RelayUncertain")<{
  readonly reason: string
  readonly messageId?: MessageId
}> {}
export class DnsUnavailable extends Data.TaggedError("DnsUnavailable")<{ readonly domain: string }> {}
/** The payment provider is away, or does not do what is asked for a reason that is not the caller's. */
export class PaymentsUnavailable extends Data.TaggedError("PaymentsUnavailable") {}
/** The mail provider is away, and without its word its own request can be neither proved nor carried out. */
export class ProviderUnavailable extends Data.TaggedError("ProviderUnavailable") {}

/** This process has as much of this work as it takes on at once. */
export class Overloaded extends Data.TaggedError("Overloaded")<{ readonly retryAfter: number }> {}
/** A report about a message that is still being sent: whoever took it has not been written down yet. */
export class ReportTooEarly extends Data.TaggedError("ReportTooEarly") {}

/** The union: what any use case may fail with. */
export type MailroomError =
  | InvalidInput
  | InvalidToken
  | LastFullKey
  | DomainNotVerified
  | MailboxSuspended
  | MailboxNotActive
  | RecipientNotAllowed
  | RecipientSuppressed
  | AttachmentUnknown
  | NobodyToAnswer
  | InvalidSignature
  | RelayRefused
  | WebhookLimitReached
  | WebhookNotActive
  | EventExpired
  | Unauthenticated
  | PaymentRequired
  | TrialSpent
  | TrialRecipientLocked
  | PaymentDeclined
  | OverInboundLimit
  | AccountSuspended
  | ScopeForbidden
  | SessionRequired
  | ForeignOrigin
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
  | SlugReserved
  | AlreadyPaid
  | BillingDisabled
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | IdempotencyResultLost
  | SendOutcomeUnknown
  | NoSubscription
  | CheckoutClosed
  | SizeExceeded
  | StorageFull
  | RateLimited
  | TooManyStreams
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

/** The status each becomes (spec, Status codes). */
export const statusOf: { readonly [T in MailroomError["_tag"]]: number } = {
  InvalidInput: 400,
  InvalidToken: 400,
  LastFullKey: 400,
  DomainNotVerified: 400,
  MailboxSuspended: 400,
  MailboxNotActive: 400,
  RecipientNotAllowed: 400,
  RecipientSuppressed: 400,
  AttachmentUnknown: 400,
  NobodyToAnswer: 400,
  InvalidSignature: 400,
  RelayRefused: 400,
  WebhookLimitReached: 400,
  WebhookNotActive: 400,
  EventExpired: 400,
  Unauthenticated: 401,
  PaymentRequired: 402,
  TrialSpent: 402,
  TrialRecipientLocked: 402,
  PaymentDeclined: 402,
  OverInboundLimit: 402,
  AccountSuspended: 403,
  ScopeForbidden: 403,
  SessionRequired: 403,
  ForeignOrigin: 403,
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
  SlugReserved: 409,
  AlreadyPaid: 409,
  BillingDisabled: 409,
  IdempotencyKeyInUse: 409,
  IdempotencyKeyReused: 409,
  IdempotencyResultLost: 409,
  SendOutcomeUnknown: 409,
  NoSubscription: 409,
  CheckoutClosed: 410,
  SizeExceeded: 413,
  StorageFull: 413,
  RateLimited: 429,
  TooManyStreams: 429,
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
