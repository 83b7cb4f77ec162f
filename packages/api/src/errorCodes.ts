/** Every error code by the schema that carries it, with its meaning; the specification's table of codes is made from this. */
export const errorCodes = {
  BadRequest: {
    status: 400,
    codes: {
      API_KEY_LIMIT_REACHED: "the account has as many active API keys as it may have",
      ATTACHMENT_NOT_FOUND: "an attachment id in the body does not exist",
      DOMAIN_NOT_VERIFIED: "the domain of the new mailbox, or of the sending one, is not VERIFIED",
      DRAFT_LIMIT_REACHED: "the account has as many drafts as it may have",
      EVENT_EXPIRED: "the event of this delivery has left the log",
      INVALID_SIGNATURE: "a provider's request is not signed correctly",
      INVALID_TOKEN: "the token of a link is invalid or expired",
      LAST_FULL_KEY: "the key is the only active key of full access",
      LIST_LIMIT_REACHED: "the allow and block lists have as many entries as they may have",
      MAILBOX_NOT_ACTIVE: "the sending mailbox is paused or suspended",
      MAILBOX_SUSPENDED: "a suspended mailbox cannot be started",
      NO_INVITATION: "the message has no calendar that could be read",
      NOBODY_TO_ANSWER: "the message names no address that a reply could go to",
      RECIPIENT_BLOCKED: "a recipient is on a block list of the account or the mailbox",
      RECIPIENT_NOT_ALLOWED: "a recipient has a disposable address, or one at a test domain",
      RECIPIENT_SUPPRESSED: "a recipient is on the suppression list",
      RELAY_REFUSED: "the relay, or a mailbox of this service, refused the mail or its recipients",
      VALIDATION_FAILED: "the body, the query or a header is invalid; `issues` names every field",
      WEBHOOK_LIMIT_REACHED: "the account has as many webhooks as it may have",
      WEBHOOK_NOT_ACTIVE: "the webhook is paused or failed",
    },
  },
  Unauthorized: { status: 401, codes: { UNAUTHORIZED: "the key or the session is missing or invalid" } },
  PaymentRequired: {
    status: 402,
    codes: {
      PAYMENT_DECLINED: "the payment provider declined the payment; the plan is unchanged",
      PAYMENT_REQUIRED: "the trial is spent or expired, or the plan has lapsed",
      TRIAL_RECIPIENT_LOCKED: "in the trial, mail can only go to the owner's verified address",
    },
  },
  InboundLimitExceeded: {
    status: 402,
    codes: {
      INBOUND_LIMIT_EXCEEDED:
        "the message is above the monthly inbound limit; an upgrade or the turn of the month unlocks it",
      INBOUND_TRIAL_LIMIT_EXCEEDED: "the message is above the trial's inbound limit; an upgrade unlocks it",
    },
  },
  Forbidden: {
    status: 403,
    codes: {
      ACCOUNT_SUSPENDED: "the operator suspended the account",
      CUSTOM_DOMAIN_LIMIT_REACHED: "the plan has no room for another custom domain",
      EMAIL_NOT_VERIFIED: "the owner has not verified the address; sending and some routes need that",
      FOREIGN_ORIGIN: "a request with a session comes from another origin",
      INVITATION_REQUIRED: "signup needs an invitation",
      MAILBOX_LIMIT_REACHED: "the plan has no room for another mailbox",
      PERMISSION_DENIED: "the key lacks the permission; `required` names those of which it needs one",
      SCOPE_FORBIDDEN: "the route needs a key of full access",
      SENDING_STOPPED:
        "too many sends of the mailbox bounced or were reported as spam; the owner or the operator resumes it",
      SENDING_PAUSED: "the owner has paused all sends of the account",
      SESSION_REQUIRED: "the route needs the session of the owner",
      SIGNUP_CLOSED: "nobody can sign up at this service",
    },
  },
  NotFound: {
    status: 404,
    codes: {
      ACCOUNT_NOT_FOUND: "no such account",
      ATTACHMENT_NOT_FOUND: "no such attachment, or out of the key's scope",
      CHECKOUT_NOT_FOUND: "no such checkout",
      DELIVERY_NOT_FOUND: "no such delivery, or out of the key's scope",
      DOMAIN_NOT_FOUND: "no such domain",
      DRAFT_NOT_FOUND: "no such draft, or out of the key's scope",
      ENDPOINT_NOT_FOUND: "no such path",
      KEY_NOT_FOUND: "no such key",
      MAILBOX_NOT_FOUND: "no such mailbox, or out of the key's scope",
      MESSAGE_NOT_FOUND: "no such message, or out of the key's scope",
      INVITATION_NOT_FOUND: "no such invitation",
      LIST_ENTRY_NOT_FOUND: "no such entry on the list",
      LIST_NOT_FOUND: "no such list",
      SUPPRESSION_NOT_FOUND: "no such suppression",
      THREAD_NOT_FOUND: "no such thread, or out of the key's scope",
      WEBHOOK_NOT_FOUND: "no such webhook, or out of the key's scope",
    },
  },
  RequestTimeout: { status: 408, codes: { REQUEST_TIMEOUT: "the body came too slowly, or stopped" } },
  Conflict: {
    status: 409,
    codes: {
      ADDRESS_TAKEN: "a mailbox has this address already",
      ALREADY_PAID: "the account is on a paid plan already",
      ATTACHMENT_IN_USE: "the file belongs to a message or a draft, and is deleted with it",
      BILLING_DISABLED: "this service sells nothing",
      CLAIM_LOST:
        "the token does not hold the message: its lease ended, or it is not the token of this message",
      CLAIMED:
        "another worker holds the message until `Retry-After`, or, without that header, its work is done",
      DIGEST_MISMATCH: "the draft has another content than the digest names; `digest` is its own",
      DOMAIN_IN_USE: "mailboxes use the domain",
      DOMAIN_TAKEN: "another account has verified the domain",
      EMAIL_TAKEN: "the email is registered",
      IDEMPOTENCY_KEY_IN_USE: "the first request with this `Idempotency-Key` is still running",
      IDEMPOTENCY_KEY_REUSED: "the `Idempotency-Key` was used with another body",
      IDEMPOTENCY_RESULT_LOST: "the request was carried out, but its response is lost",
      NO_SUBSCRIPTION: "the account has no paid plan to change",
      NOT_PENDING_REVIEW: "the draft waits for no review: it was decided already",
      NOT_A_REQUEST: "the calendar of the message asks for no reply",
      NOT_INVITED: "the invitation does not name this mailbox",
      SEND_OUTCOME_UNKNOWN:
        "the send under this `Idempotency-Key` has no recorded end, or ended as UNKNOWN; `messageId` names the message",
      SLUG_RESERVED: "the slug is reserved",
      SLUG_TAKEN: "the slug is registered",
      THREAD_TAKEN_OVER:
        "a person has taken the thread over, and keys do not send into it until it is released",
    },
  },
  Gone: {
    status: 410,
    codes: {
      CHECKOUT_COMPLETED: "the checkout was completed before",
      CHECKOUT_EXPIRED: "the checkout has expired",
    },
  },
  PayloadTooLarge: {
    status: 413,
    codes: {
      SIZE_EXCEEDED: "a file, a message or the body is too large",
      STORAGE_FULL: "the upload, the files of the send, or the draft would exceed the storage of the plan",
    },
  },
  UnsupportedMediaType: {
    status: 415,
    codes: { NO_TEXT: "the file is empty, or of a kind without text" },
  },
  Unprocessable: {
    status: 422,
    codes: {
      TEXT_DAMAGED: "the file is damaged, or not what it says it is",
      TEXT_ENCRYPTED: "the file is encrypted, and only a password opens it",
      TEXT_TOO_LARGE: "the file needs more memory than reading it may take",
      TEXT_TOO_SLOW: "reading the file took too long",
    },
  },
  TooManyRequests: {
    status: 429,
    codes: {
      DAILY_SEND_LIMIT_REACHED: "the mailbox has used its sends of the day",
      MAIL_LOOP_CUT:
        "two machines answer each other; the thread or the correspondent has no automatic turn left in this hour",
      MONTHLY_SEND_LIMIT_REACHED: "the mailbox has used its sends of the month",
      RATE_LIMITED: "too many requests of this kind",
      SEND_VELOCITY_EXCEEDED: "the mailbox has used its sends of the minute",
      TOO_MANY_STREAMS: "too many streams of the account are open",
      TOO_MANY_WAITS: "too many requests of the account wait for a message",
      TOO_MANY_UNREAD: "the client does not read the responses that it has requested",
    },
  },
  InternalError: { status: 500, codes: { INTERNAL_ERROR: "an error of the service" } },
  Unavailable: {
    status: 503,
    codes: {
      DNS_UNAVAILABLE: "the name servers of the domain do not answer",
      INTERRUPTED: "the service is stopping",
      OVERLOADED: "the service has as much of this work as it can take",
      PAYMENTS_UNAVAILABLE: "the payment provider is unavailable; nothing was changed",
      PROVIDER_UNAVAILABLE: "the mail provider is unavailable; nothing was changed",
      RELAY_UNAVAILABLE:
        "the relay, or a mailbox of this service, takes no mail now; only the velocity counts the send",
      REPORT_TOO_EARLY: "a provider reports about a message that is still being sent",
      SEND_UNCERTAIN: "the relay did not confirm the mail; the message is UNKNOWN, and `messageId` names it",
      STORAGE_UNAVAILABLE: "the database or the blob store is unavailable",
      TOO_MANY_BODIES: "too many requests with large bodies are running; nothing was read",
    },
  },
} as const
