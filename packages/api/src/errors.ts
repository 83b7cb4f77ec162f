/**
 * The JSON bodies of errors, one schema per status (docs/specification/errors.md). Every body has `error` for people and
 * `code` for programs. `_tag` distinguishes the schemas in code and is never sent: without it the library would encode
 * an error with the first schema that happens to fit.
 */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { MessageId, Permission, Upgrade, UPGRADE_HINT, described } from "@mailroom/domain"
import { Option, Schema, Struct } from "effect"
import { errorCodes } from "./errorCodes.js"

const tag = <const T extends string>(name: T) =>
  Schema.optionalToRequired(Schema.Literal(name), Schema.Literal(name), {
    decode: () => name,
    encode: () => Option.none(),
  })

const shape = <const T extends string, C extends string, const F extends Schema.Struct.Fields>(
  name: T,
  { status, codes }: { readonly status: number; readonly codes: Readonly<Record<C, string>> },
  description: string,
  fields: F,
) =>
  Schema.extend(
    Schema.Struct({
      error: described(Schema.String, "what went wrong, for people"),
      code: described(Schema.Literal(...Struct.keys(codes)), "what went wrong, for programs; stable"),
      ...fields,
    }),
    // A struct of its own: beside a transformed field the other fields would lose their descriptions.
    Schema.Struct({ _tag: tag(name) }),
  ).annotations({ identifier: name, description, ...HttpApiSchema.annotations({ status }) })

const UncertainSend = Schema.optional(
  MessageId.annotations({ description: "id of the message whose send has an unknown outcome" }),
)

const UpgradeHint = Schema.optional(Schema.Literal(UPGRADE_HINT)).annotations({
  description: "how to lift the limit, if a larger plan would",
})

export const Issue = Schema.Struct({
  path: described(Schema.String, "the field, such as `attachments.0.filename`"),
  message: described(Schema.String, "what is wrong with it"),
  position: Schema.optional(Schema.Int).annotations({
    description: "where in the text of the field, in characters from its start; only for a search query",
  }),
})

export const BadRequest = shape(
  "BadRequest",
  errorCodes.BadRequest,
  "Invalid input, or a rule that the request breaks",
  {
    issues: Schema.optional(Schema.Array(Issue)).annotations({ description: "every field that is wrong" }),
    address: Schema.optional(Schema.String).annotations({ description: "the refused recipient" }),
  },
)
export const Unauthorized = shape("Unauthorized", errorCodes.Unauthorized, "No valid API key or session", {})
export const PaymentRequired = shape("PaymentRequired", errorCodes.PaymentRequired, "Payment is required", {
  payment_required: described(Schema.Literal(true), "always true"),
  upgrade: described(Upgrade, "how to pay"),
})
export const InboundLimitExceeded = shape(
  "InboundLimitExceeded",
  errorCodes.InboundLimitExceeded,
  "The message is above the inbound limit; it is stored, and unlocks in place",
  {
    resource: described(
      Schema.Struct({
        type: described(Schema.Literal("message", "attachment"), "kind of resource"),
        id: described(Schema.String, "id of the resource"),
      }),
      "the requested resource",
    ),
    upgrade: Schema.optional(Upgrade).annotations({ description: "absent where nothing is sold" }),
    resetAt: Schema.optional(Schema.String).annotations({
      description: "start of the next month, when the message unlocks",
    }),
  },
)
export const Forbidden = shape(
  "Forbidden",
  errorCodes.Forbidden,
  "Not allowed for this key, plan or account",
  {
    upgrade: UpgradeHint,
    suspended: Schema.optional(Schema.Literal(true)).annotations({ description: "the account is suspended" }),
    reason: Schema.optional(Schema.NullOr(Schema.String)).annotations({
      description: "why it is suspended, or why its sending is stopped",
    }),
    required: Schema.optional(Schema.Array(Permission)).annotations({
      description:
        "permissions that the key lacks: a route needs one of them, a new key needs its creator to have all",
    }),
  },
)
export const NotFound = shape(
  "NotFound",
  errorCodes.NotFound,
  "Does not exist, or is out of the key's scope",
  {
    message: Schema.optional(Schema.String).annotations({ description: "what to do" }),
    resolution: Schema.optional(Schema.Unknown).annotations({
      description: "links to the documents, and the existing routes",
    }),
  },
)
export const RequestTimeout = shape(
  "RequestTimeout",
  errorCodes.RequestTimeout,
  "The request body came too slowly, or stopped",
  {},
)
export const Conflict = shape("Conflict", errorCodes.Conflict, "Taken, or already done", {
  messageId: UncertainSend,
  digest: Schema.optional(Schema.String).annotations({
    description: "of DIGEST_MISMATCH: the digest of the draft as it is now",
  }),
})
export const Gone = shape("Gone", errorCodes.Gone, "The checkout is completed or expired", {})
export const PayloadTooLarge = shape("PayloadTooLarge", errorCodes.PayloadTooLarge, "Above a size limit", {
  upgrade: UpgradeHint,
})
export const UnsupportedMediaType = shape(
  "UnsupportedMediaType",
  errorCodes.UnsupportedMediaType,
  "The file has no text that could be read",
  {},
)
export const Unprocessable = shape("Unprocessable", errorCodes.Unprocessable, "The file cannot be read", {})
export const TooManyRequests = shape(
  "TooManyRequests",
  errorCodes.TooManyRequests,
  "A rate or a quota is used up",
  {
    upgrade: UpgradeHint,
  },
)
export const InternalError = shape("InternalError", errorCodes.InternalError, "An error of the service", {})
export const Unavailable = shape(
  "Unavailable",
  errorCodes.Unavailable,
  "Something that the service needs is unavailable; try again later",
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
  UnsupportedMediaType,
  Unprocessable,
  TooManyRequests,
  InternalError,
  Unavailable,
)
export type WireError = typeof WireError.Type
