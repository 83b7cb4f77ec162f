/**
 * The wire form of every error of the use cases: its text, code and fields (docs/specification/errors.md). `statusOf` in
 * `packages/domain/src/errors.ts` has its status.
 */
import {
  type BillingMode,
  type InboundGate,
  type MailroomError,
  type ResourceKind,
  UPGRADE_HINT,
  upgradeAt,
  relayRefusalText,
} from "@mailroom/domain"
import type { WireError } from "./errors.js"

type Of<T extends MailroomError["_tag"]> = Extract<MailroomError, { readonly _tag: T }>
type Wire<T extends WireError["_tag"]> = Extract<WireError, { readonly _tag: T }>
type Code<T extends WireError["_tag"]> = Wire<T>["code"]

const badRequest = (code: Code<"BadRequest">, error: string): Wire<"BadRequest"> => ({
  _tag: "BadRequest",
  error,
  code,
})
const conflict = (code: Code<"Conflict">, error: string): Wire<"Conflict"> => ({
  _tag: "Conflict",
  error,
  code,
})
const notFound = (code: Code<"NotFound">, error: string): Wire<"NotFound"> => ({
  _tag: "NotFound",
  error,
  code,
})
const forbidden = (code: Code<"Forbidden">, error: string): Wire<"Forbidden"> => ({
  _tag: "Forbidden",
  error,
  code,
})
const tooMany = (code: Code<"TooManyRequests">, error: string): Wire<"TooManyRequests"> => ({
  _tag: "TooManyRequests",
  code,
  error,
})

/** In MB with one digit, below 1 MB in kB. */
const sizeText = (bytes: number): string =>
  bytes > 0 && bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${Math.round((bytes / (1024 * 1024)) * 10) / 10} MB`

const notFoundCodes: { readonly [R in ResourceKind]: Code<"NotFound"> } = {
  account: "ACCOUNT_NOT_FOUND",
  key: "KEY_NOT_FOUND",
  mailbox: "MAILBOX_NOT_FOUND",
  message: "MESSAGE_NOT_FOUND",
  thread: "THREAD_NOT_FOUND",
  attachment: "ATTACHMENT_NOT_FOUND",
  draft: "DRAFT_NOT_FOUND",
  webhook: "WEBHOOK_NOT_FOUND",
  delivery: "DELIVERY_NOT_FOUND",
  domain: "DOMAIN_NOT_FOUND",
  suppression: "SUPPRESSION_NOT_FOUND",
  checkout: "CHECKOUT_NOT_FOUND",
  invitation: "INVITATION_NOT_FOUND",
  list: "LIST_NOT_FOUND",
  "list entry": "LIST_ENTRY_NOT_FOUND",
}

const takenCodes: { readonly [W in Of<"AlreadyTaken">["what"]]: Code<"Conflict"> } = {
  email: "EMAIL_TAKEN",
  slug: "SLUG_TAKEN",
  address: "ADDRESS_TAKEN",
  domain: "DOMAIN_TAKEN",
}

const unauthenticatedTexts: { readonly [R in Of<"Unauthenticated">["reason"]]: string } = {
  missing: "Missing API key. Send it as `Authorization: Bearer mr_…`",
  "invalid key": "Invalid or revoked API key",
  "invalid session": "The session is over. Sign in again",
  "wrong email or password": "Wrong email or password",
  "admin token": "Missing or wrong admin token. Send it as `Authorization: Bearer …`",
}

const unreadable: {
  readonly [R in Of<"TextUnreadable">["reason"]]: Pick<Wire<"Unprocessable">, "code" | "error">
} = {
  encrypted: { code: "TEXT_ENCRYPTED", error: "The file is encrypted. Only a password opens it" },
  damaged: { code: "TEXT_DAMAGED", error: "The file is damaged, or not what its name and type say" },
  "too large": { code: "TEXT_TOO_LARGE", error: "The file is too large inside to read its text" },
  "took too long": { code: "TEXT_TOO_SLOW", error: "Reading the text of this file took too long" },
}

/** The wire form of `Overloaded`. `retryAfter` is in seconds. */
export const overloaded = (retryAfter: number): Wire<"Unavailable"> => ({
  _tag: "Unavailable",
  error: `The service has too much of this to do right now. Nothing was changed; try again in ${retryAfter} s`,
  code: "OVERLOADED",
})

interface WireErrorSettings {
  /** public URL of the service, used in links; no trailing slash */
  readonly baseUrl: string
  readonly billing: BillingMode
}

/** The wire form of each error. Where `billing` is `none`, no error advises to upgrade, because nothing is sold. */
export const wireErrors = ({ baseUrl, billing }: WireErrorSettings) => {
  const upgrade = upgradeAt(baseUrl, billing)
  const isSold = billing !== "none"

  /** Adds `upgrade` to the error of a limit that a larger plan raises, unless nothing is sold. */
  const withUpgradeHint = <W extends Wire<"Forbidden"> | Wire<"TooManyRequests"> | Wire<"PayloadTooLarge">>(
    wire: W,
  ): W => (isSold ? { ...wire, upgrade: UPGRADE_HINT } : wire)

  const overInboundLimit = (gate: InboundGate): string => {
    if (gate === "INBOUND_TRIAL_LIMIT_EXCEEDED")
      return "This arrived above the trial's inbound limit. It unlocks by upgrade"
    const unlocks = isSold ? "by upgrade or at the monthly reset" : "at the monthly reset"
    return `This arrived above the monthly inbound limit. It unlocks ${unlocks}`
  }

  const payment = (code: Code<"PaymentRequired">, error: string): Wire<"PaymentRequired"> => ({
    _tag: "PaymentRequired",
    error,
    payment_required: true,
    code,
    upgrade,
  })
  return {
    InvalidInput: (e: Of<"InvalidInput">): Wire<"BadRequest"> => ({
      ...badRequest(
        "VALIDATION_FAILED",
        e.issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
      ),
      issues: e.issues,
    }),
    InvalidToken: (e: Of<"InvalidToken">) =>
      badRequest("INVALID_TOKEN", `This ${e.what} is not valid or has expired. Ask for a new one`),
    LastFullKey: () =>
      badRequest(
        "LAST_FULL_KEY",
        "The only active full-access key cannot be revoked. Create another one first",
      ),
    DomainNotVerified: () => badRequest("DOMAIN_NOT_VERIFIED", "Domain not verified"),
    MailboxSuspended: (e: Of<"MailboxSuspended">) =>
      badRequest("MAILBOX_SUSPENDED", `The mailbox is suspended${e.reason === null ? "" : `: ${e.reason}`}`),
    MailboxNotActive: (e: Of<"MailboxNotActive">) =>
      badRequest("MAILBOX_NOT_ACTIVE", `Mailbox ${e.address} is ${e.status}; only ACTIVE mailboxes can send`),
    RecipientNotAllowed: (e: Of<"RecipientNotAllowed">): Wire<"BadRequest"> => ({
      ...badRequest("RECIPIENT_NOT_ALLOWED", `${e.address} cannot be written to: ${e.reason}`),
      address: e.address,
    }),
    RecipientBlocked: (e: Of<"RecipientBlocked">): Wire<"BadRequest"> => ({
      ...badRequest("RECIPIENT_BLOCKED", `${e.address} is on a block list of the account or the mailbox`),
      address: e.address,
    }),
    ListLimitReached: (e: Of<"ListLimitReached">) =>
      badRequest(
        "LIST_LIMIT_REACHED",
        `The lists of the account have ${e.limit} entries. Remove some, or use entries for whole domains`,
      ),
    RecipientSuppressed: (e: Of<"RecipientSuppressed">): Wire<"BadRequest"> => ({
      ...badRequest(
        "RECIPIENT_SUPPRESSED",
        `${e.address} is on the suppression list. Remove it from the list to send`,
      ),
      address: e.address,
    }),
    AttachmentUnknown: (e: Of<"AttachmentUnknown">) =>
      badRequest("ATTACHMENT_NOT_FOUND", `There is no attachment ${e.id}`),
    AttachmentInUse: (e: Of<"AttachmentInUse">) =>
      conflict(
        "ATTACHMENT_IN_USE",
        `The file belongs to message ${e.messageId} and is deleted with it. Delete the message instead`,
      ),
    AttachmentInDraft: (e: Of<"AttachmentInDraft">) =>
      conflict(
        "ATTACHMENT_IN_USE",
        `The file belongs to draft ${e.draftId} and is deleted with it. Change or delete the draft instead`,
      ),
    DigestMismatch: (e: Of<"DigestMismatch">): Wire<"Conflict"> => ({
      ...conflict("DIGEST_MISMATCH", "The draft has changed. Look at it again, and decide by its new digest"),
      digest: e.digest,
    }),
    NotPendingReview: (e: Of<"NotPendingReview">) =>
      conflict(
        "NOT_PENDING_REVIEW",
        `The draft waits for no review: it is ${e.status}${e.status === "SCHEDULED" ? "" : ". Sending it again asks for one"}`,
      ),
    DraftLimitReached: (e: Of<"DraftLimitReached">) =>
      badRequest("DRAFT_LIMIT_REACHED", `An account has room for ${e.limit} drafts. Delete one first`),
    NobodyToAnswer: () =>
      badRequest(
        "NOBODY_TO_ANSWER",
        "This message cannot be answered: it has no usable address in Reply-To or From",
      ),
    NoInvitation: () =>
      badRequest(
        "NO_INVITATION",
        "This message has no invitation: none of its parts is a calendar that can be read",
      ),
    InvalidSignature: () =>
      badRequest("INVALID_SIGNATURE", "The signature of this request is missing, wrong or too old"),
    RelayRefused: (e: Of<"RelayRefused">) => badRequest("RELAY_REFUSED", relayRefusalText(e)),
    ApiKeyLimitReached: (e: Of<"ApiKeyLimitReached">) =>
      badRequest("API_KEY_LIMIT_REACHED", `An account has room for ${e.limit} active keys. Revoke one first`),
    WebhookLimitReached: (e: Of<"WebhookLimitReached">) =>
      badRequest("WEBHOOK_LIMIT_REACHED", `An account has room for ${e.limit} webhooks. Delete one first`),
    WebhookNotActive: (e: Of<"WebhookNotActive">) =>
      badRequest(
        "WEBHOOK_NOT_ACTIVE",
        `The webhook is ${e.status}. Start it first: PATCH it with {"status": "ACTIVE"}`,
      ),
    EventExpired: () =>
      badRequest("EVENT_EXPIRED", "The event of this delivery is no longer in the log, which holds 30 days"),
    Unauthenticated: (e: Of<"Unauthenticated">): Wire<"Unauthorized"> => ({
      _tag: "Unauthorized",
      error: unauthenticatedTexts[e.reason],
      code: "UNAUTHORIZED",
    }),
    PaymentRequired: (e: Of<"PaymentRequired">) =>
      payment("PAYMENT_REQUIRED", `Payment required: ${e.reason}`),
    TrialRecipientLocked: (e: Of<"TrialRecipientLocked">) =>
      payment("TRIAL_RECIPIENT_LOCKED", `During the trial mail can only be sent to ${e.allowed}`),
    PaymentDeclined: () =>
      payment(
        "PAYMENT_DECLINED",
        "The payment was declined, and the plan is as it was. Change the payment method and try again",
      ),
    OverInboundLimit: (e: Of<"OverInboundLimit">): Wire<"InboundLimitExceeded"> => ({
      _tag: "InboundLimitExceeded",
      error: overInboundLimit(e.gate),
      code: e.gate,
      resource: e.resource,
      ...(isSold && { upgrade }),
      ...(e.gate === "INBOUND_LIMIT_EXCEEDED" && { resetAt: e.resetAt }),
    }),
    AccountSuspended: (e: Of<"AccountSuspended">): Wire<"Forbidden"> => ({
      ...forbidden("ACCOUNT_SUSPENDED", "The account is suspended"),
      suspended: true,
      reason: e.reason,
    }),
    SendingPaused: () =>
      forbidden(
        "SENDING_PAUSED",
        'The owner has paused all sends of the account. PATCH /v1/account with {"sendingPaused": false} resumes them',
      ),
    ScopeForbidden: () =>
      forbidden("SCOPE_FORBIDDEN", "This needs a key with full access, or the session of the owner"),
    PermissionDenied: ({ required }: Of<"PermissionDenied">): Wire<"Forbidden"> => ({
      ...forbidden(
        "PERMISSION_DENIED",
        `This key lacks the permission for this: ${required.join(", ")}. A key keeps its permissions: ask the owner for another one`,
      ),
      required,
    }),
    SessionRequired: () =>
      forbidden("SESSION_REQUIRED", "Only the account's owner can do this, signed in to the dashboard"),
    ForeignOrigin: () =>
      forbidden("FOREIGN_ORIGIN", "Requests with a session must come from the dashboard's own pages"),
    SendingIsStopped: (e: Of<"SendingIsStopped">): Wire<"Forbidden"> => ({
      ...forbidden(
        "SENDING_STOPPED",
        `${e.address} may not send: too many of its last mails ${
          e.reason === "BOUNCES" ? "went to addresses that do not exist" : "were reported as spam"
        }. Its owner resumes it with POST /v1/mailboxes/{id}/resume-sending`,
      ),
      reason: e.reason,
    }),
    SignupClosed: () =>
      forbidden("SIGNUP_CLOSED", "Nobody can sign up here: ask the operator for an account"),
    InvitationRequired: () =>
      forbidden(
        "INVITATION_REQUIRED",
        "Signing up here needs an invitation of the operator. Send its token as `invitation`",
      ),
    EmailNotVerified: () =>
      forbidden(
        "EMAIL_NOT_VERIFIED",
        "The account's owner has to verify the email address first, by the link in the mail. POST /v1/auth/resend-verification sends it again",
      ),
    MailboxLimitReached: (e: Of<"MailboxLimitReached">) =>
      withUpgradeHint(
        forbidden("MAILBOX_LIMIT_REACHED", `The ${e.plan} plan has room for ${e.limit} mailboxes`),
      ),
    CustomDomainLimitReached: (e: Of<"CustomDomainLimitReached">) =>
      withUpgradeHint(
        forbidden(
          "CUSTOM_DOMAIN_LIMIT_REACHED",
          e.limit === 0
            ? `The ${e.plan} plan has no custom domains`
            : `The ${e.plan} plan has ${e.limit} custom domains`,
        ),
      ),
    NotFound: (e: Of<"NotFound">) =>
      notFound(
        notFoundCodes[e.resource],
        e.resource === "list"
          ? "There is no such list. The lists are receive/allow, receive/block, send/allow and send/block"
          : `There is no such ${e.resource}`,
      ),
    RequestTooSlow: (): Wire<"RequestTimeout"> => ({
      _tag: "RequestTimeout",
      error: "The body of the request came too slowly, or stopped. Nothing was changed; send it again",
      code: "REQUEST_TIMEOUT",
    }),
    AlreadyTaken: (e: Of<"AlreadyTaken">) =>
      conflict(takenCodes[e.what], `The ${e.what} ${e.value} is taken`),
    DomainInUse: (e: Of<"DomainInUse">) =>
      conflict(
        "DOMAIN_IN_USE",
        `${e.domain} has ${e.mailboxes === 1 ? "a mailbox" : `${e.mailboxes} mailboxes`}. Delete what is on it first`,
      ),
    SlugReserved: (e: Of<"SlugReserved">) => conflict("SLUG_RESERVED", `The slug ${e.slug} is reserved`),
    AlreadyPaid: (e: Of<"AlreadyPaid">) =>
      conflict("ALREADY_PAID", `The account is on the ${e.plan} plan already`),
    BillingDisabled: () =>
      conflict("BILLING_DISABLED", "There is nothing to buy here: billing is switched off"),
    IdempotencyKeyInUse: (e: Of<"IdempotencyKeyInUse">) =>
      conflict(
        "IDEMPOTENCY_KEY_IN_USE",
        `The first request with this Idempotency-Key is not done yet. Ask again in ${e.retryAfter} s`,
      ),
    IdempotencyKeyReused: () =>
      conflict(
        "IDEMPOTENCY_KEY_REUSED",
        "This Idempotency-Key came before, with another body. A new request needs a new key",
      ),
    IdempotencyResultLost: () =>
      conflict(
        "IDEMPOTENCY_RESULT_LOST",
        "The request succeeded, but its response is lost. Lists show its result; a new key runs it again",
      ),
    SendOutcomeUnknown: (e: Of<"SendOutcomeUnknown">): Wire<"Conflict"> => ({
      ...conflict(
        "SEND_OUTCOME_UNKNOWN",
        `Message ${e.messageId} may have been sent or not. It is not sent again under this Idempotency-Key`,
      ),
      messageId: e.messageId,
    }),
    MessageClaimed: ({ retryAfter }: Of<"MessageClaimed">) =>
      conflict(
        "CLAIMED",
        retryAfter === undefined
          ? "The work on this message is done"
          : `Another worker holds this message. Its lease ends in ${retryAfter} s, if it is not renewed`,
      ),
    ClaimLost: () =>
      conflict(
        "CLAIM_LOST",
        "This token does not hold the message: its lease ended, or it is not the token of this message. Another worker may have claimed it",
      ),
    NotARequest: (e: Of<"NotARequest">) =>
      conflict(
        "NOT_A_REQUEST",
        e.method === "REQUEST"
          ? "The invitation names no organizer whom a reply could go to"
          : `The calendar in this message asks for no reply: its method is ${e.method ?? "missing"}, not REQUEST`,
      ),
    NotInvited: (e: Of<"NotInvited">) =>
      conflict("NOT_INVITED", `The invitation does not name ${e.address} among its attendees`),
    ThreadTakenOver: (e: Of<"ThreadTakenOver">) =>
      conflict(
        "THREAD_TAKEN_OVER",
        `A person has taken thread ${e.threadId} over and answers it. Nothing was sent, and nothing is until the thread is released`,
      ),
    NoSubscription: () =>
      conflict("NO_SUBSCRIPTION", `The account has no paid plan to change. ${UPGRADE_HINT}`),
    CheckoutClosed: (e: Of<"CheckoutClosed">): Wire<"Gone"> => ({
      _tag: "Gone",
      code: e.state === "completed" ? "CHECKOUT_COMPLETED" : "CHECKOUT_EXPIRED",
      error:
        e.state === "completed" ? "This checkout was completed already" : "This checkout link has expired",
    }),
    SizeExceeded: (e: Of<"SizeExceeded">): Wire<"PayloadTooLarge"> => ({
      _tag: "PayloadTooLarge",
      error: `Too large: ${e.what} may have ${sizeText(e.limitBytes)}`,
      code: "SIZE_EXCEEDED",
    }),
    StorageFull: (e: Of<"StorageFull">) =>
      withUpgradeHint<Wire<"PayloadTooLarge">>({
        _tag: "PayloadTooLarge",
        error: `No room: ${sizeText(e.usedBytes)} of ${sizeText(e.limitBytes)} are in use`,
        code: "STORAGE_FULL",
      }),
    NoText: ({ isEmpty }: Of<"NoText">): Wire<"UnsupportedMediaType"> => ({
      _tag: "UnsupportedMediaType",
      error: isEmpty ? "The file is empty" : "Files of this kind have no text that could be read",
      code: "NO_TEXT",
    }),
    TextUnreadable: ({ reason }: Of<"TextUnreadable">): Wire<"Unprocessable"> => ({
      _tag: "Unprocessable",
      ...unreadable[reason],
    }),
    RateLimited: (e: Of<"RateLimited">) =>
      tooMany("RATE_LIMITED", `Too many requests (${e.what}). Try again in ${e.retryAfter} s`),
    TooManyStreams: (e: Of<"TooManyStreams">) =>
      tooMany("TOO_MANY_STREAMS", `At most ${e.limit} event streams can be open at a time`),
    TooManyWaits: (e: Of<"TooManyWaits">) =>
      tooMany("TOO_MANY_WAITS", `At most ${e.limit} requests can wait for a message at a time`),
    TooManyUnread: (e: Of<"TooManyUnread">) =>
      tooMany(
        "TOO_MANY_UNREAD",
        `This account has too many responses that it has not read. Read them to their end, or try again in ${e.retryAfter} s`,
      ),
    MailLoopCut: (e: Of<"MailLoopCut">) =>
      tooMany(
        "MAIL_LOOP_CUT",
        `Two machines answer each other. ${e.within === "thread" ? "A thread has" : "A mailbox and one correspondent have"} at most ${e.limit} automatic turns an hour. Try again in ${e.retryAfter} s`,
      ),
    SendVelocityExceeded: (e: Of<"SendVelocityExceeded">) =>
      tooMany("SEND_VELOCITY_EXCEEDED", `A mailbox can send ${e.limit} messages a minute`),
    DailySendLimitReached: (e: Of<"DailySendLimitReached">) =>
      withUpgradeHint(
        tooMany("DAILY_SEND_LIMIT_REACHED", `The ${e.of} has used its ${e.limit} sends of today`),
      ),
    MonthlySendLimitReached: (e: Of<"MonthlySendLimitReached">) =>
      withUpgradeHint(
        tooMany("MONTHLY_SEND_LIMIT_REACHED", `The mailbox has used its ${e.limit} sends of this month`),
      ),
    TooManyBodies: (e: Of<"TooManyBodies">): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: `Too many requests with large bodies are under way. Nothing was read; try again in ${e.retryAfter} s`,
      code: "TOO_MANY_BODIES",
    }),
    RelayUnavailable: (e: Of<"RelayUnavailable">): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: `The mail could not be sent now: ${e.reason}. It counts for no day and no month; try again`,
      code: "RELAY_UNAVAILABLE",
    }),
    Overloaded: ({ retryAfter }: Of<"Overloaded">) => overloaded(retryAfter),
    ReportTooEarly: (): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: "A message that this reports about is still being sent. Nothing was changed; report it again",
      code: "REPORT_TOO_EARLY",
    }),
    RelayUncertain: (e: Of<"RelayUncertain">): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: `The mail may have been sent or not: ${e.reason}. The message is UNKNOWN; look before you send it again`,
      code: "SEND_UNCERTAIN",
      ...(e.messageId !== undefined && { messageId: e.messageId }),
    }),
    DnsUnavailable: (e: Of<"DnsUnavailable">): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: `The name servers of ${e.domain} do not answer, so nothing was found out. Try again later`,
      code: "DNS_UNAVAILABLE",
    }),
    PaymentsUnavailable: (): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: "The payment provider cannot be reached right now. Nothing was changed; try again shortly",
      code: "PAYMENTS_UNAVAILABLE",
    }),
    ProviderUnavailable: (): Wire<"Unavailable"> => ({
      _tag: "Unavailable",
      error: "The mail provider cannot be reached right now. Nothing was changed; send it again shortly",
      code: "PROVIDER_UNAVAILABLE",
    }),
  }
}
