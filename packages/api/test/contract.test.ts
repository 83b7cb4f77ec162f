/** The OpenAPI document is complete, and free of schemas that only the library needs. */
import * as HttpApi from "@effect/platform/HttpApi"
import {
  Api,
  BadRequest,
  guardedEndpoints,
  malformedIdOf,
  mailboxId,
  messageId,
  openApiDocument,
  WireError,
} from "@mailroom/api"
import { Either, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"

const document = openApiDocument({ baseUrl: "https://api.mailroom.dev", headerPrefix: "X-Service-" })
const text = JSON.stringify(document)

const endpoints: Array<{
  readonly name: string
  readonly path: string
  readonly method: string
  readonly statuses: ReadonlyArray<number>
  readonly open: boolean
  readonly operator: boolean
}> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ group, endpoint, middleware, errors }) => {
    endpoints.push({
      name: `${group.identifier}.${endpoint.name}`,
      path: endpoint.path,
      method: endpoint.method,
      statuses: [...errors.keys()],
      open: middleware.size === 0,
      operator: group.identifier === "admin",
    })
  },
})

describe("the OpenAPI document", () => {
  it("is 3.1.0, version 1.0.0", () => {
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe("1.0.0")
  })

  it("has no schema of a response that only the library uses", () => {
    expect(text).not.toContain("HttpApiDecodeError")
    expect(text).not.toContain('"_tag"')
  })

  it("shows the keys and the permissions that each authenticated route needs", () => {
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
      expect("x-permissions" in operation, operation.operationId).toBe(operation.security.length > 0)
    expect(document.paths["/v1/mailboxes/{id}/messages"]?.post).toMatchObject({
      "x-keys": "scoped",
      "x-permissions": ["send"],
    })
    expect(document.paths["/v1/domains"]?.get?.description).toMatch(
      / Needs full access and `read` or `manage`\.$/,
    )
    expect(document.paths["/v1/mailboxes/{id}"]?.patch?.description).toMatch(/ Needs `send` or `manage`\.$/)
    expect(document.paths["/v1/whoami"]?.get).toMatchObject({ "x-permissions": [] })
  })

  it("does not contain the routes of providers", () => {
    expect(Object.keys(document.paths).filter((path) => /stripe|reports/.test(path))).toEqual([])
  })

  it("documents downloads of any content type, whole and in ranges", () => {
    const answers = document.paths["/v1/attachments/{id}/content"]?.get?.responses ?? {}
    for (const status of [200, 206] as const)
      expect(answers[status]?.content).toEqual({ "*/*": { schema: { type: "string", format: "binary" } } })
    expect(answers[416]).not.toHaveProperty("content")
  })

  it("refers only to schemas that it contains", () => {
    const names = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
    expect(names.length).toBeGreaterThan(0)
    expect([...new Set(names)].filter((name) => !(name in document.components.schemas))).toEqual([])
  })

  it("lists key and session for every authenticated route, and nothing for public routes", () => {
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: "http", scheme: "bearer" },
      session: { type: "apiKey", in: "cookie", name: "mailroom_session" },
    })
  })

  const posts = Object.entries(document.paths).flatMap(([path, { post }]) =>
    post === undefined ? [] : [{ path, post, ofCaller: post.security.length > 0 }],
  )

  it.each(posts.filter(({ ofCaller }) => ofCaller))("tells of Idempotency-Key on POST $path", ({ post }) => {
    expect(post.parameters).toContainEqual(
      expect.objectContaining({ name: "Idempotency-Key", in: "header", required: false }),
    )
    expect(post.parameters).toContainEqual(
      expect.objectContaining({ name: "Idempotency-Refusals", in: "header", required: false }),
    )
    const replayed = Object.entries(post.responses).filter(([, answer]) =>
      JSON.stringify(answer).includes('"Idempotent-Replayed"'),
    )
    const statuses = replayed.map(([status]) => Number(status))
    expect(statuses.some((status) => status < 300)).toBe(true)
    expect(statuses).toEqual(expect.arrayContaining([400, 402, 403, 404, 409, 413]))
    expect(statuses.filter((status) => [401, 429, 500, 503].includes(status))).toEqual([])
    expect(post.responses).toMatchObject({
      409: {
        headers: { "Retry-After": expect.anything() },
        content: { "application/json": { schema: { $ref: "#/components/schemas/Conflict" } } },
      },
    })
  })

  it.each(posts.filter(({ ofCaller }) => !ofCaller))(
    "says nothing of it on the public POST $path",
    ({ post }) => {
      expect(JSON.stringify(post)).not.toMatch(/Idempoten/)
    },
  )

  it("does not contain the routes of the operator", () => {
    expect(Object.keys(document.paths).filter((path) => path.startsWith("/admin"))).toEqual([])
    expect(document.components.securitySchemes).not.toHaveProperty("admin")
  })

  it("documents redirects after forms, and ranges", () => {
    expect(document.paths["/v1/auth/verify-email"]?.post?.responses).toHaveProperty("303")
    expect(document.paths["/v1/attachments/{id}/content"]?.get?.responses).toHaveProperty("206")
    expect(document.paths["/v1/attachments/{id}/content"]?.get?.responses).toHaveProperty("416")
  })
})

describe("every route", () => {
  it.each(endpoints)(
    "$name lives under /v1, but for the session's own and the operator's",
    ({ name, path }) => {
      const elsewhere: Readonly<Record<string, RegExp>> = {
        session: /^\/api\/auth\//,
        admin: /^\/admin\/v1\//,
      }
      expect(path).toMatch(elsewhere[name.split(".")[0] ?? ""] ?? /^\/v1\//)
    },
  )

  it.each(endpoints)("$name says that it can refuse, fail and be away", ({ statuses }) => {
    expect(statuses).toEqual(expect.arrayContaining([400, 404, 413, 500, 503]))
  })

  it.each(endpoints.filter(({ open, operator }) => !open && !operator))(
    "$name needs a caller: 401, 402, 403",
    ({ statuses }) => {
      expect(statuses).toEqual(expect.arrayContaining([401, 402, 403]))
    },
  )

  it.each(endpoints.filter(({ operator }) => operator))(
    "$name is the operator's: 401, and no rule of an account",
    ({ open, statuses }) => {
      expect(open).toBe(false)
      expect(statuses).toContain(401)
      for (const status of [402, 403]) expect(statuses).not.toContain(status)
    },
  )

  it.each(endpoints.filter(({ operator }) => !operator))(
    "$name names the permissions that it needs, unless it needs no caller",
    ({ name, open }) => {
      expect(guardedEndpoints(Api).some((guarded) => guarded.name === name)).toBe(!open)
    },
  )

  it("without credentials is one of these", () => {
    expect(endpoints.filter(({ open }) => open).map(({ name }) => name)).toEqual([
      "signup.signup",
      "signup.checkSlug",
      "signup.verifyEmail",
      "signup.resendVerification",
      "session.signIn",
      "session.signOut",
      "session.requestPasswordReset",
      "session.resetPassword",
      "attachments.download",
      "billing.stripeWebhook",
      "reports.take",
    ])
  })
})

describe("an error on the wire", () => {
  it("is encoded by its tag, which is not sent", () => {
    const refusal = { _tag: "BadRequest", error: "No", code: "VALIDATION_FAILED" } as const
    expect(Schema.encodeSync(BadRequest)(refusal)).toEqual({ error: "No", code: "VALIDATION_FAILED" })
    expect(Schema.encodeSync(WireError)(refusal)).toEqual({ error: "No", code: "VALIDATION_FAILED" })
  })

  it("keeps the fields of its own schema, whichever schema comes first", () => {
    const refusal = {
      _tag: "Forbidden",
      error: "Suspended",
      code: "ACCOUNT_SUSPENDED",
      suspended: true,
      reason: null,
    } as const
    expect(Schema.encodeSync(WireError)(refusal)).toEqual({
      error: "Suspended",
      code: "ACCOUNT_SUSPENDED",
      suspended: true,
      reason: null,
    })
  })
})

describe("a malformed id in a path", () => {
  const resourceOf = (decoded: Either.Either<unknown, ParseResult.ParseError>) =>
    Either.match(decoded, {
      onLeft: (error) =>
        ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message }) => malformedIdOf(message)),
      onRight: () => [],
    })

  it("names its resource", () => {
    expect(resourceOf(Schema.decodeUnknownEither(mailboxId)("not an id"))).toEqual(["mailbox"])
    expect(resourceOf(Schema.decodeUnknownEither(messageId)("not an id"))).toEqual(["message"])
  })

  it("is not confused with other messages", () => {
    expect(malformedIdOf("Expected UUID")).toBeNull()
    expect(malformedIdOf("malformed id of nothing")).toBeNull()
  })
})
