/**
 * The OpenAPI document that the service serves, as a judge of its answers: the operation is there, the status and the
 * content type are documented, and the body fits its schema, without a field that is not in it.
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Schema } from "effect"
import type { Answer } from "./Answer.js"

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const Document = Schema.Struct({
  openapi: Schema.Literal("3.1.0"),
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record({
    key: Schema.String,
    value: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({
        responses: Schema.Record({
          key: Schema.String,
          value: Schema.Struct({
            content: Schema.optional(
              Schema.Record({ key: Schema.String, value: Schema.Struct({ schema: Schema.Unknown }) }),
            ),
          }),
        }),
      }),
    }),
  }),
})

/** Every object is closed, even where the document leaves it open; names of the library's own schemas say nothing. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isRecord(schema)) return schema
  const { $id: _, ...rest } = schema
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, closed(value)]))
  return isRecord(inner["properties"]) && !("additionalProperties" in inner)
    ? { ...inner, additionalProperties: false }
    : inner
}

const pointer = (...parts: ReadonlyArray<string>): string =>
  parts.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

/** The media ranges that a content type is in. */
const rangesOf = (type: string): ReadonlyArray<string> => [type, `${type.split("/")[0]}/*`, "*/*"]

export interface OpenApiDocument {
  readonly version: string
  /** Every operation: `GET /v1/mailboxes/{id}`. */
  readonly operations: ReadonlyArray<string>
  /** The operation that a method and a path belong to; null when it has none. */
  readonly operationOf: (target: string) => string | null
  /** What is wrong with an answer to `target`, in one line; null when it is as documented. */
  readonly problem: (target: string, answer: Omit<Answer, "bytes">) => string | null
}

/** Throws when the document is none. */
export const openApiDocument = (json: unknown): OpenApiDocument => {
  const { info, paths } = Schema.decodeUnknownSync(Document)(json)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const schemas = closed(json)
  ajv.addSchema(isRecord(schemas) ? schemas : {}, "document")

  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method,
      path,
      name: `${method.toUpperCase()} ${path}`,
      matches: new RegExp(`^${path.replace(/\{[A-Za-z]+\}/g, "[^/]+")}$`),
      responses,
    })),
  )
  const find = (target: string) => {
    const [method, url = ""] = target.split(" ")
    const path = url.split("?")[0] ?? ""
    // An exact path comes before one with a parameter.
    const found = operations.filter((one) => one.name.startsWith(`${method} `) && one.matches.test(path))
    return found.find((one) => one.path === path) ?? found[0]
  }

  return {
    version: info.version,
    operations: operations.map(({ name }) => name),
    operationOf: (target) => find(target)?.name ?? null,
    problem: (target, { status, headers, json: body }) => {
      const operation = find(target)
      if (operation === undefined) return "the operation is not in the document"
      const response = operation.responses[String(status)]
      if (response === undefined) return `status ${status} is not documented`
      const { content } = response
      if (content === undefined) return null
      const type = (headers.get("content-type") ?? "").split(";")[0] ?? ""
      if (!rangesOf(type).some((range) => range in content))
        return `content type ${type} of ${status} is not documented`
      if (type !== "application/json") return null
      const where = pointer(
        "paths",
        operation.path,
        operation.method,
        "responses",
        String(status),
        "content",
        type,
      )
      const validate = ajv.getSchema(`document#/${where}/schema`)
      if (validate === undefined) return `${status} has no schema`
      return validate(body) === true ? null : ajv.errorsText(validate.errors)
    },
  }
}
