/** Reads an OpenAPI document of ours, for texts about the interface: `/llms-full.txt` and the reference of `/docs`. */
import { Schema } from "effect"

/** A JSON schema, as far as texts about the interface show it. */
export interface JsonSchema {
  readonly $ref?: string | undefined
  readonly type?: string | ReadonlyArray<string> | undefined
  readonly description?: string | undefined
  readonly enum?: ReadonlyArray<unknown> | undefined
  readonly allOf?: ReadonlyArray<JsonSchema> | undefined
  readonly anyOf?: ReadonlyArray<JsonSchema> | undefined
  readonly oneOf?: ReadonlyArray<JsonSchema> | undefined
  readonly items?: JsonSchema | undefined
  readonly required?: ReadonlyArray<string> | undefined
  readonly properties?: { readonly [name: string]: JsonSchema } | undefined
  readonly minLength?: number | undefined
  readonly maxLength?: number | undefined
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly minItems?: number | undefined
  readonly maxItems?: number | undefined
  readonly format?: string | undefined
}

const Text = Schema.optional(Schema.String)
const Count = Schema.optional(Schema.Number)
const Nested = Schema.suspend((): Schema.Schema<JsonSchema> => JsonSchema)
const JsonSchema: Schema.Schema<JsonSchema> = Schema.Struct({
  $ref: Text,
  type: Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  description: Text,
  enum: Schema.optional(Schema.Array(Schema.Unknown)),
  allOf: Schema.optional(Schema.Array(Nested)),
  anyOf: Schema.optional(Schema.Array(Nested)),
  oneOf: Schema.optional(Schema.Array(Nested)),
  items: Schema.optional(Nested),
  required: Schema.optional(Schema.Array(Schema.String)),
  properties: Schema.optional(Schema.Record({ key: Schema.String, value: Nested })),
  minLength: Count,
  maxLength: Count,
  minimum: Count,
  maximum: Count,
  minItems: Count,
  maxItems: Count,
  format: Text,
})

const Contents = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ schema: Schema.optional(JsonSchema) }),
})
/** A body, by its content type. */
export type ApiContents = typeof Contents.Type
const Content = Schema.optional(Contents)

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.Literal("path", "query", "header"),
  required: Schema.optional(Schema.Boolean),
  description: Text,
  schema: JsonSchema,
})
export type ApiParameter = typeof Parameter.Type

const Response = Schema.Struct({ description: Text, content: Content })
export type ApiResponse = typeof Response.Type

const Operation = Schema.Struct({
  tags: Schema.Array(Schema.String),
  operationId: Schema.String,
  summary: Schema.String,
  description: Schema.optionalWith(Schema.String, { default: () => "" }),
  security: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  parameters: Schema.optionalWith(Schema.Array(Parameter), { default: () => [] }),
  requestBody: Schema.optional(
    Schema.Struct({ content: Content, required: Schema.optional(Schema.Boolean) }),
  ),
  responses: Schema.Record({ key: Schema.String, value: Response }),
  "x-keys": Schema.optional(Schema.Literal("scoped", "full", "none")),
  "x-permissions": Schema.optional(Schema.Array(Schema.String)),
})

/** An operation with its place. `method` is in capitals. */
export interface ApiOperation extends Schema.Schema.Type<typeof Operation> {
  readonly method: string
  readonly path: string
}

const Document = Schema.Struct({
  tags: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      description: Schema.optionalWith(Schema.String, { default: () => "" }),
    }),
  ),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Operation }),
  }),
  components: Schema.Struct({ schemas: Schema.Record({ key: Schema.String, value: JsonSchema }) }),
})

export interface ApiOutline {
  readonly tags: (typeof Document.Type)["tags"]
  readonly operations: ReadonlyArray<ApiOperation>
  /** by name */
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

const decode = Schema.decodeUnknownSync(Schema.parseJson(Document))

/** The groups, operations and types of a document that `openApiDocument` made. */
export const outlineOf = (document: object): ApiOutline => {
  const { tags, paths, components } = decode(JSON.stringify(document))
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  return { tags, operations, schemas: components.schemas }
}
