/** Writes JSON schemas of the OpenAPI document as TypeScript types with doc comments. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string | number | boolean>
  readonly format?: string
  readonly allOf?: ReadonlyArray<Schema>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly default?: unknown
}

const WIDTH = 110

/** A doc comment of these paragraphs, with lines of at most 110 characters. */
export const comment = (paragraphs: ReadonlyArray<string | undefined>, indent = ""): string => {
  const width = WIDTH - indent.length - 3
  const lines = paragraphs.flatMap((paragraph) => {
    const words = (paragraph ?? "")
      .replaceAll("*/", "*∕")
      .split(/\s+/)
      .filter((word) => word !== "")
    const wrapped: Array<string> = []
    for (const word of words) {
      const last = wrapped.at(-1)
      if (last !== undefined && last.length + word.length < width)
        wrapped[wrapped.length - 1] = `${last} ${word}`
      else wrapped.push(word)
    }
    return wrapped
  })
  const [first] = lines
  if (first === undefined) return ""
  if (lines.length === 1 && first.length < width - 3) return `${indent}/** ${first} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** Components whose name says no more than their type. */
const plain: Readonly<Record<string, string>> = { Int: "number" }

const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const inUnion = (type: string): string => (type.includes("=>") ? `(${type})` : type)

const unique = (types: ReadonlyArray<string>): string => [...new Set(types)].map(inUnion).join(" | ")

/** The properties of an object type. `types` replaces the type of a property by its name. */
const members = (
  { properties = {}, required = [] }: Schema,
  indent: string,
  types: Readonly<Record<string, string>>,
): string =>
  Object.entries(properties)
    .map(([name, property]) => {
      const isRequired = required.includes(name)
      const type = types[name] ?? typeOf(property, indent)
      return [
        comment([property.description], indent),
        `${indent}readonly ${propertyName(name)}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"}\n`,
      ].join("")
    })
    .join("")

export const objectType = (
  schema: Schema,
  indent = "",
  types: Readonly<Record<string, string>> = {},
): string => `{\n${members(schema, `${indent}  `, types)}${indent}}`

const recordOf = ({ additionalProperties, patternProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === "object" ? additionalProperties : Object.values(patternProperties ?? {})[0]

/** The type of a schema; objects inside it continue at this indent. */
export const typeOf = (schema: Schema, indent = ""): string => {
  if (schema.$ref !== undefined) return plain[nameOf(schema.$ref)] ?? nameOf(schema.$ref)
  if (schema.allOf !== undefined) return schema.allOf.map((part) => typeOf(part, indent)).join(" & ")
  if (schema.anyOf !== undefined) return unique(schema.anyOf.map((option) => typeOf(option, indent)))
  if (schema.enum !== undefined) return unique(schema.enum.map((value) => JSON.stringify(value)))
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type
    case "integer":
    case "number":
      return "number"
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {}, indent)}>`
    case "object": {
      const record = recordOf(schema)
      if (record !== undefined) return `Readonly<Record<string, ${typeOf(record, indent)}>>`
      return objectType(schema, indent)
    }
    default:
      return "unknown"
  }
}

/** The declaration of a named type. */
export const declaration = (
  name: string,
  schema: Schema,
  types: Readonly<Record<string, string>> = {},
): string => {
  const isObject = schema.type === "object" && recordOf(schema) === undefined
  const text = isObject
    ? `export interface ${name} ${objectType(schema, "", types)}`
    : `export type ${name} = ${typeOf(schema)}`
  return `${comment([schema.description])}${text}\n`
}
