/** Which known name an unknown one probably meant. */
import { expect, it } from "@effect/vitest"
import { nearestName, unknownName } from "@mailroom/domain"

const send = ["to", "cc", "bcc", "subject", "bodyText", "bodyHtml", "inReplyTo", "attachments", "replyTo"]

it("the nearest name is one written differently, one that contains it, or one with few typos", () => {
  for (const [name, nearest] of [
    ["body_text", "bodyText"],
    ["BODYHTML", "bodyHtml"],
    ["html", "bodyHtml"],
    ["text", "bodyText"],
    ["reply-to", "replyTo"],
    ["in_reply_to", "inReplyTo"],
    ["attachment", "attachments"],
    ["subjcet", "subject"],
    ["sbject", "subject"],
    ["colour", null],
    ["", null],
    ["漢字", null],
    ["x".repeat(1_000_000), null],
  ] as const)
    expect([name.slice(0, 20), nearestName(name, send)]).toEqual([name.slice(0, 20), nearest])
})

it("without a near one, all known names are named", () => {
  expect(unknownName("html", send)).toBe("is not known here. Did you mean bodyHtml?")
  expect(unknownName("unread", ["limit", "cursor"])).toBe("is not known here. Known are limit, cursor")
  expect(unknownName("unread", [])).toBe("is not known here")
})
