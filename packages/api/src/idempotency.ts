/** What the OpenAPI document says of `Idempotency-Key` (decisions §4): the same for every POST that needs a caller. */
import { IDEMPOTENCY_KEY } from "@mailroom/domain"
import { Schema } from "effect"

const Fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isDocument = Schema.is(
  Schema.Struct({ paths: Schema.Record({ key: Schema.String, value: Fields }) }, Fields),
)

const Operation = Schema.Struct(
  {
    security: Schema.Array(Schema.Unknown).pipe(Schema.minItems(1)),
    parameters: Schema.Array(Schema.Unknown),
    responses: Schema.Record({ key: Schema.String, value: Fields }),
  },
  Fields,
)
/** A public operation has no security. */
const needsCaller = Schema.is(Operation)

const parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  description:
    "Makes the request safe to repeat: within 24 hours the same key and body get the first answer again, and nothing " +
    "is done twice. Another body under the key is 409, and so is a repetition while the first is still running.",
}

const replayed = {
  description: "there when this is the stored answer of an earlier request with the same `Idempotency-Key`",
  schema: { type: "string", enum: ["true"] },
}
const retryAfter = {
  description: "seconds, when the first request with this `Idempotency-Key` is still running",
  schema: { type: "integer" },
}

const conflict = {
  description: "Of the `Idempotency-Key`: in use, used with another body, or its outcome is unknown",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Conflict" } } },
}

/** Gates, limits that pass and faults are never replayed. */
const isReplayed = (status: string): boolean => /^[24]/.test(status) && status !== "401" && status !== "429"

const withKey = (operation: typeof Operation.Type) => {
  const responses = Object.entries({ 409: conflict, ...operation.responses }).map(([status, response]) => {
    const headers = {
      "Idempotent-Replayed": replayed,
      ...(status === "409" && { "Retry-After": retryAfter }),
    }
    return [status, isReplayed(status) ? { ...response, headers } : response]
  })
  return {
    ...operation,
    parameters: [...operation.parameters, parameter],
    responses: Object.fromEntries(responses),
  }
}

/** The document, with the key, its answers and its refusals on every POST that needs a caller. */
export const withIdempotencyKeys = (document: Record<string, unknown>): Record<string, unknown> =>
  isDocument(document)
    ? {
        ...document,
        paths: Object.fromEntries(
          Object.entries(document.paths).map(([path, { post, ...others }]) => [
            path,
            post === undefined ? others : { ...others, post: needsCaller(post) ? withKey(post) : post },
          ]),
        ),
      }
    : document
