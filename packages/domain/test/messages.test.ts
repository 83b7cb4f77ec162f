import { cutForList, cutText, Direction, DropReason, MessageStatus, unreadableMail } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { content, drawn } from "./support/records.js"

describe("messages", () => {
  it("decisions.message.fields: direction and the decided statuses", () => {
    expect([...Direction.literals]).toEqual(["INBOUND", "OUTBOUND"])
    expect([...MessageStatus.literals].sort()).toEqual(
      ["SENDING", "SENT", "UNKNOWN", "DELIVERED", "BOUNCED", "COMPLAINED", "FAILED", "RECEIVED"].sort(),
    )
  })

  it("events.rule-4-both: attachments are dropped for size, count or both", () => {
    expect([...DropReason.literals]).toEqual(["size", "count", "both"])
  })

  it("decisions.smtp.250: a mail of which nothing could be read is still a mail", () => {
    expect(unreadableMail("too deep")).toMatchObject({
      defect: "too deep",
      from: null,
      subject: "",
      attachments: [],
    })
  })
})

const well = (text: string) => encodeURIComponent(text) !== ""

describe("cutting", () => {
  it.prop(
    "decisions.message.truncated: a cut text is the beginning of the text, as long as allowed, and never ends in half a character",
    [
      FastCheck.string({ unit: FastCheck.constantFrom("a", "é", "用", "😀", "👩🏽‍🚀", "\n"), maxLength: 40 }),
      FastCheck.nat(50),
    ],
    ([text, max]) => {
      const cut = cutText(text, max) ?? ""
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max) - 1)
      expect(() => well(cut)).not.toThrow()
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 3000 } },
  )

  it("decisions.message.truncated: a surrogate pair on the edge is left out whole", () => {
    expect(cutText("ab😀", 3)).toBe("ab")
    expect(cutText("ab😀", 4)).toBe("ab😀")
    expect(cutText("😀", 1)).toBe("")
    expect(cutText(null, 1)).toBeNull()
  })

  it("decisions.message.truncated: bodies of 64 kB stay whole in a list", () => {
    const whole = content({ bodyText: "t".repeat(65_536), bodyHtml: "h".repeat(65_536) })
    expect(cutForList(whole)).toEqual({ content: whole, truncated: false })
    expect(cutForList(content())).toEqual({ content: content(), truncated: false })
  })

  it("decisions.message.truncated: each longer body is cut by itself", () => {
    const { content: cut, truncated } = cutForList(
      content({ bodyText: "t".repeat(65_537), bodyHtml: "<p>short</p>" }),
    )
    expect(truncated).toBe(true)
    expect(cut.bodyText).toBe("t".repeat(65_536))
    expect(cut.bodyHtml).toBe("<p>short</p>")
    expect(cutForList(content({ bodyHtml: "h".repeat(70_000) })).content.bodyHtml).toHaveLength(65_536)
  })

  it("decisions.message.truncated: so is the extracted text", () => {
    const { content: cut, truncated } = cutForList(content({ extractedText: "t".repeat(70_000) }))
    expect(truncated).toBe(true)
    expect(cut.extractedText).toHaveLength(65_536)
    expect(cut.bodyText).toBeNull()
  })

  it("decisions.message.truncated: a cut changes nothing but the bodies", () => {
    const long = content({ bodyText: "t".repeat(70_000), subject: "Plan", references: ["<a@x>"] })
    expect(cutForList(long).content).toEqual({ ...long, bodyText: "t".repeat(65_536) })
  })
})
