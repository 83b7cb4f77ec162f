import {
  entriesFor,
  isRefusedSender,
  ListEntryText,
  type ListedEntry,
  listVerdict,
  needsNoScreening,
  plainAddressOf,
  senderVerdict,
} from "@mailroom/domain"
import { describe, expect, it } from "vitest"
import { accepts, accountId, mailboxId, read } from "./support/records.js"

/** An entry written as `mailbox block @example.org`. */
const entry = (text: string): ListedEntry => {
  const [owner, kind, value = ""] = text.split(" ")
  return {
    owner: owner === "mailbox" ? "mailbox" : "account",
    kind: kind === "allow" ? "allow" : "block",
    entry: value,
  }
}

describe("entries of lists", () => {
  it.each([
    ["Ada@Example.ORG", "ada@example.org"],
    [" ada@example.org ", "ada@example.org"],
    ["@Example.org", "@example.org"],
    ["@*.Example.org", "@*.example.org"],
    ["@bücher.example", "@xn--bcher-kva.example"],
    ["@*.bücher.example", "@*.xn--bcher-kva.example"],
    ["@localhost", "@localhost"],
    ["@example.org\r\n", "@example.org"],
  ])("senders.lists.entry: %s is stored as %s", (given, stored) => {
    expect(read(ListEntryText, given)).toBe(stored)
  })

  it.each([
    "",
    "@",
    "@*",
    "@*.",
    "*@example.org",
    "*",
    "example.org",
    "ada@*.example.org",
    "@*.*.example.org",
    "a b@example.org",
    "Ada <ada@example.org>",
    `@*.${"a.".repeat(10)}org`,
  ])("senders.lists.entry: %j is no entry", (text) => {
    expect(accepts(ListEntryText, text)).toBe(false)
  })

  it("match an address from the most to the least specific", () => {
    expect(entriesFor("Ada@Mail.Example.co.uk")).toEqual([
      "ada@mail.example.co.uk",
      "@mail.example.co.uk",
      "@*.example.co.uk",
      "@*.co.uk",
      "@*.uk",
    ])
    expect(entriesFor("Ada+News@example.org")).toEqual([
      "ada+news@example.org",
      "ada@example.org",
      "@example.org",
      "@*.org",
    ])
    expect(entriesFor(`a@${"x.".repeat(1000)}org`)).toHaveLength(12)
    // Its parents together have more characters than memory holds.
    expect(entriesFor(`a@${"x.".repeat(500_000)}org`)).toHaveLength(12)
    expect(entriesFor("undisclosed")).toEqual([])
    expect(entriesFor("")).toEqual([])
  })
})

describe("the verdict of the lists", () => {
  it.each([
    ["none", "no entry matches", ["account block @other.org"]],
    ["block", "the domain is blocked", ["account block @mail.example.org"]],
    ["none", "a wildcard does not match the domain itself", ["account block @*.mail.example.org"]],
    ["block", "a wildcard matches subdomains", ["account block @*.example.org"]],
    ["block", "a wildcard matches at any depth", ["account block @*.org"]],
    [
      "allow",
      "an address beats its domain",
      ["account block @mail.example.org", "account allow ada@mail.example.org"],
    ],
    [
      "allow",
      "a domain beats a wildcard",
      ["account block @*.example.org", "account allow @mail.example.org"],
    ],
    ["allow", "the longer wildcard wins", ["account block @*.org", "account allow @*.example.org"]],
    [
      "allow",
      "the mailbox beats the account",
      ["account block ada@mail.example.org", "mailbox allow @*.org"],
    ],
    [
      "block",
      "at the same rank block wins",
      ["account allow @mail.example.org", "account block @mail.example.org"],
    ],
    [
      "block",
      "and so in a mailbox",
      ["mailbox block ada@mail.example.org", "mailbox allow ada@mail.example.org"],
    ],
  ] as const)("senders.lists.specific: %s, because %s", (verdict, _, entries) => {
    expect(listVerdict(entries.map(entry), "Ada@mail.example.org")).toBe(verdict)
    expect(listVerdict(entries.map(entry).reverse(), "ada@mail.example.org")).toBe(verdict)
  })

  it.each([
    ["block", ["account block ada@example.org"]],
    ["block", ["account block ada@example.org", "account allow @example.org"]],
    ["allow", ["account block ada@example.org", "account allow ada+news@example.org"]],
    ["none", ["account allow ada@example.org"]],
    ["block", ["account allow ada@example.org", "account block @example.org"]],
    ["none", ["account block ada+shop@example.org"]],
  ] as const)("senders.lists.tag: %s for ada+news@example.org by %j", (verdict, entries) => {
    expect(listVerdict(entries.map(entry), "Ada+News@example.org")).toBe(verdict)
  })

  const ada = { from: "ada@example.org", isProven: true, envelopeFrom: "bounce@relay.dev" }

  it("senders.lists.proven: an allow entry counts for a proven sender only", () => {
    const entries = [entry("account allow ada@example.org"), entry("account block @example.org")]
    expect(senderVerdict(entries, ada)).toBe("allow")
    expect(senderVerdict(entries, { ...ada, isProven: false })).toBe("block")
    expect(senderVerdict(entries.slice(0, 1), { ...ada, isProven: false })).toBe("none")
  })

  it("senders.lists.envelope: a blocked envelope sender blocks an allowed From address", () => {
    const entries = [entry("mailbox allow ada@example.org"), entry("account block @relay.dev")]
    expect(senderVerdict(entries, ada)).toBe("block")
    expect(senderVerdict(entries, { ...ada, envelopeFrom: "" })).toBe("allow")
  })
})

describe("a mailbox that refuses senders", () => {
  const open = {
    accountId,
    mailboxId,
    receivePolicy: "open",
    listEntryCount: 1,
    ownerEmail: "owner@acme.dev",
  } as const
  const allowlisted = { ...open, receivePolicy: "allowlisted" } as const

  it.each([
    ["a blocked sender", open, "block", "ada@example.org", true],
    ["a stranger to an open mailbox", open, "none", "ada@example.org", false],
    ["a stranger to an allowlisted one", allowlisted, "none", "ada@example.org", true],
    ["an allowed sender", allowlisted, "allow", "ada@example.org", false],
    ["the owner", allowlisted, "none", "Owner@Acme.dev", false],
    ["the owner, who is blocked", allowlisted, "block", "owner@acme.dev", true],
    ["an owner who is not verified", { ...allowlisted, ownerEmail: null }, "none", "owner@acme.dev", true],
  ] as const)("senders.refuse.550: %s", (_, screening, verdict, from, isRefused) => {
    expect(isRefusedSender(screening, verdict, from)).toBe(isRefused)
  })

  it("senders.refuse.null: nothing blocks the null return path", () => {
    expect(needsNoScreening(allowlisted, "")).toBe(true)
    expect(needsNoScreening(allowlisted, "ada@example.org")).toBe(false)
    expect(needsNoScreening({ ...open, listEntryCount: 0 }, "ada@example.org")).toBe(true)
  })
})

describe("another way to write an address", () => {
  it.each([
    '"ada"@example.org',
    "ada @ example.org",
    "ada@example . org",
    "ada@example.org.",
    "ada@example。org",
  ])("senders.lists.envelope: %s is the blocked address", (written) => {
    expect(plainAddressOf(written)).toBe("ada@example.org")
    const blocked = [entry("account block ada@example.org")]
    expect(senderVerdict(blocked, { from: written, isProven: false, envelopeFrom: "" })).toBe("block")
    expect(senderVerdict(blocked, { from: "", isProven: false, envelopeFrom: written })).toBe("block")
  })

  it.each(['"a b"@example.org', '"a@b"@example.org', "ada", "", '"ada."@example.org'])(
    "%s stays",
    (written) => {
      expect(plainAddressOf(written)).toBe(written)
    },
  )
})
