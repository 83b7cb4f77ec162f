/** The bodies of notices, once it is known who wrote them. */
import { InvalidInput } from "@mailroom/domain"
import { Effect, ParseResult, Schema } from "effect"

/** What was sent does not come back: addresses are in it. */
const withoutValue = (message: string): string => message.replace(/, actual [\s\S]*$/, "")

const unreadable = (error: ParseResult.ParseError): InvalidInput =>
  new InvalidInput({
    issues: ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path, message }) => ({
      path: path.map(String).join("."),
      message: withoutValue(message),
    })),
  })

/** JSON text as a value of the schema. `InvalidInput`: its writer says something that we do not understand. */
export const reading = <A, I>(
  schema: Schema.Schema<A, I>,
): ((text: string) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknown(Schema.parseJson(schema))
  return (text) => Effect.mapError(decode(text), unreadable)
}

/** A field that may be left out, or be null. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))
