import { DomainStatus, type MailroomError, statusOf, SuppressionReason } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"

const table: { readonly [status: number]: ReadonlyArray<MailroomError["_tag"]> } = {
  400: [
    "InvalidInput",
    "InvalidToken",
    "LastFullKey",
    "DomainNotVerified",
    "MailboxSuspended",
    "MailboxNotActive",
    "RecipientNotAllowed",
    "RecipientSuppressed",
    "AttachmentUnknown",
    "NobodyToAnswer",
    "InvalidSignature",
    "RelayRefused",
    "ApiKeyLimitReached",
    "WebhookLimitReached",
    "WebhookNotActive",
    "EventExpired",
  ],
  401: ["Unauthenticated"],
  402: ["PaymentRequired", "TrialRecipientLocked", "PaymentDeclined", "OverInboundLimit"],
  403: [
    "AccountSuspended",
    "ScopeForbidden",
    "SessionRequired",
    "ForeignOrigin",
    "SignupClosed",
    "InvitationRequired",
    "EmailNotVerified",
    "MailboxLimitReached",
    "CustomDomainLimitReached",
  ],
  404: ["NotFound"],
  408: ["RequestTooSlow"],
  409: [
    "AlreadyTaken",
    "DomainInUse",
    "AttachmentInUse",
    "SlugReserved",
    "AlreadyPaid",
    "BillingDisabled",
    "NoSubscription",
    "IdempotencyKeyInUse",
    "IdempotencyKeyReused",
    "IdempotencyResultLost",
    "SendOutcomeUnknown",
  ],
  410: ["CheckoutClosed"],
  413: ["SizeExceeded", "StorageFull"],
  429: [
    "RateLimited",
    "TooManyStreams",
    "TooManyUnread",
    "MailLoopCut",
    "SendVelocityExceeded",
    "DailySendLimitReached",
    "MonthlySendLimitReached",
  ],
  503: [
    "TooManyBodies",
    "RelayUnavailable",
    "RelayUncertain",
    "DnsUnavailable",
    "PaymentsUnavailable",
    "ProviderUnavailable",
    "Overloaded",
    "ReportTooEarly",
  ],
}

describe("status codes", () => {
  for (const [status, tags] of Object.entries(table))
    for (const tag of tags)
      it(`${tag} is ${status}`, () => {
        expect(statusOf[tag]).toBe(Number(status))
      })
})

describe("words of the wire", () => {
  it("statuses of domains and reasons of suppressions", () => {
    expect([...DomainStatus.literals]).toEqual(["PENDING_VERIFICATION", "VERIFIED", "FAILED"])
    expect([...SuppressionReason.literals]).toEqual(["BOUNCE", "COMPLAINT", "MANUAL"])
  })
})
