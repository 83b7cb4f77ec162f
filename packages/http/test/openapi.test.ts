/** The OpenAPI document is complete, and valid for the tools that read it. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { openApiDocument } from "@mailroom/api"
import { EventKind } from "@mailroom/domain"
import { describe, expect, it } from "vitest"

const document = openApiDocument({ baseUrl: "https://api.mailroom.dev", headerPrefix: "X-Service-" })

/** The path of every field below a part of the document that says nothing of itself. */
const silentFields = (part: unknown, path: string): ReadonlyArray<string> => {
  if (typeof part !== "object" || part === null) return []
  const silent = ([name, field]: [string, unknown]): ReadonlyArray<string> =>
    typeof field === "object" && field !== null && "description" in field ? [] : [`${path}.${name}`]
  const own =
    "properties" in part && typeof part.properties === "object" && part.properties !== null
      ? Object.entries(part.properties).flatMap(silent)
      : []
  return [...own, ...Object.entries(part).flatMap(([name, inner]) => silentFields(inner, `${path}/${name}`))]
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

describe("the OpenAPI document", () => {
  it("has no problem by the recommended rules of Redocly", async () => {
    const config = await createConfig({ extends: ["recommended"] })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    const lines = problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    )
    expect(lines).toEqual([])
  })

  it("names the service's own address", () => {
    expect(document.servers).toEqual([{ url: "https://api.mailroom.dev" }])
  })

  it("describes every tag", () => {
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\S{3}.*\.$/)
  })

  it("describes every schema", () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(schema.description, name).toMatch(/\S/)
  })

  it("describes every field, whatever its type says of itself", () => {
    expect(silentFields({ properties: { a: { $ref: "#/components/schemas/Timestamp" } } }, "")).toEqual([
      ".a",
    ])
    expect([
      ...silentFields(document.components, "components"),
      ...silentFields(document.paths, "paths"),
    ]).toEqual([])
  })

  it.each(["SendForm", "ReplyForm", "ForwardForm"])(
    "takes %s in the place of JSON, with files as files",
    (form) => {
      const { schemas } = document.components
      expect(schemas[form]).toMatchObject({
        properties: {
          attachments: { type: "array", items: { type: "string", format: "binary" } },
          bodyText: { type: "string" },
          labels: { type: "array" },
        },
      })
      const taken = operations.filter(({ operation }) =>
        JSON.stringify(operation.requestBody?.content["multipart/form-data"] ?? null).includes(`/${form}"`),
      )
      expect(taken.length).toBeGreaterThan(0)
    },
  )

  it("promises a redirect only after the forms that have one", () => {
    const redirecting = operations.filter(({ operation }) => "303" in operation.responses)
    expect(redirecting.map(({ name }) => name)).toEqual(["POST /v1/auth/verify-email"])
  })

  it("says what a local part looks like", () => {
    const pattern = JSON.stringify(document.components.schemas["LocalPart"])
    const { pattern: source } = JSON.parse(pattern)
    for (const good of ["ada", "Ada.Lovelace", "a_b-c9"]) expect(good).toMatch(new RegExp(source))
    for (const bad of ["", ".ada", "ada.", "a..b", "a b", "ä", "a".repeat(65)])
      expect(bad).not.toMatch(new RegExp(source))
  })

  it("describes what every event posts to a webhook", () => {
    expect(Object.keys(document.webhooks)).toEqual(EventKind.literals)
  })

  it("closes no object: clients have to bear fields that they do not know", () => {
    const closed = JSON.stringify(document.paths).match(/"additionalProperties":false/g)
    expect(closed).toBeNull()
  })
})

describe.each(operations)("$name", ({ operation }) => {
  it("has a summary and a description", () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.description).toMatch(/^[A-Z`][\s\S]*\.$/)
  })

  it("describes every parameter", () => {
    for (const { name, description } of operation.parameters) expect(description, name).toMatch(/\S{2}/)
  })

  it("says of every answer what it means, and what is in it", () => {
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(description, status).toMatch(/\S{2}/)
      expect(description, status).not.toBe("Success")
      if (Number(status) >= 400 && status !== "416")
        expect(content?.["application/json"]?.schema, status).toBeDefined()
    }
  })

  it("says which headers come with an answer", () => {
    const { responses, security } = operation
    const headersOf = (status: string) => Object.keys(responses[status]?.headers ?? {})
    if (security.length > 0) {
      expect(headersOf("400")).toEqual(
        expect.arrayContaining(["X-Service-Inbound-Quota", "X-Service-Inbound-Warning"]),
      )
      expect(headersOf("401")).toEqual([])
    }
    if (responses["429"] !== undefined) expect(headersOf("429")).toContain("Retry-After")
  })
})
