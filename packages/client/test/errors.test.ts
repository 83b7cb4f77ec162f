/** Each error code has a class. */
import { errorCodes } from "@mailroom/api"
import * as client from "@mailroom/client"
import { describe, expect, it } from "vitest"
import { failure, scriptedClient } from "./support/script.js"

const { MailroomError, NotFoundError, MailboxNotFoundError, ConnectionError } = client

/** The error of a call that gets this answer. */
const errorOf = async (answer: Response | Error): Promise<unknown> => {
  const { mailroom } = scriptedClient([answer], { maxRetries: 0 })
  return mailroom.mailboxes.get("1").catch((error: unknown) => error)
}

const classOf = (error: unknown): unknown => Object.getPrototypeOf(error).constructor

const codes = Object.values(errorCodes).flatMap(({ status, codes }) =>
  Object.keys(codes).map((code) => [status, code] as const),
)

it.each(codes)("%i %s is an error of its own class", async (status, code) => {
  const error = await errorOf(failure(status, code))
  expect(error).toBeInstanceOf(MailroomError)
  expect(error).toMatchObject({ status, code, message: `It is ${code}`, body: { code } })
  expect(classOf(error)).toBe(new Map<string, unknown>(Object.entries(client.codeClasses)).get(code))
})

it("an error has what the response says", async () => {
  const issues = [{ path: "to", message: "is missing" }]
  const headers = { "retry-after": "30", "x-request-id": "abc" }
  const body = { error: "Invalid", code: "VALIDATION_FAILED", issues, upgrade: "POST /v1/billing/upgrade" }
  expect(await errorOf(Response.json(body, { status: 400, headers }))).toMatchObject({
    name: "ValidationFailedError",
    message: "Invalid",
    status: 400,
    requestId: "abc",
    retryAfter: 30,
    upgrade: body.upgrade,
    issues,
    body,
  })
})

it("errors of a status have a class in common", async () => {
  const error = await errorOf(failure(404, "MAILBOX_NOT_FOUND"))
  expect(error).toBeInstanceOf(MailboxNotFoundError)
  expect(error).toBeInstanceOf(NotFoundError)
})

it("a code of a newer service is an error of its status", async () => {
  const error = await errorOf(failure(404, "TEMPLATE_NOT_FOUND"))
  expect(classOf(error)).toBe(NotFoundError)
  expect(error).toMatchObject({ name: "TemplateNotFoundError", code: "TEMPLATE_NOT_FOUND" })
  expect(classOf(await errorOf(failure(507, "constructor")))).toBe(client.InternalServerError)
})

it("an answer that is not ours is an error, too", async () => {
  const page = new Response("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" })
  expect(await errorOf(page)).toMatchObject({
    status: 502,
    code: "HTTP_502",
    message: "502 Bad Gateway",
    issues: [],
    body: undefined,
  })
})

it("a service that cannot be reached is a ConnectionError with its cause", async () => {
  const cause = new TypeError("fetch failed")
  const error = await errorOf(cause)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ status: undefined, code: "CONNECTION", cause })
})

it("a ConnectionError says why: the cause of the error of fetch, or that error itself", async () => {
  const cause = new Error("connect ECONNREFUSED 127.0.0.1:1")
  expect(await errorOf(new TypeError("fetch failed", { cause }))).toMatchObject({
    message: "The service at https://mail.test cannot be reached (connect ECONNREFUSED 127.0.0.1:1).",
  })
  expect(await errorOf(new TypeError("fetch failed"))).toMatchObject({
    message: "The service at https://mail.test cannot be reached (fetch failed).",
  })
  const several = Object.assign(new AggregateError([cause]), { code: "ECONNREFUSED" })
  expect(await errorOf(new TypeError("fetch failed", { cause: several }))).toMatchObject({
    message: "The service at https://mail.test cannot be reached (ECONNREFUSED).",
  })
})

it.each([
  ["a page", "<h1>Welcome</h1>"],
  ["nothing", ""],
  ["a JSON text that is no object", "null"],
])("a success that is %s is an error of its own, which names what came", async (_, text) => {
  const headers = { "content-type": "text/html; charset=utf-8" }
  const error = await errorOf(new Response(text, { headers }))
  expect(error).toBeInstanceOf(client.NotJsonError)
  expect(error).toMatchObject({
    name: "NotJsonError",
    code: "NOT_JSON",
    status: 200,
    message: "https://mail.test answers with text/html; charset=utf-8, not JSON.",
  })
})

it.each(["mr_1234…", "mr_12 34", "mr_12\n34", "mr_ä"])(
  "a key that cannot be sent is a TypeError, which does not repeat it: %j",
  (apiKey) => {
    const make = () => new client.Mailroom({ baseUrl: "https://mail.test", apiKey })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(/^(?!.*mr_).*`apiKey`/s)
  },
)

it("white space around a key is left out", async () => {
  const { mailroom, asked } = scriptedClient([Response.json({ mailbox: {} })], { apiKey: " mr_key\n" })
  await mailroom.mailboxes.get("1")
  expect(asked[0]?.headers.get("authorization")).toBe("Bearer mr_key")
})

describe("a redirect is not followed", () => {
  const moved = (status: number, location: string) => new Response(null, { status, headers: { location } })
  const send = { to: ["a@b.c"], subject: "s" }

  it.each([
    [301, "https://mail.test/v1/mailboxes/1/messages?x=1", "https://mail.test"],
    [302, "/api/v1/mailboxes/1/messages", "http://mail.test/api"],
    [303, "https://login.test/?back=/v1/mailboxes/1/messages", "https://login.test"],
    [307, "//other.test:8443/", "https://other.test:8443"],
    [308, "https://mail.test/base/v1/mailboxes/1/messages", "https://mail.test/base"],
  ])("and a %i to %s names %s", async (status, location, target) => {
    const baseUrl = location.startsWith("//") ? "https://mail.test" : "http://mail.test"
    const { mailroom, asked } = scriptedClient([moved(status, location)], { baseUrl })
    const error = await mailroom.messages.send("1", send).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(client.RedirectedError)
    expect(error).toMatchObject({
      name: "RedirectedError",
      code: "REDIRECTED",
      status,
      message: `${baseUrl} redirects to ${target}, and the client does not follow. If the service is there, set \`baseUrl\` to that URL.`,
    })
    expect(asked.map(({ method, init }) => [method, init.redirect])).toEqual([["POST", "manual"]])
  })

  it.each([
    ["that a browser hides", Object.defineProperty(new Response(null), "status", { value: 0 })],
    ["without a Location", new Response(null, { status: 302 })],
    ["to something that is no URL", moved(301, "https://")],
  ])("and one %s names no address", async (_, answer) => {
    expect(await errorOf(answer)).toMatchObject({
      code: "REDIRECTED",
      message: expect.stringMatching(/^https:\/\/mail\.test redirects to another address, .*`baseUrl`/),
    })
  })

  it("except for that of a download, to the store of the files", async () => {
    const { mailroom, asked } = scriptedClient([new Response("bytes")])
    const link = "https://mail.test/v1/attachments/1/content?expires=1&signature=s"
    expect(await (await mailroom.attachments.download(link)).text()).toBe("bytes")
    expect(asked.map(({ init }) => init.redirect)).toEqual(["follow"])
  })
})

it.each(["", ".", ".."])("an id that cannot be one is a TypeError, and is not sent: %j", async (id) => {
  const { mailroom, asked } = scriptedClient([])
  await expect(mailroom.messages.list(id)).rejects.toThrow(TypeError)
  await expect(mailroom.claims.one("1", id, {})).rejects.toThrow("needs a value for {msgId}")
  expect(asked).toEqual([])
})
