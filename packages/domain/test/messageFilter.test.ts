/** Filters of message lists (spec: lists.filters.together). */
import {
  ADDRESS_MAX_LENGTH,
  type AddressPattern,
  anyMessage,
  type FilteredMessage,
  matchesFilter,
  type MessageFilter,
  parseAddressPattern,
  ThreadId,
} from "@mailroom/domain"
import { describe, expect, it } from "vitest"

const thread = ThreadId.make("0199c9f2-6d3c-7c1e-8f50-0d5f3a2b9c11")
const otherThread = ThreadId.make("0199c9f2-6d3c-7c1e-8f50-0d5f3a2b9c12")

const message: FilteredMessage = {
  direction: "INBOUND",
  threadId: thread,
  labels: ["billing", "urgent"],
  readAt: null,
  fromAddress: "Ada@Example.org",
  toAddresses: ["support@acme.example"],
  ccAddresses: ["boss@BÜRO.example"],
  deliveredTo: "support+bills@acme.example",
  subject: "Rechnung für die STRASSE 7",
  hasAttachments: true,
  createdAt: 1000,
}

const address = (text: string): AddressPattern => {
  const pattern = parseAddressPattern(text)
  if (pattern === null) throw new Error(`not a pattern: ${text}`)
  return pattern
}

const matches = (filter: Partial<MessageFilter>, of: Partial<FilteredMessage> = {}): boolean =>
  matchesFilter({ ...anyMessage, ...filter }, { ...message, ...of })

describe("a filter", () => {
  it("without conditions matches every message", () => {
    expect(matches({})).toBe(true)
  })

  const cases: Readonly<
    Record<string, { yes: ReadonlyArray<Partial<MessageFilter>>; no: ReadonlyArray<Partial<MessageFilter>> }>
  > = {
    "by direction": { yes: [{ direction: "INBOUND" }], no: [{ direction: "OUTBOUND" }] },
    "by thread": { yes: [{ threadId: thread }], no: [{ threadId: otherThread }] },
    "by labels wants all of them": {
      yes: [{ labels: ["billing"] }, { labels: ["urgent", "billing"] }],
      no: [{ labels: ["Billing"] }, { labels: ["billing", "done"] }],
    },
    "by attachments": { yes: [{ hasAttachment: true }], no: [{ hasAttachment: false }] },
    "by from, in any case": {
      yes: [{ from: address("ada@example.ORG") }, { from: address("@example.org") }],
      no: [{ from: address("ad@example.org") }, { from: address("@ample.org") }, { from: address("@org") }],
    },
    "by to: To, Cc and the envelope recipient with its tag": {
      yes: [
        { to: address("support@acme.example") },
        { to: address("boss@büro.example") },
        { to: address("boss@xn--bro-hoa.example") },
        { to: address("@xn--bro-hoa.example") },
        { to: address("support+bills@acme.example") },
      ],
      no: [{ to: address("support+other@acme.example") }, { to: address("ada@example.org") }],
    },
    "by a part of the subject, in any case": {
      yes: [{ subject: "rechnung" }, { subject: "FÜR DIE straße" }, { subject: "fu\u0308r" }],
      no: [{ subject: "rechnungen" }, { subject: "fur" }],
    },
    "by time: since is included, before is not": {
      yes: [{ since: 1000 }, { before: 1001 }, { since: 999, before: 1001 }],
      no: [{ since: 1001 }, { before: 1000 }],
    },
    "with several conditions wants all of them": {
      yes: [{ from: address("@example.org"), unread: true, hasAttachment: true }],
      no: [{ from: address("@example.org"), unread: false, hasAttachment: true }],
    },
  }
  for (const [name, { yes, no }] of Object.entries(cases))
    it(name, () => {
      for (const filter of yes) expect(matches(filter), JSON.stringify(filter)).toBe(true)
      for (const filter of no) expect(matches(filter), JSON.stringify(filter)).toBe(false)
    })

  it("by a part of a subject within its first 4,096 characters", () => {
    const long = { subject: `${"a".repeat(4_090)} inside outside` }
    expect([matches({ subject: "insid" }, long), matches({ subject: "outside" }, long)]).toEqual([
      true,
      false,
    ])
  })

  it("by a part of a Greek subject that ends in sigma", () => {
    const greek = { subject: "Νέα προσφορά για όλους" }
    for (const subject of ["ΠΡΟΣ", "προς", "ΌΛΟΥΣ"]) expect(matches({ subject }, greek), subject).toBe(true)
  })

  it("by read and unread", () => {
    expect(matches({ unread: true })).toBe(true)
    expect(matches({ unread: false })).toBe(false)
    expect(matches({ unread: true }, { readAt: 2000 })).toBe(false)
    expect(matches({ unread: false }, { readAt: 2000 })).toBe(true)
  })

  it("matches a message whose envelope recipient is not known", () => {
    for (const deliveredTo of [null, undefined])
      expect(matches({ to: address("support@acme.example") }, { deliveredTo })).toBe(true)
  })
})

describe("an address pattern", () => {
  it("is one address or a domain, normalized", () => {
    expect(parseAddressPattern(" Ada@Example.org ")).toEqual({ kind: "address", address: "ada@example.org" })
    expect(parseAddressPattern("@BÜRO.example")).toEqual({ kind: "domain", domain: "xn--bro-hoa.example" })
  })

  it("is nothing else", () => {
    const tooLong = `@${"x".repeat(ADDRESS_MAX_LENGTH)}`
    for (const text of [
      "",
      "@",
      "ada",
      "ada@",
      "a b@c.example",
      "a@b@c.example",
      "Ada <ada@b.example> x",
      tooLong,
    ])
      expect(parseAddressPattern(text), text).toBeNull()
  })
})
