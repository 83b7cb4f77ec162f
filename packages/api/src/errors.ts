/**
 * What a refusal looks like on the wire, one shape per status (spec, Errors). Every body has `error` for people and
 * `code` for programs. `_tag` tells the shapes apart in code and never goes over the wire: without it the library
 * would encode each failure with the first shape that happens to fit.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { InboundGate, MessageId, Upgrade, UPGRADE_HINT } from "@mailroom/domain"
import { Option, Schema } from "effect"

const tag = <const T extends string>(name: T) =>
  Schema.optionalToRequired(Schema.Literal(name), Schema.Literal(name), {
    decode: () => name,
    encode: () => Option.none(),
  })

const shape = <const T extends string, const F extends Schema.Struct.Fields>(
  name: T,
  status: number,
  description: string,
  fields: F,
) =>
  Schema.Struct({
    _tag: tag(name),
    error: Schema.String.annotations({ description: "what went wrong, for people" }),
    code: Schema.String.annotations({ description: "what went wrong, for programs; stable" }),
    ...fields,
  }).annotations({ identifier: name, description, ...HttpApiSchema.annotations({ status }) })

const UncertainSend = Schema.optional(
  MessageId.annotations({ description: "of a send whose outcome is unknown" }),
)

const UpgradeHint = Schema.Literal(UPGRADE_HINT)

export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String })

export const BadRequest = shape("BadRequest", 400, "Invalid input, or a rule that the request breaks", {
  issues: Schema.optional(Schema.Array(Issue)),
  address: Schema.optional(Schema.String),
})
export const Unauthorized = shape("Unauthorized", 401, "No valid API key or session", {})
export const PaymentRequired = shape("PaymentRequired", 402, "The trial is over, or does not cover this", {
  payment_required: Schema.Literal(true),
  upgrade: Upgrade,
})
export const InboundLimitExceeded = shape(
  "InboundLimitExceeded",
  402,
  "The message arrived above the inbound limit; it is stored and unlocks in place",
  {
    code: InboundGate,
    resource: Schema.Struct({ type: Schema.Literal("message", "attachment"), id: Schema.String }),
    upgrade: Upgrade,
    resetAt: Schema.optional(Schema.String),
  },
)
export const Forbidden = shape("Forbidden", 403, "Not with this key, this plan or this account", {
  upgrade: Schema.optional(UpgradeHint),
  suspended: Schema.optional(Schema.Literal(true)),
  reason: Schema.optional(Schema.NullOr(Schema.String)),
})
export const NotFound = shape("NotFound", 404, "Not there, or out of the key's scope", {
  message: Schema.optional(Schema.String),
  resolution: Schema.optional(Schema.Unknown),
})
export const RequestTimeout = shape("RequestTimeout", 408, "The body came too slowly, or not at all", {})
export const Conflict = shape("Conflict", 409, "Taken, or done already", { messageId: UncertainSend })
export const Gone = shape("Gone", 410, "Was there, is over", {})
export const PayloadTooLarge = shape("PayloadTooLarge", 413, "Above a size limit", {
  upgrade: Schema.optional(UpgradeHint),
})
export const TooManyRequests = shape("TooManyRequests", 429, "A rate or a quota is used up", {
  upgrade: Schema.optional(UpgradeHint),
})
export const InternalError = shape("InternalError", 500, "A fault of the service", {})
export const Unavailable = shape("Unavailable", 503, "Something the service needs is away; try again later", {
  messageId: UncertainSend,
})

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
