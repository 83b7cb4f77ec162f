/** `Idempotency-Key` in the OpenAPI document, the same for every authenticated POST (docs/specification/service.md). */
import type { OpenAPISpecParameter } from "@effect/platform/OpenApi"
import { IDEMPOTENCY_KEY } from "@mailroom/domain"

export const keyParameter: OpenAPISpecParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  description:
    "Makes the request safe to repeat: for 24 hours, the same key and body get the first response again, and the work " +
    "is done once. Another body under the key answers 409, and so does a repetition while the first request is running.",
}

/** Beside `Idempotency-Key` (docs/decisions/0021). */
export const refusalsParameter: OpenAPISpecParameter = {
  name: "Idempotency-Refusals",
  in: "header",
  required: false,
  schema: { type: "string", enum: ["retry"] },
  description:
    "`retry`: a refusal is not stored under the `Idempotency-Key`, so the same request under the key is tried again. A " +
    "success is stored as ever.",
}

/** The 409 of a POST that has no other conflict. */
export const keyConflict = {
  description: "The `Idempotency-Key` is in use, was used with another body, or its outcome is unknown",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Conflict" } } },
}

export const replayedHeader = {
  "Idempotent-Replayed": {
    description:
      "present when this is the stored response of an earlier request with the same `Idempotency-Key`",
    schema: { type: "string", enum: ["true"] },
  },
} as const

/**
 * Whether a response with this status can be a replay, for the header `Idempotent-Replayed` in the document. 429 and 5xx are
 * not stored (`isFinal` in `packages/http/src/idempotency.ts`); a 401 comes before the key is read.
 */
export const canBeReplayed = (status: string): boolean =>
  /^[24]/.test(status) && status !== "401" && status !== "429"
