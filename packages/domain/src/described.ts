/** Fields with descriptions, which the OpenAPI document and the specification show. */
import { Schema } from "effect"

/**
 * A required field with a description of its own: the type says the format, the field says the meaning. For an optional
 * field use `Schema.optional(…).annotations({ description })`.
 */
export const described = <S extends Schema.Schema.All>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })
