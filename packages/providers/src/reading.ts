/** The bodies of notices, once it is known who wrote them. */
import { InvalidInput, issuesOf } from "@mailroom/domain"
import { Effect, Schema } from "effect"

/** JSON text as a value of the schema. `InvalidInput`: its writer says something that we do not understand. */
export const reading = <A, I>(
  schema: Schema.Schema<A, I>,
): ((text: string) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (text) => Effect.mapError(decode(text), ({ issue }) => new InvalidInput({ issues: issuesOf(issue) }))
}

/** A field that may be left out, or be null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))
