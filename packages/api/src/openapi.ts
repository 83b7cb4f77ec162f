/** The OpenAPI document: what the library leaves out, and what it puts in that our answers never contain. */
import { Schema } from "effect"

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const isList = Schema.is(Schema.Array(Schema.Unknown))

/** An answer whose bytes are a file's: of whatever type the file has. */
export const fileBytes = { "*/*": { schema: { type: "string", format: "binary" } } }

interface OtherAnswer {
  readonly description: string
  readonly content?: object
}

/** For an operation: answers that clients made from the contract never see, such as those to a browser's form. */
export const alsoAnswers =
  (answers: Readonly<Record<string, OtherAnswer>>) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const responses = operation["responses"]
    return { ...operation, responses: { ...(isRecord(responses) && responses), ...answers } }
  }

const internalSchemas: ReadonlySet<string> = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])
const refersToInternal = (value: unknown): boolean =>
  isRecord(value) && value["$ref"] === "#/components/schemas/HttpApiDecodeError"

/** What the library says of a schema that says nothing of itself, such as "a string at most 200 character(s) long". */
const isMadeUp = (description: unknown): boolean =>
  typeof description === "string" &&
  /^(?:an? (?:string|number|array|non-negative number|non empty string|Universally Unique Identifier)\b.*|a (?:positive|negative) number|a number between .*)$/.test(
    description,
  )

const clean = (value: unknown): unknown => {
  if (isList(value)) return value.map(clean)
  if (!isRecord(value)) return value
  const alternatives = value["anyOf"]
  if (isList(alternatives) && alternatives.some(refersToInternal)) {
    const left = alternatives.filter((one) => !refersToInternal(one)).map(clean)
    return left.length === 1 ? left[0] : { ...value, anyOf: left }
  }
  // Clients have to bear fields that they do not know (spec, Versioning 3); only a record's names are closed.
  const isOpen = value["additionalProperties"] === false && value["patternProperties"] === undefined
  const isSchema = "type" in value || "$ref" in value
  const entries = Object.entries(value).filter(
    ([key, inner]) =>
      key !== "_tag" &&
      !(isOpen && key === "additionalProperties") &&
      !(isSchema && key === "title") &&
      !(isSchema && key === "description" && isMadeUp(inner)),
  )
  return Object.fromEntries(entries.map(([key, inner]) => [key, clean(inner)]))
}

/** Without the decode errors that we answer as `BadRequest`, and without the tags of errors. */
export const withoutInternals = (document: Record<string, unknown>): Record<string, unknown> => {
  const cleaned = clean(document)
  if (!isRecord(cleaned)) return document
  const components = cleaned["components"]
  const schemas = isRecord(components) ? components["schemas"] : undefined
  if (!isRecord(components) || !isRecord(schemas)) return cleaned
  return {
    ...cleaned,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => !internalSchemas.has(name))),
    },
  }
}
