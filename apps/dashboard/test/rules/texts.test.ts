import { ConnectionError, MailroomError } from "@mailroom/client"
import { errorWords, issueOf } from "@mailroom/dashboard/rules/errors"
import { verificationLink } from "@mailroom/dashboard/rules/outbox"
import { slugFor, slugProblem } from "@mailroom/dashboard/rules/slugs"
import { firstAnswer, firstUse } from "@mailroom/dashboard/rules/snippets"
import { bytesText, countText, fullTime, shortTime } from "@mailroom/dashboard/rules/texts"
import { describe, expect, it } from "vitest"

describe("sizes and counts", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1,023 bytes"],
    [1024, "1 kB"],
    [1_572_864, "1.5 MB"],
    [26_214_400, "25 MB"],
    [1_073_741_824, "1 GB"],
    [2 ** 50, "1,024 TB"],
  ])("%i bytes read %s", (bytes, text) => expect(bytesText(bytes, "en")).toBe(text))

  it("one is one, and others are several", () => {
    expect([countText(1, "send"), countText(0, "send"), countText(2, "mail waits", "mails wait")]).toEqual([
      "1 send",
      "0 sends",
      "2 mails wait",
    ])
  })
})

describe("times", () => {
  const now = new Date("2026-05-20T12:00:00Z")
  it.each([
    ["2026-05-20T11:59:30Z", "just now"],
    ["2026-05-20T12:00:30Z", "in a moment"],
    ["2026-05-20T11:42:00Z", "18 min. ago"],
    ["2026-05-20T09:00:00Z", "3 hr. ago"],
    ["2026-05-19T11:00:00Z", "yesterday"],
    ["2026-05-19T12:00:01Z", "23 hr. ago"],
    ["2026-05-23T12:00:00Z", "in 3 days"],
    ["2026-05-23T11:59:00Z", "in 3 days"],
    ["2026-05-21T11:59:00Z", "tomorrow"],
    ["2026-05-20T12:59:50Z", "in 1 hr."],
    ["2026-05-01T12:00:00Z", "May 1"],
    ["2024-12-24T12:00:00Z", "Dec 24, 2024"],
  ])("%s reads %s", (at, text) => expect(shortTime(new Date(at), now, "en-US")).toBe(text))

  it("in full, they name the zone of the reader", () => {
    expect(fullTime(now, "en-US")).toMatch(/^Wednesday, May 20, 2026 at .+ \S+$/)
  })
})

describe("errors in words", () => {
  it("a lost connection says what to check, and may be tried again", () => {
    expect(errorWords(new ConnectionError("x"))).toEqual({
      title: "Mailroom cannot be reached",
      text: "Check your connection, then try again.",
      mayRetry: true,
    })
  })

  it("a limit says when to come back", () => {
    const error = new MailroomError("Too many sends", { code: "RATE_LIMITED", status: 429, retryAfter: 600 })
    expect(errorWords(error).text).toBe("Too many sends. Try again in 10 minutes.")
  })

  it("a fault shows nothing of its inside", () => {
    const words = errorWords(new TypeError("undefined is not a function at x.js:1"))
    expect(words.title + words.text).not.toMatch(/undefined|x\.js/)
  })

  it("what is wrong with a field is found by its name, also inside a list", () => {
    const error = new MailroomError("Invalid", {
      code: "VALIDATION_FAILED",
      status: 400,
      issues: [{ path: "to.0", message: "is no address" }],
    })
    expect([issueOf(error, "to"), issueOf(error, "subject"), issueOf(null, "to")]).toEqual([
      "Is no address.",
      undefined,
      undefined,
    ])
  })
})

describe("the name of an account", () => {
  it.each([
    ["ada@acme-robotics.dev", "acme-robotics"],
    ["ada@mail.acme.dev", "acme"],
    ["Ada.Lovelace@gmail.com", "ada-lovelace"],
    ["a@gmail.com", ""],
    ["ada", ""],
    ["ada@", ""],
  ])("for %s is %j", (email, slug) => expect(slugFor(email)).toBe(slug))

  it("is wrong by length, form and hyphens at its edges", () => {
    expect(["ab", "Acme", "-acme", "acme-bot"].map((slug) => slugProblem(slug) === null)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })
})

describe("lines to copy", () => {
  const agent = { baseUrl: "https://mail.example.com", key: "mr_1", mailboxId: "m" }
  it("have the address of the service and the key; MCP settings are JSON", () => {
    const [curl, client, mcp] = firstUse(agent)
    expect(curl?.text).toBe(
      `curl -s "https://mail.example.com/v1/whoami" \\\n  -H "Authorization: Bearer mr_1"`,
    )
    expect(client?.text).toContain(`new Mailroom({ baseUrl: "https://mail.example.com", apiKey: "mr_1" })`)
    expect(JSON.parse(mcp?.text ?? "")).toEqual({
      mcpServers: {
        mailroom: { url: "https://mail.example.com/mcp", headers: { Authorization: "Bearer mr_1" } },
      },
    })
  })

  it("answer the mail that came, or leave its place open", () => {
    expect(firstAnswer(agent, "7")[0]?.text).toContain("/v1/mailboxes/m/messages/7/reply")
    expect(firstAnswer(agent, null)[0]?.text).toContain("/messages/MESSAGE_ID/reply")
  })
})

describe("the link of a verification mail", () => {
  it("is a path of this origin, whatever host the mail names", () => {
    const text = "Open this:\n\nhttps://mail.example.com/v1/auth/verify-email?token=abc\n\nThank you"
    expect(verificationLink({ messages: [{ text: "Hello" }, { text }] }, "http://localhost:3000")).toBe(
      "/v1/auth/verify-email?token=abc",
    )
  })

  it.each([null, {}, { messages: "x" }, { messages: [{ text: null }] }])("is none in %j", (answer) => {
    expect(verificationLink(answer, "http://localhost:3000")).toBeNull()
  })
})
