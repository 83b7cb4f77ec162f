/**
 * No answer shows the inside of a schema. Values of every wrong type go to every field, query parameter and path of the
 * OpenAPI document, and each refusal has to name fields and what they take in plain words (spec: errors.format.error).
 */
import { openApiDocument } from "@mailroom/api"
import { type Answer, InMemoryHttp } from "@mailroom/testing"
import { Effect, Predicate, Schema } from "effect"
import { expect } from "vitest"
import { owner, signIn } from "./support/accounts.js"
import { ABSENT } from "./support/routes.js"
import { inOneService } from "./support/service.js"

const document = openApiDocument({ baseUrl: "http://mailroom.test", headerPrefix: "X-Service-" })

/** How Effect prints types; none of it belongs into an answer. */
const INTERNALS = /expected|actual |Brand|<->|itemsCount|minLength\(|Struct|Refinement|undefined|\{ /i
/** The keyword of a type. The name of a preset is `readOnly`. */
const KEYWORD = /\breadonly\b/

/** Words that leave open what is accepted. */
const VAGUE = "is not of the form that is accepted here"

const wrongValues: ReadonlyArray<unknown> = [
  null,
  true,
  -1.5,
  "",
  "\u0000 wrong",
  "x".repeat(3000),
  [],
  ["x", 1, {}],
  { a: { b: [1] } },
]

const JsonSchema = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const isSchema = Schema.is(JsonSchema)
const field = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

/** The schema that a reference leads to; of alternatives the first that is not null. */
const resolved = (schema: unknown): unknown => {
  const reference = field(schema, "$ref")
  if (typeof reference === "string")
    return resolved(field(document.components.schemas, reference.split("/").at(-1) ?? ""))
  const alternatives = field(schema, "anyOf") ?? field(schema, "oneOf") ?? field(schema, "allOf")
  return Array.isArray(alternatives)
    ? resolved(alternatives.find((one) => field(one, "type") !== "null"))
    : schema
}

/** A body of the shape of a schema, all of whose fields down to `depth` objects or lists have the value. */
const filled = (schema: unknown, value: unknown, depth: number): unknown => {
  const shape = resolved(schema)
  if (depth === 0) return value
  const properties = field(shape, "properties")
  if (isSchema(properties))
    return Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, filled(inner, value, depth - 1)]),
    )
  return field(shape, "type") === "array" ? [filled(field(shape, "items"), value, depth - 1)] : value
}

interface Request {
  readonly target: string
  readonly body?: unknown
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const formOf = (schema: unknown, value: unknown): FormData => {
  const form = new FormData()
  const properties = field(resolved(schema), "properties")
  for (const name of isSchema(properties) ? Object.keys(properties) : []) form.append(name, asText(value))
  return form
}

/** The bodies, each once: most schemas are not as deep as the deepest. */
const distinct = (bodies: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(bodies.map((body) => [JSON.stringify(body), body])).values(),
]

/** The requests that put one wrong value into all places of an operation at once, and into its body in three depths. */
const requests = (
  method: string,
  path: string,
  operation: unknown,
  value: unknown,
): ReadonlyArray<Request> => {
  const target = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, ABSENT)}`
  const content = field(field(operation, "requestBody"), "content")
  const json = field(field(content, "application/json"), "schema")
  const form = field(field(content, "multipart/form-data"), "schema")
  const parameters = field(operation, "parameters")
  const query = (Array.isArray(parameters) ? parameters : [])
    .filter((one) => field(one, "in") === "query")
    .map((one) => `${String(field(one, "name"))}=${encodeURIComponent(asText(value))}`)
  return [
    {
      target: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, encodeURIComponent(asText(value)) || "x")}`,
    },
    ...(query.length > 0 ? [{ target: `${target}?${query.join("&")}` }] : []),
    ...(json === undefined
      ? []
      : distinct([0, 1, 2, 3].map((depth) => filled(json, value, depth))).map((body) => ({ target, body }))),
    ...(form === undefined ? [] : [{ target, body: formOf(form, value) }]),
  ]
}

/** Operations that answer with a stream, that wait, or that end the account or the session of the caller. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "get /v1/events",
  "get /v1/messages/wait",
  "delete /v1/account",
  "post /api/auth/sign-out",
])

const all = wrongValues.flatMap((value) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => !LEFT_OUT.has(`${method} ${path}`))
      .flatMap(([method, operation]) => requests(method, path, operation, value)),
  ),
)

const Refusal = Schema.Struct({
  error: Schema.String,
  issues: Schema.optionalWith(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })), {
    default: () => [],
  }),
})

const wordsOf = ({ json }: Answer): ReadonlyArray<string> => {
  const { error, issues } = Schema.decodeUnknownSync(Refusal)(json)
  return [error, ...issues.map(({ message }) => message)]
}

inOneService((rule) => {
  rule("no refusal of a wrong value shows the inside of a schema", () =>
    Effect.gen(function* () {
      const { call } = yield* InMemoryHttp
      const account = yield* owner("active")
      const cookie = yield* signIn(account)
      const seen = new Set<string>()
      for (const { target, body } of all) {
        const answer = yield* call(target, { cookie, body })
        expect(answer.status, `${target} ${JSON.stringify(body)}`).not.toBe(500)
        if (answer.status < 400) continue
        for (const words of wordsOf(answer).filter(
          (one) => INTERNALS.test(one) || KEYWORD.test(one) || one.endsWith(VAGUE),
        ))
          seen.add(`${target.slice(0, 100)}: ${words.slice(0, 200)}`)
      }
      expect([...seen]).toEqual([])
      expect(all.length).toBeGreaterThan(800)
    }),
  )
})
