/** Importing old mail. */
import { MESSAGE_MAX_BYTES, MINUTE } from "@mailroom/domain"
import { Effect } from "effect"
import { expect } from "vitest"
import { accountOf, type Agent, agent, arrived, listMessages, receive, scopedKey } from "../../src/agents.js"
import { type Answer, listAt, textAt, valueAt } from "../../src/Answer.js"
import { type Part, row, virtual } from "../../src/Row.js"
import { expectError, expectInvalid, expectWithin } from "../expectations.js"

const OLD = "Fri, 5 Jan 2018 10:00:00 +0100"
const OLD_TIME = "2018-01-05T09:00:00.000Z"

const aMail = (...lines: ReadonlyArray<string>) =>
  ["From: Ada <ada@elsewhere.org>", "Subject: Old", ...lines, "", "About kumquats", ""].join("\r\n")

const importing = (
  { call, mailboxId }: Pick<Agent, "call" | "mailboxId">,
  body: string,
  query = "",
  type = "message/rfc822",
): Effect.Effect<Answer> =>
  call(`POST /v1/mailboxes/${mailboxId}/import${query}`, { body, headers: { "content-type": type } })

const withFile = (content: string) =>
  aMail(
    'Content-Type: multipart/mixed; boundary="edge"',
    "",
    "--edge",
    'Content-Disposition: attachment; filename="a.txt"',
    "",
    content,
    "--edge--",
  )

export const imports: Part = [
  row("messages.import.201", "with its file, in its thread", function* () {
    const owner = yield* agent()
    yield* receive(owner, [{ subject: "Re: Old", inReplyTo: "<old@elsewhere.org>" }])
    const answer = yield* importing(owner, aMail("Message-ID: <old@elsewhere.org>"))
    const threadId = textAt((yield* listMessages(owner)).json, "messages.0.threadId")
    expectWithin(answer, 201, {
      message: { subject: "Old", direction: "INBOUND", status: "RECEIVED", threadId },
    })
    const filed = yield* importing(owner, withFile("kumquats"))
    expectWithin(filed, 201, { message: { attachments: [{ filename: "a.txt" }] } })
    const id = textAt(filed.json, "message.id")
    const raw = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}/raw`)
    expect(raw.text).toBe(withFile("kumquats"))
  }),
  row("messages.import.200", "the same bytes, and a mail that was received", function* () {
    const owner = yield* agent()
    const first = yield* importing(owner, aMail())
    const again = yield* importing(owner, aMail(), "?labels=other")
    expect([again.status, again.json]).toEqual([200, first.json])
    yield* receive(owner, [{ subject: "Came", messageId: "<came@sender.dev>" }])
    const id = textAt((yield* arrived(owner, 2)).json, "messages.0.id")
    const raw = yield* owner.call(`GET /v1/mailboxes/${owner.mailboxId}/messages/${id}/raw`)
    expectWithin(yield* importing(owner, raw.text), 200, { message: { id } })
    expect(listAt((yield* listMessages(owner)).json, "messages")).toHaveLength(2)
  }),
  row("messages.import.time", "of the query, of Received, of Date; the future is now", function* () {
    const owner = yield* agent()
    const timeOf = (lines: ReadonlyArray<string>, query = "") =>
      Effect.map(importing(owner, aMail(...lines), query), ({ json }) => textAt(json, "message.createdAt"))
    const date = `Date: ${OLD}`
    expect(yield* timeOf([date])).toBe(OLD_TIME)
    expect(
      yield* timeOf([`Received: by mx.elsewhere.org; ${OLD}`, "Date: Thu, 4 Jan 2018 10:00:00 +0100"]),
    ).toBe(OLD_TIME)
    expect(yield* timeOf([date, "X: 1"], "?receivedAt=2019-01-05T09:00:00Z")).toBe("2019-01-05T09:00:00.000Z")
    const now = yield* timeOf([])
    const future = yield* timeOf(["Date: Fri, 5 Jan 2096 10:00:00 +0100"])
    expect(Math.abs(Date.parse(future) - Date.parse(now))).toBeLessThan(MINUTE)
  }),
  row("messages.import.direction", "by From, or as the query says", function* () {
    const owner = yield* agent()
    const mine = `From: ${owner.address}\r\nTo: ada@elsewhere.org\r\nDate: ${OLD}\r\n\r\nMine`
    expectWithin(yield* importing(owner, mine), 201, {
      message: { direction: "OUTBOUND", status: "SENT", sentAt: OLD_TIME, receivedAt: null },
    })
    expectWithin(yield* importing(owner, aMail(), "?direction=OUTBOUND"), 201, {
      message: { direction: "OUTBOUND" },
    })
  }),
  row("messages.import.silent", "no event, no wait and no worker sees it", function* () {
    const owner = yield* agent()
    const before = yield* accountOf(owner)
    const answer = yield* importing(owner, aMail())
    expectWithin(answer, 201, {
      message: { claim: { state: "COMPLETED", expiresAt: null, claimedBy: null } },
    })
    expect(yield* accountOf(owner)).toEqual(before)
    const mailbox = `/v1/mailboxes/${owner.mailboxId}/messages`
    expectWithin(yield* owner.call(`GET ${mailbox}/wait?since=2000-01-01T00:00:00Z&timeout=0`), 200, {
      message: null,
    })
    const claimed = yield* owner.call(`POST ${mailbox}/claim`, { body: {} })
    expect(valueAt(claimed.json, "message")).toBeNull()
    const { json } = yield* owner.call("GET /v1/events/log?events=message.received")
    expect(listAt(json, "events")).toEqual([])
  }),
  row("messages.import.trust", "whatever its header says", function* () {
    const owner = yield* agent()
    const claims = "Authentication-Results: mx.elsewhere.org; dmarc=pass header.from=elsewhere.org"
    expectWithin(yield* importing(owner, aMail(claims)), 201, {
      message: { authentication: null, trust: { level: "unverified", reasons: [] } },
    })
  }),
  row("messages.import.permission", "a scoped key has it only when it was given it", function* () {
    const owner = yield* agent()
    const scoped = yield* scopedKey(owner)
    const refused = yield* importing({ ...owner, call: scoped.call }, aMail())
    expectError(refused, 403, "PERMISSION_DENIED", { required: ["manage"] })
  }),
  row("messages.import.400", "a JSON body, an empty one", function* () {
    const owner = yield* agent()
    expectInvalid(yield* importing(owner, "{}", "", "application/json"), "")
    expectInvalid(yield* importing(owner, ""), "")
  }),
  row("messages.import.413", "one byte more than 40 MB", function* () {
    const owner = yield* agent()
    const line = `${"a".repeat(1022)}\r\n`
    expectError(
      yield* importing(owner, aMail() + line.repeat(MESSAGE_MAX_BYTES / line.length)),
      413,
      "SIZE_EXCEEDED",
    )
  }),
  virtual("messages.import.429", "with the clock standing still, after 100 mails", function* () {
    const owner = yield* agent()
    const answers = yield* Effect.forEach(Array.from({ length: 102 }), (_, n) =>
      importing(owner, aMail(`X: ${n}`)),
    )
    const [refused] = answers.filter(({ status }) => status !== 201)
    if (refused === undefined) return yield* Effect.dieMessage("no import was refused")
    expectError(refused, 429, "RATE_LIMITED")
    expect(refused.headers.get("retry-after")).toBe("1")
  }),
]
