/** Writes the methods of the client, and the table of operations that they use. */
import { byHand, contract, methodOf, type Operation } from "./contract.js"
import { comment, declaration, nameOf, objectType, type Schema, typeOf } from "./schema.js"

const HEADER = "/** Generated from the contract by `npm run client`; do not edit. */\n" as const

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")

const camel = (text: string): string => {
  const name = pascal(text)
  return name.slice(0, 1).toLowerCase() + name.slice(1)
}

const { operations, schemas } = contract()

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(schemas[nameOf(schema.$ref)] ?? {})

/** The schema behind a reference that only adds a description. */
const bare = (schema: Schema): Schema => (schema.allOf?.length === 1 ? (schema.allOf[0] ?? schema) : schema)

const isObject = (schema: Schema): boolean => resolved(bare(schema)).properties !== undefined

const isNullable = (schema: Schema): boolean => (schema.anyOf ?? []).some(({ type }) => type === "null")

const json = (content: Operation["responses"][string]["content"]): Schema | undefined =>
  content?.["application/json"]?.schema

/** The schemas of the successful responses. */
const successes = ({ responses }: Operation): ReadonlyArray<Schema> =>
  Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = json(content)
    return status.startsWith("2") && schema !== undefined ? [schema] : []
  })

type Result =
  /** a file, or a stream */
  | { readonly kind: "bytes" }
  | { readonly kind: "list"; readonly items: string; readonly item: Schema; readonly body: Schema }
  /** a body with one field, which holds the resource */
  | { readonly kind: "one"; readonly field: string; readonly schema: Schema; readonly in: Schema }
  | { readonly kind: "whole"; readonly schema: Schema }
  /** the message, or the draft that it became */
  | { readonly kind: "sent" }

const resultOf = (operation: Operation): Result => {
  const [first, ...others] = successes(operation)
  if (first === undefined) return { kind: "bytes" }
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) return { kind: "sent" }
  const properties = Object.entries(resolved(first).properties ?? {})
  const lists = properties.filter(([, { type }]) => type === "array")
  const [list] = lists
  if (
    operation.method === "get" &&
    list !== undefined &&
    lists.length === 1 &&
    properties.every(([name]) => name === list[0] || name === "metadata")
  )
    return { kind: "list", items: list[0], item: list[1].items ?? {}, body: first }
  const [only] = properties
  if (only !== undefined && properties.length === 1 && (isObject(only[1]) || isNullable(only[1])))
    return { kind: "one", field: only[0], schema: bare(only[1]), in: first }
  return { kind: "whole", schema: first }
}

/** Types that the contract has no name for, by the name that the client gives them. */
const named = new Map<string, string>()

const name = (wanted: string, schema: Schema, text = declaration(wanted, schema)): string => {
  named.set(wanted, text)
  return wanted
}

/** Better names than those of the first method that returns the type. */
const better: Readonly<Record<string, string>> = {
  SignupCreateResult: "SignedUp",
  AccountRemoveResult: "Deleted",
  KeysCreateResult: "CreatedKey",
  KeysRevokeResult: "Revoked",
  AttachmentsUploadResult: "UploadedAttachment",
  ClaimsNextResult: "NextClaim",
  ClaimsOneResult: "ClaimedMessage",
  ClaimsReleaseResult: "ReleasedClaim",
  AdminDkimResult: "PlatformDkim",
  AdminCreateInvitationResult: "CreatedInvitation",
}

/** The name of each type by its fields: methods that return the same share it. */
const byFields = new Map<string, string>()

/** The type of a schema; one without a name in the contract gets this one. */
const typeNamed = (wanted: string, schema: Schema): string => {
  const plain = bare(schema)
  if (plain.properties === undefined) return typeOf(plain)
  const fields = objectType(plain)
  const known = byFields.get(fields) ?? better[wanted] ?? wanted
  byFields.set(fields, known)
  return name(known, plain)
}

const queryType = (schema: Schema, description: string | undefined): string => {
  if (description?.match(/comma/)) return "string | ReadonlyArray<string>"
  return schema.format === "date-time" ? "string | Date" : typeOf(schema)
}

const queryOf = (operation: Operation) => operation.parameters.filter((parameter) => parameter.in === "query")

/** The type of the query, or undefined for an operation without one. */
const queryNamed = (operation: Operation): string | undefined => {
  const query = queryOf(operation)
  if (query.length === 0) return undefined
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [
      name,
      {
        ...schema,
        description: `${description ?? ""}${schema.default === undefined ? "" : `; by default ${JSON.stringify(schema.default)}`}`,
      },
    ]),
  )
  const types = Object.fromEntries(
    query.map(({ name, schema, description }) => [name, queryType(schema, description)]),
  )
  const schema = {
    type: "object",
    description: `The query of \`${methodOf(operation)}\`.`,
    properties,
    required: query.filter(({ required }) => required === true).map(({ name }) => name),
  }
  const wanted = `${pascal(methodOf(operation))}Query`
  return name(wanted, schema, declaration(wanted, schema, types))
}

interface Argument {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

const pathArguments = ({ parameters }: Operation): ReadonlyArray<Argument> =>
  parameters
    .filter((parameter) => parameter.in === "path")
    .map(({ name, description, schema }) => {
      const what = description?.match(/^id of the (?:API )?([a-z ]+)$/)?.[1]?.replace("list entry", "entry")
      return { name: what === undefined ? name : `${camel(what)}Id`, type: typeOf(schema), required: true }
    })

/** Bodies that may also be sent as a form, with files. */
const takesFiles = ({ requestBody }: Operation): boolean =>
  requestBody?.content["application/json"] !== undefined &&
  requestBody.content["multipart/form-data"] !== undefined

const bodyArgument = (operation: Operation): Argument | undefined => {
  const schema = json(operation.requestBody?.content)
  if (schema === undefined) return undefined
  const options = (schema.anyOf ?? [schema]).filter(({ type }) => type !== "null")
  const type = options.map((option) => typeNamed(`${pascal(methodOf(operation))}Body`, option)).join(" | ")
  return { name: "body", type, required: options.length === (schema.anyOf ?? [schema]).length }
}

const queryArgument = (operation: Operation): Argument | undefined => {
  const type = queryNamed(operation)
  return type === undefined
    ? undefined
    : { name: "query", type, required: queryOf(operation).some(({ required }) => required === true) }
}

const parameter = ({ name, type, required }: Argument): string => `${name}${required ? "" : "?"}: ${type}`

/** What a call returns, and the code that makes it. */
const returnOf = (operation: Operation, result: Result): { readonly type: string; readonly via: string } => {
  const method = methodOf(operation)
  const wanted = `${pascal(method)}Result`
  switch (result.kind) {
    case "bytes":
      return { type: "Call<Response>", via: "bytes" }
    case "sent":
      return { type: "Call<SendResult>", via: "call" }
    case "list": {
      const body = typeNamed(wanted, result.body)
      const item =
        bare(result.item).properties === undefined && bare(result.item).anyOf === undefined
          ? typeOf(bare(result.item))
          : `${body}["${result.items}"][number]`
      return { type: `List<${item}, ${body}>`, via: "list" }
    }
    case "one":
      return {
        type: `Call<${
          result.in.$ref === undefined
            ? typeNamed(wanted, result.schema)
            : `${nameOf(result.in.$ref)}["${result.field}"]`
        }>`,
        via: "call",
      }
    case "whole":
      return { type: `Call<${typeNamed(wanted, result.schema)}>`, via: "call" }
  }
}

const methodText = (operation: Operation): string => {
  const method = methodOf(operation)
  const path = pathArguments(operation)
  const body = bodyArgument(operation)
  const query = queryArgument(operation)
  const { type, via } = returnOf(operation, resultOf(operation))
  if (byHand.has(method)) return ""
  const [, short = ""] = method.split(".")
  const input = [body, query].filter((argument) => argument !== undefined)
  const parameters = [...path, ...input].map(parameter)
  const ids = path.map(({ name }) => name).join(", ")
  const given = input.map(({ name }) => name).join(", ")
  const signature = `${short}(${[...parameters, "options?: RequestOptions"].join(", ")}): ${type}`
  const head =
    signature.length < 106
      ? `  ${signature} {`
      : `  ${short}(\n${[...parameters, "options?: RequestOptions"].map((one) => `    ${one},\n`).join("")}  ): ${type} {`
  const input2 = given === "" ? "{}" : `{ ${given} }`
  return [
    comment([`${operation.summary ?? ""}.`, operation.description], "  "),
    `${head}\n    return this.transport.${via}("${method}", [${ids}], ${input2}, options)\n  }\n`,
  ].join("")
}

const resources = [...new Set(operations.map((operation) => methodOf(operation).split(".")[0] ?? ""))]

const classes = resources.map((resource) => {
  const methods = operations
    .filter((operation) => methodOf(operation).startsWith(`${resource}.`))
    .map(methodText)
    .filter((text) => text !== "")
  return `export class ${pascal(resource)}Methods extends Resource {\n${methods.join("\n")}}\n`
})

const rowText = (operation: Operation): string => {
  const result = resultOf(operation)
  const isIdempotent = operation.parameters.some(({ name }) => name === "Idempotency-Key")
  const fields = [
    `method: "${operation.method.toUpperCase()}"`,
    `path: "${operation.path}"`,
    ...(isIdempotent ? ["idempotent: true"] : []),
    ...(takesFiles(operation) ? ["files: true"] : []),
    ...(result.kind === "one" ? [`field: "${result.field}"`] : []),
    ...(result.kind === "list" ? [`items: "${result.items}"`] : []),
  ]
  const line = `  "${methodOf(operation)}": { ${fields.join(", ")} },`
  return line.length <= 110
    ? line
    : `  "${methodOf(operation)}": {\n${fields.map((field) => `    ${field},\n`).join("")}  },`
}

/** The names of the contract and of the client that a text uses. */
const namesIn = (text: string): ReadonlySet<string> => new Set(text.match(/\b[A-Z]\w*\b/g) ?? [])

/** Code only: comments contain names of the contract, too. */
const withoutComments = (text: string): string => text.replaceAll(/\/\*\*[\s\S]*?\*\//g, "")

export const methodsFile = (): string => {
  const code = withoutComments(classes.join("\n"))
  const types = [...namesIn(code)]
    .filter((used) => schemas[used] !== undefined || named.has(used) || used === "SendResult")
    .sort()
  return [
    HEADER,
    `import type { Call } from "../Call.js"\n`,
    `import type { RequestOptions } from "../options.js"\n`,
    `import type { List } from "../Page.js"\n`,
    `import { Resource } from "../Resource.js"\n`,
    `import type {\n${types.map((type) => `  ${type},\n`).join("")}} from "./types.js"\n\n`,
    classes.join("\n"),
  ].join("")
}

export const operationsFile = (): string =>
  [
    HEADER,
    `import type { Operation } from "../Operation.js"\n\n`,
    "/** Every operation of the contract, by its method of the client. */\n",
    `export const operations = {\n${operations.map(rowText).join("\n")}\n} satisfies Readonly<Record<string, Operation>>\n\n`,
    "export type OperationName = keyof typeof operations\n",
  ].join("")

const FILES = "ReadonlyArray<string | InlineAttachment | FileUpload>"

/** Bodies whose attachments may be files. */
const fileBodies = new Set(
  operations.filter(takesFiles).map((operation) => nameOf(json(operation.requestBody?.content)?.$ref ?? "")),
)

const sendResult =
  "/** The message; or the draft that it became, because it waits for a review or for its time. */\n" +
  "export type SendResult =\n" +
  "  | { readonly message: Message; readonly draft?: undefined }\n" +
  "  | { readonly draft: Draft; readonly message?: undefined }\n"

export const typesFile = (): string => {
  const skipped = (name: string) => name === "Int" || name.endsWith("Form")
  const declared = Object.entries(schemas)
    .filter(([name]) => !skipped(name))
    .map(([name, schema]) => declaration(name, schema, fileBodies.has(name) ? { attachments: FILES } : {}))
  return [
    HEADER,
    `import type { FileUpload } from "../files.js"\n\n`,
    [...declared, ...named.values(), sendResult].join("\n"),
  ].join("")
}
