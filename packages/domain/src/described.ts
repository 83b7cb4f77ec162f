/** Fields of the interface that say what they mean: in the OpenAPI document, and to whoever reads the schema. */
import { Schema } from "effect"

/**
 * A required field with its description, which stands beside the one of its type: a `Timestamp` says its format, the
 * field says of what. (An optional field takes it as `Schema.optional(…).annotations({ description })`.)
 */
export const described = <S extends Schema.Schema.All>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })
