/**
 * What a refusal looks like on the wire, one shape per status (spec, Errors). Every body has `error` for people and
 * `code` for programs. `_tag` tells the shapes apart in code and never goes over the wire: without it the library
 * would encode each failure with the first shape that happens to fit.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { InboundGate, MessageId, Upgrade, UPGRADE_HINT, described } from "@mailroom/domain"
import { Option, Schema } from "effect"

const tag = <const T extends string>(name: T) =>
  Schema.optionalToRequired(Schema.Literal(name), Schema.Literal(name), {
    decode: () => name,
    encode: () => Option.none(),
  })

const shape = <
  const T extends string,
  const Codes extends readonly [string, ...ReadonlyArray<string>],
  const F extends Schema.Struct.Fields,
>(
  name: T,
  status: number,
  description: string,
  codes: Codes,
  fields: F,
) =>
  Schema.extend(
    Schema.Struct({
      error: described(Schema.String, "what went wrong, for people"),
      code: described(Schema.Literal(...codes), "what went wrong, for programs; stable"),
      ...fields,
    }),
    // Apart: where a field is made up, the others lose their descriptions.
    Schema.Struct({ _tag: tag(name) }),
  ).annotations({ identifier: name, description, ...HttpApiSchema.annotations({ status }) })

const UncertainSend = Schema.optional(
  MessageId.annotations({ description: "of a send whose outcome is unknown" }),
)

const UpgradeHint = Schema.optional(Schema.Literal(UPGRADE_HINT)).annotations({
  description: "how to lift the limit, where a larger plan would",
})

export const Issue = Schema.Struct({
  path: described(Schema.String, "the field, such as `attachments.0.filename`"),
  message: described(Schema.String, "what is wrong with it"),
})

export const BadRequest = shape(
  "BadRequest",
  400,
  "Invalid input, or a rule that the request breaks",
  [
    "ATTACHMENT_NOT_FOUND",
    "DOMAIN_NOT_VERIFIED",
    "EVENT_EXPIRED",
    "INVALID_SIGNATURE",
    "INVALID_TOKEN",
    "LAST_FULL_KEY",
    "MAILBOX_NOT_ACTIVE",
    "MAILBOX_SUSPENDED",
    "NOBODY_TO_ANSWER",
    "RECIPIENT_NOT_ALLOWED",
    "RECIPIENT_SUPPRESSED",
    "RELAY_REFUSED",
    "VALIDATION_FAILED",
    "WEBHOOK_LIMIT_REACHED",
    "WEBHOOK_NOT_ACTIVE",
  ],
  {
    issues: Schema.optional(Schema.Array(Issue)).annotations({ description: "every field that is wrong" }),
    address: Schema.optional(Schema.String).annotations({ description: "the recipient in question" }),
  },
)
export const Unauthorized = shape("Unauthorized", 401, "No valid API key or session", ["UNAUTHORIZED"], {})
export const PaymentRequired = shape(
  "PaymentRequired",
  402,
  "The trial is over, or does not cover this",
  ["PAYMENT_DECLINED", "PAYMENT_REQUIRED", "TRIAL_RECIPIENT_LOCKED"],
  {
    payment_required: described(Schema.Literal(true), "always true: paying lifts it"),
    upgrade: described(Upgrade, "how to pay"),
  },
)
export const InboundLimitExceeded = shape(
  "InboundLimitExceeded",
  402,
  "The message arrived above the inbound limit; it is stored and unlocks in place",
  InboundGate.literals,
  {
    resource: described(
      Schema.Struct({
        type: described(Schema.Literal("message", "attachment"), "what it is"),
        id: described(Schema.String, "its id"),
      }),
      "what was asked for",
    ),
    upgrade: Schema.optional(Upgrade).annotations({ description: "left out where nothing is sold" }),
    resetAt: Schema.optional(Schema.String).annotations({
      description: "when the month turns and it unlocks by itself",
    }),
  },
)
export const Forbidden = shape(
  "Forbidden",
  403,
  "Not with this key, this plan or this account",
  [
    "ACCOUNT_SUSPENDED",
    "CUSTOM_DOMAIN_LIMIT_REACHED",
    "EMAIL_NOT_VERIFIED",
    "FOREIGN_ORIGIN",
    "INVITATION_REQUIRED",
    "MAILBOX_LIMIT_REACHED",
    "SCOPE_FORBIDDEN",
    "SESSION_REQUIRED",
    "SIGNUP_CLOSED",
  ],
  {
    upgrade: UpgradeHint,
    suspended: Schema.optional(Schema.Literal(true)).annotations({ description: "the account is suspended" }),
    reason: Schema.optional(Schema.NullOr(Schema.String)).annotations({ description: "why it is suspended" }),
  },
)
export const NotFound = shape(
  "NotFound",
  404,
  "Not there, or out of the key's scope",
  [
    "ACCOUNT_NOT_FOUND",
    "ATTACHMENT_NOT_FOUND",
    "CHECKOUT_NOT_FOUND",
    "DELIVERY_NOT_FOUND",
    "DOMAIN_NOT_FOUND",
    "ENDPOINT_NOT_FOUND",
    "KEY_NOT_FOUND",
    "MAILBOX_NOT_FOUND",
    "MESSAGE_NOT_FOUND",
    "INVITATION_NOT_FOUND",
    "SUPPRESSION_NOT_FOUND",
    "THREAD_NOT_FOUND",
    "WEBHOOK_NOT_FOUND",
  ],
  {
    message: Schema.optional(Schema.String).annotations({ description: "what to do" }),
    resolution: Schema.optional(Schema.Unknown).annotations({ description: "where to find what was meant" }),
  },
)
export const RequestTimeout = shape(
  "RequestTimeout",
  408,
  "The body came too slowly, or not at all",
  ["REQUEST_TIMEOUT"],
  {},
)
export const Conflict = shape(
  "Conflict",
  409,
  "Taken, or done already",
  [
    "ADDRESS_TAKEN",
    "ALREADY_PAID",
    "ATTACHMENT_IN_USE",
    "BILLING_DISABLED",
    "DOMAIN_IN_USE",
    "DOMAIN_TAKEN",
    "EMAIL_TAKEN",
    "IDEMPOTENCY_KEY_IN_USE",
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_RESULT_LOST",
    "NO_SUBSCRIPTION",
    "SEND_OUTCOME_UNKNOWN",
    "SLUG_RESERVED",
    "SLUG_TAKEN",
  ],
  { messageId: UncertainSend },
)
export const Gone = shape("Gone", 410, "Was there, is over", ["CHECKOUT_COMPLETED", "CHECKOUT_EXPIRED"], {})
export const PayloadTooLarge = shape(
  "PayloadTooLarge",
  413,
  "Above a size limit",
  ["SIZE_EXCEEDED", "STORAGE_FULL"],
  {
    upgrade: UpgradeHint,
  },
)
export const TooManyRequests = shape(
  "TooManyRequests",
  429,
  "A rate or a quota is used up",
  [
    "DAILY_SEND_LIMIT_REACHED",
    "MAIL_LOOP_CUT",
    "MONTHLY_SEND_LIMIT_REACHED",
    "RATE_LIMITED",
    "SEND_VELOCITY_EXCEEDED",
    "TOO_MANY_STREAMS",
    "TOO_MANY_UNREAD",
  ],
  {
    upgrade: UpgradeHint,
  },
)
export const InternalError = shape("InternalError", 500, "A fault of the service", ["INTERNAL_ERROR"], {})
export const Unavailable = shape(
  "Unavailable",
  503,
  "Something the service needs is away; try again later",
  [
    "DNS_UNAVAILABLE",
    "INTERRUPTED",
    "OVERLOADED",
    "PAYMENTS_UNAVAILABLE",
    "PROVIDER_UNAVAILABLE",
    "RELAY_UNAVAILABLE",
    "REPORT_TOO_EARLY",
    "SEND_UNCERTAIN",
    "STORAGE_UNAVAILABLE",
    "TOO_MANY_BODIES",
  ],
  {
    messageId: UncertainSend,
  },
)

export const WireError = Schema.Union(
  BadRequest,
  Unauthorized,
  InboundLimitExceeded,
  PaymentRequired,
  Forbidden,
  NotFound,
  RequestTimeout,
  Conflict,
  Gone,
  PayloadTooLarge,
  TooManyRequests,
  InternalError,
  Unavailable,
)
export type WireError = typeof WireError.Type
