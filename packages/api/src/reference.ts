/** The whole interface as one text, made from the OpenAPI document: for language models that read it at once. */
import { Option } from "effect"
import { errorCodes } from "./errorCodes.js"
import { type ApiContents, type ApiOperation, type JsonSchema, outlineOf } from "./openApiOutline.js"

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1)

/** The type of a value: `string`, `Message`, `"a" | "b"`, `{ id: string, name?: string }[]`. */
const typeText = (node: JsonSchema): string => {
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

const fieldLines = ({ properties = {}, required = [] }: JsonSchema): ReadonlyArray<string> =>
  Object.entries(properties).map(([name, field]) =>
    withDescription(
      `- \`${name}${required.includes(name) ? "" : "?"}\` ${typeText(field)}`,
      field.description,
    ),
  )

const schemaIn = (content: ApiContents | undefined): Option.Option<JsonSchema> =>
  Option.fromNullable(Object.values(content ?? {}).find(({ schema }) => schema !== undefined)?.schema)

const answersOf = ({ responses }: ApiOperation): string =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, { content }]) =>
      `${status} ${Option.getOrElse(Option.map(schemaIn(content), typeText), () => "")}`.trim(),
    )
    .join("; ")

const errorsOf = ({ responses }: ApiOperation): string =>
  Object.keys(responses)
    .filter((status) => !status.startsWith("2"))
    .join(", ")

const operationText = (operation: ApiOperation): string => {
  const { method, path, summary, description, parameters, requestBody } = operation
  const inputs = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required, description: text, schema }) =>
      withDescription(`- query \`${name}${required === true ? "" : "?"}\` ${typeText(schema)}`, text),
    )
  const body = Option.map(schemaIn(requestBody?.content), (schema) => `Body: ${typeText(schema)}`)
  return [
    `### ${method} ${path}`,
    "",
    [summary, description].filter((text) => text !== "").join(". "),
    ...inputs,
    ...Option.toArray(body),
    `Answer: ${answersOf(operation)}. Errors: ${errorsOf(operation)}`,
    "",
  ].join("\n")
}

const typeSection = (name: string, node: JsonSchema): string => {
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
  const { tags, operations, schemas } = outlineOf(document)
  const sections = tags.map(({ name, description }) =>
    [
      `## ${name}`,
      ...(description === "" ? [] : ["", description]),
      "",
      ...operations.filter((operation) => operation.tags.includes(name)).map(operationText),
    ].join("\n"),
  )
  const types = Object.entries(schemas).map(([name, schema]) => typeSection(name, schema))
  return [...sections, "## Errors", "", errorTable(), "", "## Types", "", ...types].join("\n")
}
