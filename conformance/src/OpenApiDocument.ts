/**
 * Checks responses against the OpenAPI document of the service: the operation exists, status and content type are
 * documented, and the body matches its schema without additional fields.
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

/** Closes every object schema, so that undocumented fields are found; drops the `$id`s of the library. */
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

/** The media ranges that include a content type. */
const rangesOf = (type: string): ReadonlyArray<string> => [type, `${type.split("/")[0]}/*`, "*/*"]

export interface OpenApiDocument {
  readonly version: string
  /** All operations: `GET /v1/mailboxes/{id}`. */
  readonly operations: ReadonlyArray<string>
  /** The operation of a method and a path; null without one. */
  readonly operationOf: (target: string) => string | null
  /** The difference between a response to `target` and the document, in one line; null when it matches. */
  readonly problem: (target: string, answer: Omit<Answer, "bytes">) => string | null
}

/** Throws when the document is invalid. */
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
    // A fixed part of a path has precedence over a parameter.
    const [found] = operations
      .filter((one) => one.name.startsWith(`${method} `) && one.matches.test(path))
      .sort((a, b) => a.path.split("{").length - b.path.split("{").length)
    return found
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
