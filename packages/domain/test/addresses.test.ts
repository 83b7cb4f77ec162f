import {
  domainOf,
  LocalPart,
  normalizeAddress,
  onPlatform,
  platformAddress,
  withAsciiDomain,
  withoutTag,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accepts, drawn, read } from "./support/records.js"

const platform = "mailroom.localhost"
const localCharacters = Array.from("abcxyz0189._-")

describe("the form in which addresses are compared", () => {
  it("has the domain as it is given when that is too long for a domain", () => {
    const labels = `é.${"a.".repeat(10_000_000)}b`
    expect(normalizeAddress(`ada@${labels}`)).toBe(`ada@${labels}`)
  })
})

describe("local parts we give out", () => {
  it.prop(
    "decisions.mailbox.local-part: 1-64 of [a-z0-9._-], no leading, trailing or doubled dot",
    [FastCheck.string({ unit: FastCheck.constantFrom(...localCharacters), maxLength: 70 })],
    ([text]) => {
      const dotted = text.startsWith(".") || text.endsWith(".") || text.includes("..")
      expect(accepts(LocalPart, text)).toBe(text.length >= 1 && text.length <= 64 && !dotted)
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 3000 } },
  )

  it("decisions.mailbox.local-part-case: are stored lower-case", () => {
    expect(read(LocalPart, "Support.Team-2")).toBe("support.team-2")
  })

  it("decisions.smtp.tag: carry no tag: + is refused", () => {
    expect(accepts(LocalPart, "agent+tag")).toBe(false)
  })

  for (const text of ["a b", "a@b", "ä", "a\n", "a\u0000", "a,b", "<a>", "a/b", "a\u2028", "İ"])
    it(`decisions.mailbox.local-part: refuses ${JSON.stringify(text)}`, () => {
      expect(accepts(LocalPart, text)).toBe(false)
    })
})

describe("comparing and taking apart", () => {
  it("decisions.values.addresses: addresses are compared lower-case", () => {
    expect(normalizeAddress(" Ada@Acme.DEV ")).toBe("ada@acme.dev")
  })

  it("RFC 5890 §2.3.2.1: an international domain and its A-labels are one", () => {
    for (const address of [
      "ada@b\u00fccher.de",
      "Ada@B\u00dcCHER.de",
      "ada@bu\u0308cher.de",
      "ada@XN--BCHER-KVA.de",
    ])
      expect(normalizeAddress(address), address).toBe("ada@xn--bcher-kva.de")
    expect(normalizeAddress("\u00c4da@acme.dev")).toBe("\u00e4da@acme.dev")
  })

  it("RFC 6532 §3.1: an accent is the same letter, however it is written", () => {
    expect(normalizeAddress("A\u0308da@acme.dev")).toBe("\u00e4da@acme.dev")
  })

  it("RFC 5890: over SMTP a domain is its A-labels, and the rest stays", () => {
    expect(withAsciiDomain("\u00c4da@B\u00fccher.de")).toBe("\u00c4da@xn--bcher-kva.de")
    for (const address of ["Ada@Acme.DEV", "", "Ada@B\u00fc cher.de"])
      expect(withAsciiDomain(address), address).toBe(address)
  })

  it("decisions.values.addresses: text that is no address is lower-cased all the same", () => {
    for (const [text, normal] of [
      ["", ""],
      ["Ada", "ada"],
      ["Ada@", "ada@"],
      ["Ada@[IPv6:::1]", "ada@[ipv6:::1]"],
      ["Ada@B\u00fccher.de/x?y#z", "ada@b\u00fccher.de/x?y#z"],
      ["Ada@b\u00fc cher.de:25", "ada@b\u00fc cher.de:25"],
      ["Ada@\u0301B.de", "ada@\u0301b.de"],
      ["Ada@\ud800.DE", "ada@\ud800.de"],
    ] as const)
      expect(normalizeAddress(text), text).toBe(normal)
  })

  it("decisions.smtp.tag: `agent+tag@` goes to `agent@`", () => {
    expect(withoutTag("agent+tag@acme.dev")).toBe("agent@acme.dev")
    expect(withoutTag("agent+a+b@acme.dev")).toBe("agent@acme.dev")
    expect(withoutTag("agent+@acme.dev")).toBe("agent@acme.dev")
    expect(withoutTag("agent@acme.dev")).toBe("agent@acme.dev")
  })

  it("decisions.smtp.tag: a tag alone is no mailbox", () => {
    expect(withoutTag("+tag@acme.dev")).toBe("+tag@acme.dev")
  })

  it("decisions.values.addresses: the domain is what follows the last @, lower-case", () => {
    expect(domainOf("Ada@Acme.DEV")).toBe("acme.dev")
    expect(domainOf('"a@b"@acme.dev')).toBe("acme.dev")
  })
})

describe("the platform domain", () => {
  it("service.address: an address is {address}@{slug}.{platform_domain}", () => {
    expect(platformAddress("agent", "acme", platform)).toBe("agent@acme.mailroom.localhost")
  })

  it("decisions.send.exempt-platform: its addresses are those on it and on its subdomains", () => {
    expect(onPlatform("agent@acme.mailroom.localhost", platform)).toBe(true)
    expect(onPlatform("agent@ACME.Mailroom.Localhost", platform)).toBe(true)
    expect(onPlatform("postmaster@mailroom.localhost", platform)).toBe(true)
  })

  it("decisions.send.exempt-platform: a domain that only ends like it is another", () => {
    expect(onPlatform("a@notmailroom.localhost", platform)).toBe(false)
    expect(onPlatform("a@localhost", platform)).toBe(false)
    expect(onPlatform("a@mailroom.localhost.evil.dev", platform)).toBe(false)
    expect(onPlatform("mailroom.localhost@evil.dev", platform)).toBe(false)
  })
})
