/** The log has one JSON object a line, and a line for each mail (docs/operations.md, The log). */
import { describe, expect, it } from "@effect/vitest"
import { jsonLine } from "@mailroom/server/jsonLines"
import { deliver, plainMail } from "@mailroom/test-services"
import { Cause, Effect, HashMap, LogLevel, Schema } from "effect"
import { signUp } from "./support/account.js"
import { arrived } from "./support/messages.js"
import { freshServer } from "./support/server.js"

const Line = Schema.parseJson(
  Schema.Struct({
    message: Schema.String,
    annotations: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  }),
)

describe("a line", () => {
  const options = {
    logLevel: LogLevel.Warning,
    date: new Date(0),
    annotations: HashMap.make(["account", "a"]),
    cause: Cause.empty,
  }

  it("has the objects of the log call among its annotations", () => {
    const line = jsonLine({ ...options, message: ["mail sent", { to: ["a@b.example"], tookMs: 3 }] })
    expect(JSON.parse(line)).toEqual({
      timestamp: "1970-01-01T00:00:00.000Z",
      logLevel: "WARN",
      message: "mail sent",
      annotations: { account: "a", to: ["a@b.example"], tookMs: 3 },
    })
  })

  it("is one line, whatever the message and the cause hold", () => {
    const cause = Cause.die(new Error("first\nsecond"))
    const line = jsonLine({ ...options, message: "a\r\nb", cause })
    expect(line.split(/[\r\n]/)).toHaveLength(1)
    expect(JSON.parse(line)).toMatchObject({ message: "a\r\nb", cause: expect.stringContaining("first") })
  })

  it("leaves out what refers to itself", () => {
    const field: Record<string, unknown> = { name: "a" }
    field["itself"] = field
    const line = jsonLine({ ...options, message: ["looped", { field }] })
    expect(JSON.parse(line)).toMatchObject({ message: "looped", annotations: { field: { name: "a" } } })
  })
})

it.scopedLive("the server writes a line for each mail in, with ids and without content", () =>
  Effect.gen(function* () {
    const server = yield* freshServer()
    const account = yield* signUp(server, "logged")
    yield* deliver(server.smtpPort, account.address, plainMail("private-subject"))
    yield* arrived(account, 1)
    const { stdout } = yield* server.stop("SIGTERM")
    const lines = yield* Effect.forEach(stdout.trim().split("\n"), (line) => Schema.decode(Line)(line))
    const about = lines.filter(({ annotations }) => String(annotations["to"]).includes(account.address))
    expect(about.map(({ message }) => message)).toEqual(["mail accepted", "mail delivered"])
    expect(about[1]?.annotations).toMatchObject({
      rawId: about[0]?.annotations["rawId"],
      mailboxId: account.mailboxId,
    })
    expect(stdout).not.toContain("private-subject")
  }),
)
