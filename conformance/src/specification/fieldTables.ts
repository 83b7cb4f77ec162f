/** Tables of fields and routes, from the OpenAPI document of the contract. */
import { openApiDocument } from "@mailroom/api"
import { Schema } from "effect"

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const isList = Schema.is(Schema.Array(Schema.Unknown))

const document = openApiDocument({ baseUrl: "https://mailroom.example", headerPrefix: "X-Service-" })
const schemas: Readonly<Record<string, unknown>> = document.components.schemas

const REFERENCE = "#/components/schemas/"

/** The type of a field as a reader needs it: `text`, `integer or null`, `list of EventAttachment`. */
const typeOf = (schema: unknown): string => {
  if (!isRecord(schema)) return "any"
  const { $ref: reference, allOf, anyOf, enum: values, type, format, items } = schema
  if (typeof reference === "string") {
    const name = reference.slice(REFERENCE.length)
    if (name === "Timestamp") return "time"
    const target = schemas[name]
    return isRecord(target) && isRecord(target["properties"]) ? name : typeOf(target)
  }
  if (isList(allOf)) return typeOf(allOf[0])
  if (isList(anyOf)) return [...new Set(anyOf.map(typeOf))].join(" or ")
  if (isList(values)) return values.map((value) => `\`${String(value)}\``).join(", ")
  if (type === "array") return `list of ${typeOf(items)}`
  if (type === "string") return format === "uuid" ? "UUID" : format === "date-time" ? "time" : "text"
  return typeof type === "string" ? type : "any"
}

export interface Field {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly description: string
}

/** The fields of a named schema, in the order of the contract; dies when there is no such schema. */
export const fieldsOf = (name: string): ReadonlyArray<Field> => {
  const schema = schemas[name]
  if (!isRecord(schema) || !isRecord(schema["properties"])) throw new Error(`no schema ${name}`)
  const { properties, required } = schema
  return Object.entries(properties).map(([field, inner]) => ({
    name: field,
    type: typeOf(inner),
    isOptional: !isList(required) || !required.includes(field),
    description: isRecord(inner) && typeof inner["description"] === "string" ? inner["description"] : "",
  }))
}

export interface Route {
  readonly name: string
  readonly success: string
  readonly summary: string
}

/** The routes of a group of the document, such as `API keys`. */
export const routesOf = (group: string): ReadonlyArray<Route> =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(group))
      .map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        success: Object.keys(operation.responses)
          .filter((status) => status.startsWith("2"))
          .join(", "),
        summary: operation.summary ?? "",
      })),
  )
