/** The check of responses against the OpenAPI document finds each kind of difference. */
import { describe, expect, it } from "vitest"
import { openApiDocument } from "../src/OpenApiDocument.js"

const thing = { type: "object", required: ["id"], properties: { id: { type: "string", format: "uuid" } } }
const json = (schema: object) => ({ description: "", content: { "application/json": { schema } } })

const document = openApiDocument({
  openapi: "3.1.0",
  info: { title: "Things", version: "1.0.0" },
  paths: {
    "/v1/things": {
      get: { responses: { 200: json({ type: "array", items: { $ref: "#/components/schemas/Thing" } }) } },
    },
    "/v1/things/{id}": { get: { responses: { 200: json({ $ref: "#/components/schemas/Thing" }), 204: {} } } },
    "/v1/things/{id}/picture": { get: { responses: { 200: { content: { "image/*": { schema: {} } } } } } },
    "/v1/things/{id}/file": { get: { responses: { 200: { content: { "*/*": { schema: {} } } } } } },
    "/v1/things/newest": { get: { responses: { 204: {} } } },
  },
  components: { schemas: { Thing: thing } },
})

const id = "01900000-0000-7000-8000-000000000000"
const problem = (target: string, status: number, body: unknown, type = "application/json; charset=utf-8") =>
  document.problem(target, {
    status,
    headers: new Headers({ "content-type": type }),
    text: JSON.stringify(body),
    json: body,
  })

describe("an answer", () => {
  it("that is as documented has no problem", () => {
    expect(problem(`GET /v1/things/${id}?full=true`, 200, { id })).toBeNull()
    expect(problem("GET /v1/things", 200, [{ id }, { id }])).toBeNull()
    expect(problem(`GET /v1/things/${id}`, 204, undefined)).toBeNull()
  })

  it("of an operation that is not documented is told", () => {
    expect(problem("POST /v1/things", 200, {})).toContain("operation")
    expect(problem("GET /v1/nothing", 200, {})).toContain("operation")
    expect(problem(`GET /v1/things/${id}/more`, 200, {})).toContain("operation")
  })

  it("with a status that is not documented is told", () => {
    expect(problem("GET /v1/things", 404, {})).toContain("404")
  })

  it("of a content type that is not documented is told", () => {
    expect(problem("GET /v1/things", 200, [], "text/html")).toContain("text/html")
  })

  it("of a content type in a range that is documented has no problem", () => {
    expect(problem(`GET /v1/things/${id}/picture`, 200, undefined, "image/png")).toBeNull()
    expect(problem(`GET /v1/things/${id}/picture`, 200, undefined, "text/plain")).toContain("text/plain")
    expect(problem(`GET /v1/things/${id}/file`, 200, undefined, "text/plain")).toBeNull()
  })

  it("whose body lacks a field, or has a wrong value, is told", () => {
    expect(problem(`GET /v1/things/${id}`, 200, {})).toContain("id")
    expect(problem(`GET /v1/things/${id}`, 200, { id: "seven" })).toContain("uuid")
    expect(problem("GET /v1/things", 200, [{ id }, {}])).toContain("id")
  })

  it("with a field that is not documented is told, though the schema leaves it open", () => {
    expect(problem(`GET /v1/things/${id}`, 200, { id, more: 1 })).toContain("additional properties")
  })
})

describe("an operation", () => {
  it("with an exact path comes before one with a parameter", () => {
    expect(document.operationOf("GET /v1/things/newest")).toBe("GET /v1/things/newest")
    expect(document.operationOf(`GET /v1/things/${id}`)).toBe("GET /v1/things/{id}")
    expect(document.operationOf("GET /v2/things")).toBeNull()
  })
})
