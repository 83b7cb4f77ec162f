/** The whole interface as one text, made from the OpenAPI document: for language models that read it at once. */
import { Option, Schema } from "effect"
import { errorCodes } from "./errorCodes.js"

/** What the text shows of a JSON schema. */
interface Node {
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
}

const Text = Schema.optional(Schema.String)
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
})

const Contents = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({ schema: Schema.optional(Node) }),
})
const Content = Schema.optional(Contents)

const Operation = Schema.Struct({
  tags: Schema.Array(Schema.String),
  summary: Text,
  description: Text,
  parameters: Schema.optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        in: Schema.String,
        required: Schema.optional(Schema.Boolean),
        description: Text,
        schema: Schema.optional(Node),
      }),
    ),
  ),
  requestBody: Schema.optional(Schema.Struct({ content: Content })),
  responses: Schema.Record({ key: Schema.String, value: Schema.Struct({ content: Content }) }),
})
type Operation = typeof Operation.Type

const Document = Schema.Struct({
  tags: Schema.Array(Schema.Struct({ name: Schema.String, description: Text })),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Operation }),
  }),
  components: Schema.Struct({ schemas: Schema.Record({ key: Schema.String, value: Node }) }),
})

const decode = Schema.decodeUnknownSync(Schema.parseJson(Document))

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** The type of a value: `string`, `Message`, `"a" | "b"`, `{ id: string, name?: string }[]`. */
const typeText = (node: Node): string => {
  const { $ref, type, allOf, anyOf, oneOf, items, properties, required = [] } = node
  if ($ref !== undefined) return nameIn($ref)
  if (node.enum !== undefined) return node.enum.map((value) => JSON.stringify(value)).join(" | ")
  const [first] = allOf ?? []
  if (first !== undefined) return typeText(first)
  const either = anyOf ?? oneOf
  if (either !== undefined) return [...new Set(either.map(typeText))].join(" | ")
  if (items !== undefined) {
    const inner = typeText(items)
    return inner.includes(" ") ? `(${inner})[]` : `${inner}[]`
  }
  const fields = Object.entries(properties ?? {})
  if (fields.length > 0)
    return `{ ${fields.map(([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${typeText(field)}`).join(", ")} }`
  return typeof type === "string" ? type : (type ?? ["any"]).join(" | ")
}

const withDescription = (text: string, description: string | undefined): string =>
  description === undefined ? text : `${text}: ${description}`

const fieldLines = ({ properties = {}, required = [] }: Node): ReadonlyArray<string> =>
  Object.entries(properties).map(([name, field]) =>
    withDescription(
      `- \`${name}${required.includes(name) ? "" : "?"}\` ${typeText(field)}`,
      field.description,
    ),
  )

const schemaIn = (content: typeof Contents.Type | undefined): Option.Option<Node> =>
  Option.fromNullable(Object.values(content ?? {}).find(({ schema }) => schema !== undefined)?.schema)

const answersOf = ({ responses }: Operation): string =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, { content }]) =>
      `${status} ${Option.getOrElse(Option.map(schemaIn(content), typeText), () => "")}`.trim(),
    )
    .join("; ")

const errorsOf = ({ responses }: Operation): string =>
  Object.keys(responses)
    .filter((status) => !status.startsWith("2"))
    .join(", ")

const operationText = (method: string, path: string, operation: Operation): string => {
  const { summary = "", description, parameters = [], requestBody } = operation
  const inputs = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required, description: text, schema }) =>
      withDescription(
        `- query \`${name}${required === true ? "" : "?"}\` ${schema === undefined ? "string" : typeText(schema)}`,
        text,
      ),
    )
  const body = Option.map(schemaIn(requestBody?.content), (schema) => `Body: ${typeText(schema)}`)
  return [
    `### ${method.toUpperCase()} ${path}`,
    "",
    [summary, description].filter((text) => text !== undefined && text !== "").join(". "),
    ...inputs,
    ...Option.toArray(body),
    `Answer: ${answersOf(operation)}. Errors: ${errorsOf(operation)}`,
    "",
  ].join("\n")
}

const typeSection = (name: string, node: Node): string => {
  const fields = fieldLines(node)
  const heading = withDescription(`### ${name}`, node.description)
  return fields.length > 0 ? `${heading}\n\n${fields.join("\n")}\n` : `${heading}\n\n${typeText(node)}\n`
}

const errorTable = (): string =>
  Object.values(errorCodes)
    .flatMap(({ status, codes }) =>
      Object.entries(codes).map(([code, meaning]) => `- ${status} \`${code}\`: ${meaning}`),
    )
    .join("\n")

/** Every operation, type and error code of an OpenAPI document as Markdown. */
export const referenceText = (document: object): string => {
  const { tags, paths, components } = decode(JSON.stringify(document))
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  const sections = tags.map(({ name, description }) => {
    const of = operations.filter(({ operation }) => operation.tags.includes(name))
    return [
      `## ${name}`,
      ...(description === undefined ? [] : ["", description]),
      "",
      ...of.map(({ method, path, operation }) => operationText(method, path, operation)),
    ].join("\n")
  })
  const types = Object.entries(components.schemas).map(([name, node]) => typeSection(name, node))
  return [...sections, "## Errors", "", errorTable(), "", "## Types", "", ...types].join("\n")
}
