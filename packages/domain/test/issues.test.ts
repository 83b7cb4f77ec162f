/** The `issues` of a refused input (spec: decisions.errors.issues). */
import { describe, expect, it } from "vitest"
import { CustomHeaders, EmailAddress, ISSUES_MAX, issuesOf, MailboxId, SendBody } from "@mailroom/domain"
import { Either, Schema } from "effect"

const issues = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
  Either.match(Schema.decodeUnknownEither(schema, { errors: "all" })(value), {
    onLeft: ({ issue }) => issuesOf(issue),
    onRight: () => [],
  })

const Body = Schema.Struct({
  name: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)),
  note: Schema.optional(Schema.NullOr(Schema.String)),
  email: Schema.optional(EmailAddress),
  plan: Schema.optional(Schema.Literal("Free", "Scale")),
  count: Schema.optional(Schema.Int.pipe(Schema.between(1, 10))),
  ids: Schema.optional(Schema.Array(MailboxId).pipe(Schema.minItems(1), Schema.maxItems(2))),
  headers: Schema.optional(CustomHeaders),
})

describe("an issue says in plain words what is accepted", () => {
  for (const [field, value, message] of [
    ["name", 7, "must be a string"],
    ["name", "", "must have at least 1 character"],
    ["name", "x".repeat(201), "must have at most 200 characters"],
    ["name", undefined, "is missing"],
    ["note", 7, "must be a string"],
    ["email", "nobody", "must be one plain email address, such as ada@corp.org"],
    ["plan", "free", 'must be one of "Free", "Scale"'],
    ["count", "1", "must be a number"],
    ["count", 1.5, "must be a whole number"],
    ["count", 11, "must be from 1 to 10"],
    ["ids", "all", "must be a list"],
    ["ids", [], "must have at least 1 item"],
    ["headers", [], "must be an object"],
  ] as const)
    it(`${field}: ${JSON.stringify(value)?.slice(0, 20)} → ${message}`, () => {
      const body = { ...(field !== "name" && { name: "a" }), ...(value !== undefined && { [field]: value }) }
      expect(issues(Body, body)).toEqual([{ path: field, message }])
    })

  it("of an element of a list, by its place", () => {
    expect(issues(Body, { name: "a", ids: ["seven"] })).toEqual([
      { path: "ids.0", message: "must be a UUID" },
    ])
  })

  it("of a name in a record that is not accepted", () => {
    expect(issues(Body, { name: "a", headers: { Subject: "x" } })).toEqual([
      {
        path: "headers.Subject",
        message: "is not a name that is accepted here: it must be a name such as X-Custom-Run",
      },
    ])
  })

  it("of the body as a whole", () => {
    for (const value of [[], null, 7, "text"])
      expect(issues(Body, value)).toEqual([{ path: "", message: "must be an object" }])
  })

  it("of the alternative that was meant", () => {
    const send = { to: ["ada@acme.dev"], subject: "Hello", bodyText: "Hello" }
    expect(issues(SendBody, { ...send, attachments: [{ filename: "a", contentType: "text/csv" }] })).toEqual([
      { path: "attachments.0.content", message: "is missing" },
    ])
    expect(issues(SendBody, { ...send, attachments: ["seven", 7] })).toEqual([
      { path: "attachments.0", message: "must be a UUID" },
      { path: "attachments.1", message: "must be a string or an object" },
    ])
  })

  it("of all fields at once", () => {
    expect(issues(Body, { name: 1, email: 2, plan: 3 }).map(({ path }) => path)).toEqual([
      "name",
      "email",
      "plan",
    ])
  })
})

describe("issues are bounded", () => {
  it("in number", () => {
    expect(
      issues(
        Schema.Array(Body),
        Array.from({ length: 5000 }, () => ({})),
      ).length,
    ).toBe(ISSUES_MAX)
  })

  it("in length: neither the value nor a long name comes back", () => {
    const found = issues(Body, {
      name: "a",
      headers: { ["x".repeat(1_000_000)]: "secret" },
      plan: "y".repeat(1_000_000),
    })
    expect(JSON.stringify(found).length).toBeLessThan(500)
    expect(JSON.stringify(found)).not.toContain("secret")
  })
})
