/** Terms of messages, and the order in which a list prefers them (docs/decisions/0060). */
import { ADDRESSEES_MAX, anyMessage, type MessageFilter, planOf, termsOf, ThreadId } from "@mailroom/domain"
import { describe, expect, it } from "vitest"

const threadId = ThreadId.make("0199c9f2-6d3c-7c1e-8f50-0d5f3a2b9c11")

const everything: MessageFilter = {
  ...anyMessage,
  threadId,
  direction: "INBOUND",
  from: { kind: "address", address: "ada@example.org" },
  to: { kind: "domain", domain: "acme.example" },
  labels: ["urgent"],
  unread: true,
  hasAttachment: true,
}

describe("the terms of a message", () => {
  const message = {
    labels: ["urgent"],
    fromAddress: "Ada@Example.org",
    toAddresses: ["support@acme.example"],
    ccAddresses: ["SUPPORT@acme.example", "boss@other.example"],
    deliveredTo: "support+bills@acme.example",
    hasAttachments: true,
  }

  it("are its addresses, their domains, its labels and its attachment, each once", () => {
    expect(termsOf(message)).toEqual([
      "from:ada@example.org",
      "from:@example.org",
      "to:support+bills@acme.example",
      "to:support@acme.example",
      "to:boss@other.example",
      "to:@acme.example",
      "to:@other.example",
      "label:urgent",
      "has:attachment",
    ])
  })

  it("are a bounded number, however many recipients it has", () => {
    const toAddresses = Array.from({ length: 25_000 }, (_, index) => `a${index}@b${index}.example`)
    expect(termsOf({ ...message, toAddresses }).length).toBeLessThan(2 * ADDRESSEES_MAX + 10)
  })

  it("leave out an author without an address", () => {
    expect(termsOf({ ...message, fromAddress: "", labels: [], hasAttachments: false })[0]).toBe(
      "to:support+bills@acme.example",
    )
  })
})

describe("a list", () => {
  it("reads the index of its most selective condition and checks the others", () => {
    const steps: ReadonlyArray<readonly [without: Partial<MessageFilter>, driver: string, terms: number]> = [
      [{}, "thread", 4],
      [{ threadId: null }, "from:ada@example.org", 3],
      [{ from: null }, "label:urgent", 2],
      [{ labels: [] }, "to:@acme.example", 1],
      [{ to: null }, "unread", 1],
      [{ unread: null }, "has:attachment", 0],
      [{ hasAttachment: null }, "direction", 0],
      [{ direction: null }, "all", 0],
    ]
    let filter = everything
    for (const [without, name, terms] of steps) {
      filter = { ...filter, ...without }
      const { driver, ...plan } = planOf(filter)
      expect(driver.kind === "term" ? driver.term : driver.kind).toBe(name)
      expect(plan.terms).toHaveLength(terms)
    }
  })

  it("prefers the address of any side to the domain of the other", () => {
    const { driver, terms } = planOf({
      ...anyMessage,
      from: { kind: "domain", domain: "example.org" },
      to: { kind: "address", address: "support@acme.example" },
    })
    expect(driver).toEqual({ kind: "term", term: "to:support@acme.example" })
    expect(terms).toEqual(["from:@example.org"])
  })

  it("without attachments leaves out messages that have the term", () => {
    expect(planOf({ ...anyMessage, hasAttachment: false })).toEqual({
      driver: { kind: "all" },
      terms: [],
      absent: ["has:attachment"],
    })
  })
})
