/** What the OpenAPI document says of `Idempotency-Key` (decisions §4): the same for every POST that needs a caller. */
import type { OpenAPISpecParameter } from "@effect/platform/OpenApi"
import { IDEMPOTENCY_KEY } from "@mailroom/domain"

export const keyParameter: OpenAPISpecParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  description:
    "Makes the request safe to repeat: within 24 hours the same key and body get the first answer again, and nothing " +
    "is done twice. Another body under the key is 409, and so is a repetition while the first is still running.",
}

/** Of a POST that has no other reason for a 409. */
export const keyConflict = {
  description: "Of the `Idempotency-Key`: in use, used with another body, or its outcome is unknown",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Conflict" } } },
}

export const replayedHeader = {
  "Idempotent-Replayed": {
    description: "there when this is the stored answer of an earlier request with the same `Idempotency-Key`",
    schema: { type: "string", enum: ["true"] },
  },
} as const

/** Gates, limits that pass and faults are never replayed. */
export const isReplayed = (status: string): boolean =>
  /^[24]/.test(status) && status !== "401" && status !== "429"
