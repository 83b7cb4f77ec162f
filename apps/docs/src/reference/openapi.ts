/** The OpenAPI document, in the shape that the reference shows. */
import { openApiDocument } from "@mailroom/api"
import { Schema } from "effect"

/** A JSON schema. */
export interface Node {
  readonly $ref?: string | undefined
  readonly type?: string | ReadonlyArray<string> | undefined
  readonly description?: string | undefined
  readonly enum?: ReadonlyArray<unknown> | undefined
  readonly allOf?: ReadonlyArray<Node> | undefined
  readonly anyOf?: ReadonlyArray<Node> | undefined
  readonly oneOf?: ReadonlyArray<Node> | undefined
  readonly items?: Node | undefined
  readonly required?: ReadonlyArray<string> | undefined
  readonly properties?: { readonly [name: string]: Node } | undefined
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
const Nested = Schema.suspend((): Schema.Schema<Node> => Node)
const Node: Schema.Schema<Node> = Schema.Struct({
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

const Content = Schema.optional(
  Schema.Record({ key: Schema.String, value: Schema.Struct({ schema: Schema.optional(Node) }) }),
)

const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.Literal("path", "query", "header"),
  required: Schema.optional(Schema.Boolean),
  description: Text,
  schema: Node,
})
export type Parameter = typeof Parameter.Type

const Response = Schema.Struct({ description: Text, content: Content })
export type Response = typeof Response.Type

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

/** An operation with its place. */
export interface Operation extends Schema.Schema.Type<typeof Operation> {
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
  components: Schema.Struct({ schemas: Schema.Record({ key: Schema.String, value: Node }) }),
})

export interface Group {
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<Operation>
}

export interface Reference {
  readonly groups: ReadonlyArray<Group>
  readonly schemas: Readonly<Record<string, Node>>
}

/** The address in examples; the script of the pages replaces it by that of the service which serves them. */
export const EXAMPLE_URL = "http://localhost:3000"

/** The default of the setting `HEADER_PREFIX`. */
export const HEADER_PREFIX = "X-Service-"

/** Reads the document of a service with default settings. */
export const readReference = (): Reference => {
  const document = openApiDocument({ baseUrl: EXAMPLE_URL, headerPrefix: HEADER_PREFIX })
  const { tags, paths, components } = Schema.decodeUnknownSync(Schema.parseJson(Document))(
    JSON.stringify(document),
  )
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  return {
    schemas: components.schemas,
    groups: tags.map(({ name, description }) => ({
      name,
      description,
      operations: operations.filter((operation) => operation.tags.includes(name)),
    })),
  }
}
