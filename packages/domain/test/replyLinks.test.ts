import { linksOfReply, linksOfReplyToUnknown } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { drawn } from "./support/records.js"

const parent = (
  messageId: string,
  references: ReadonlyArray<string> = [],
  inReplyTo: string | null = null,
) => ({
  messageId,
  references,
  inReplyTo,
})

const chainOf = (length: number) => Array.from({ length }, (_, n) => `<${n}@x>`)

describe("the headers of an answer", () => {
  it("RFC 5322 §3.6.4: name the mail it answers, and the chain before it", () => {
    expect(linksOfReply(parent("<c@x>", ["<a@x>", "<b@x>"], "<b@x>"))).toEqual({
      inReplyTo: "<c@x>",
      references: ["<a@x>", "<b@x>", "<c@x>"],
    })
  })

  it("RFC 5322 §3.6.4: the chain of a mail without References is what it answered", () => {
    expect(linksOfReply(parent("<b@x>", [], "<a@x>")).references).toEqual(["<a@x>", "<b@x>"])
    expect(linksOfReply(parent("<a@x>")).references).toEqual(["<a@x>"])
  })

  it("RFC 5322 §3.6.4: a mail that refers to itself is named once, at the end", () => {
    expect(linksOfReply(parent("<a@x>", ["<a@x>", "<b@x>"])).references).toEqual(["<b@x>", "<a@x>"])
  })

  it("decisions.threading.unknown: of a mail that is not here, its id is kept", () => {
    expect(linksOfReplyToUnknown("<a@x>")).toEqual({ inReplyTo: "<a@x>", references: ["<a@x>"] })
  })
})

describe("a long chain", () => {
  it("is passed on whole up to 200 ids", () => {
    expect(linksOfReply(parent("<new@x>", chainOf(199))).references).toEqual([...chainOf(199), "<new@x>"])
  })

  it("keeps its root and its newest ids above that", () => {
    const { references } = linksOfReply(parent("<new@x>", chainOf(5000)))
    expect(references).toEqual(["<0@x>", ...chainOf(5000).slice(-198), "<new@x>"])
  })

  it("keeps what 16 kB have room for", () => {
    const long = chainOf(40).map((id) => id.replace("@", `${"y".repeat(900)}@`))
    const { references } = linksOfReply(parent("<new@x>", long))
    expect(references[0]).toBe(long[0])
    expect(references.slice(1)).toEqual([...long, "<new@x>"].slice(-(references.length - 1)))
    expect(references.length).toBe(19)
  })

  it.prop(
    "is at most 200 ids and 16 kB, begins with its root and ends with the mail it answers",
    [FastCheck.array(FastCheck.integer({ min: 1, max: 990 }), { minLength: 1, maxLength: 400 })],
    ([lengths]) => {
      const chain = lengths.map((length, n) => `<${"y".repeat(length)}${n}@x>`)
      const { references } = linksOfReply(parent("<new@x>", chain))
      expect(references[0]).toBe(chain[0])
      expect(references.at(-1)).toBe("<new@x>")
      expect(references.length).toBeLessThanOrEqual(200)
      expect(references.join(" ").length).toBeLessThanOrEqual(16_384)
      expect(references).toEqual([chain[0], ...[...chain, "<new@x>"].slice(1).slice(1 - references.length)])
    },
    drawn,
  )
})
