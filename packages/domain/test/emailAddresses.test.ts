import { EmailAddress, normalizeAddress, parseNamed, Recipient, writtenAddress } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { accepts, drawn } from "./support/records.js"

const longLocal = "l".repeat(64)
const longDomain = ["d".repeat(63), "d".repeat(63), "d".repeat(57), "org"].join(".")

const good = [
  "ada@acme.dev",
  "Ada.Lovelace@Acme.Dev",
  "ada+tag@acme.dev",
  "ada_l-2@mail.acme.dev",
  "o'hara@acme.dev",
  "!#$%&'*+-/=?^_`{|}~@acme.dev",
  "1@2.de",
  "agent@acme.mailroom.localhost",
  "ada@b\u00fccher.de",
  "ada@xn--bcher-kva.de",
  "\u00e4da@b\u00fccher.de",
  "\u7528\u6237@\u4f8b\u5b50.\u4e2d\u56fd",
  "ada@\u043f\u043e\u0447\u0442\u0430.\u0440\u0444",
  `${longLocal}@acme.dev`,
  `ada@${"d".repeat(63)}.dev`,
  "ada@\u0939\u093f\u0928\u094d\u0926\u0940.\u092d\u093e\u0930\u0924",
  "ada@stra\u00dfe.de",
  `${longLocal}@${longDomain}`,
]

const bad: ReadonlyArray<readonly [why: string, address: string]> = [
  ["empty", ""],
  ["no @", "ada.acme.dev"],
  ["no local part", "@acme.dev"],
  ["no domain", "ada@"],
  ["two @", "ada@acme@acme.dev"],
  ["two addresses", "ada@acme.dev,bob@acme.dev"],
  ["two addresses, spaced", "ada@acme.dev, bob@acme.dev"],
  ["a list with semicolons", "ada@acme.dev;bob@acme.dev"],
  ["angle brackets", "<ada@acme.dev>"],
  ["a display name", "Ada <ada@acme.dev>"],
  ["a quoted display name", '"Ada" <ada@acme.dev>'],
  ["a quoted local part", '"ada"@acme.dev'],
  ["a quoted space", '"ada l"@acme.dev'],
  ["a quoted comma", '"ada,bob"@acme.dev'],
  ["a comment", "ada(comment)@acme.dev"],
  ["a comment in the domain", "ada@(comment)acme.dev"],
  ["a group", "team:ada@acme.dev;"],
  ["a source route", "@relay.dev:ada@acme.dev"],
  ["a backslash", "ada\\@acme.dev"],
  ["a domain literal", "ada@[127.0.0.1]"],
  ["an IPv6 literal", "ada@[IPv6:::1]"],
  ["a scheme", "mailto:ada@acme.dev"],
  ["CR LF and a header", "ada@acme.dev\r\nBcc: bob@acme.dev"],
  ["CR LF and a command", "ada@acme.dev>\r\nRCPT TO:<bob@acme.dev"],
  ["CR", "ada\r@acme.dev"],
  ["LF", "ada\n@acme.dev"],
  ["LF at the end", "ada@acme.dev\n"],
  ["CR LF at the end", "ada@acme.dev\r\n"],
  ["NUL", "ada\u0000@acme.dev"],
  ["NUL in the domain", "ada@acme\u0000.dev"],
  ["tab", "ada\t@acme.dev"],
  ["space", "ada l@acme.dev"],
  ["space before", " ada@acme.dev"],
  ["space after", "ada@acme.dev "],
  ["no-break space", "ada\u00a0@acme.dev"],
  ["next line", "ada\u0085@acme.dev"],
  ["next line in the domain", "ada@acme\u0085.dev"],
  ["line separator", "ada\u2028@acme.dev"],
  ["paragraph separator", "ada\u2029@acme.dev"],
  ["escape", "ada\u001b@acme.dev"],
  ["delete", "ada\u007f@acme.dev"],
  ["byte order mark", "\ufeffada@acme.dev"],
  ["ideographic space", "ada\u3000@acme.dev"],
  ["line separator in the domain", "ada@acme\u2028.dev"],
  ["paragraph separator in the domain", "ada@acme\u2029.dev"],
  ["ideographic space in the domain", "ada@ac\u3000me.dev"],
  ["a direction override", "ada\u202e@acme.dev"],
  ["a direction override in the domain", "ada@ac\u202eme.dev"],
  ["a zero-width space", "ada\u200b@acme.dev"],
  ["a soft hyphen in the domain", "ada@ac\u00adme.dev"],
  ["a variation selector", "ada\ufe0f@acme.dev"],
  ["a Hangul filler", "ada\u1160@acme.dev"],
  ["a blank Braille pattern", "ada\u2800@acme.dev"],
  ["half a surrogate pair", "ada\ud800@acme.dev"],
  ["half a surrogate pair in the domain", "ada@acme\udc00.dev"],
  ["a private character", "ada\ue000@acme.dev"],
  ["a full-width stop in the domain", "ada@mailinator\uff0ecom"],
  ["an ideographic stop in the domain", "ada@acme\u3002dev"],
  ["a full-width @", "ada@acme\uff20c.dev"],
  ["a full-width comma", "ada@acme\uff0cc.dev"],
  ["a ligature", "\ufb01a@acme.dev"],
  ["an uncomposed accent", "a\u0308da@acme.dev"],
  ["a symbol in the domain", "ada@ac\u2603me.dev"],
  ["a label that begins with a mark", "ada@\u0301acme.dev"],
  ["an A-label that is none", "ada@xn--a.dev"],
  ["a doubled dot", "ada..l@acme.dev"],
  ["a leading dot", ".ada@acme.dev"],
  ["a trailing dot", "ada.@acme.dev"],
  ["an IPv4 address for a domain", "ada@127.0.0.1"],
  ["a number for a domain", "ada@2130706433"],
  ["a hexadecimal number for a domain", "ada@0x7f000001"],
  ["a top-level name of foreign digits", "ada@acme.\u0661\u0662"],
  ["an A-label above 63 characters", `ada@${"\u00fc".repeat(60)}.de`],
  ["an empty label", "ada@acme..dev"],
  ["a leading dot in the domain", "ada@.acme.dev"],
  ["a trailing dot in the domain", "ada@acme.dev."],
  ["a leading hyphen in a label", "ada@-acme.dev"],
  ["a trailing hyphen in a label", "ada@acme-.dev"],
  ["an underscore in the domain", "ada@ac_me.dev"],
  ["a slash in the domain", "ada@acme.dev/x"],
  ["a percent sign in the domain", "ada@acme%2edev"],
  ["a port", "ada@acme.dev:25"],
  ["65 characters before the @", `${longLocal}l@acme.dev`],
  ["a label of 64", `ada@${"d".repeat(64)}.dev`],
  ["255 characters", `${longLocal}@${longDomain}d`],
  ["a very long one", `${"a".repeat(100_000)}@acme.dev`],
]

describe("addresses of recipients", () => {
  for (const address of good)
    it(`${JSON.stringify(address)} is one`, () => {
      expect(accepts(EmailAddress, address)).toBe(true)
    })

  for (const [why, address] of bad)
    it(`refuses ${why}`, () => {
      expect(accepts(EmailAddress, address)).toBe(false)
    })

  it("a name has at most 255 characters, each of which may have a backslash before it", () => {
    const named = (name: string) => `"${name}" <${longLocal}@${longDomain}>`
    expect(accepts(Recipient, named("\\a".repeat(255)))).toBe(true)
    expect(accepts(Recipient, named("\\a".repeat(256)))).toBe(false)
  })

  it("refuses a name of 10 million characters without reading it, because a regular expression overflows its stack", () => {
    for (const character of ["a", "\\a"])
      expect(accepts(Recipient, `"${character.repeat(10_000_000)}" <ada@acme.dev>`)).toBe(false)
    expect(accepts(Recipient, `${"a".repeat(10_000_000)} <ada@acme.dev>`)).toBe(false)
  })

  it("a name that is written has at most 255 characters, so that it can be read back", () => {
    const text = writtenAddress("ada@acme.dev", "\\".repeat(2_000))
    expect(parseNamed(text)).toEqual({ address: "ada@acme.dev", name: "\\".repeat(255) })
    expect(accepts(Recipient, text)).toBe(true)
  })

  it("refuses what is no text", () => {
    for (const other of [null, undefined, 7, {}, ["ada@acme.dev"]])
      expect(accepts(EmailAddress, other)).toBe(false)
  })

  it.prop(
    "an address keeps one @ and nothing that ends a line, a list or an envelope",
    [
      FastCheck.string({
        unit: FastCheck.constantFrom(...Array.from('ab1.-+@,;:<>()[]"\\ \r\n\t\u0000\u0085\u2028é用')),
        maxLength: 12,
      }),
      FastCheck.constantFrom("@acme.dev", "@b\u00fccher.de", ""),
    ],
    ([text, ending]) => {
      const address = text + ending
      if (accepts(EmailAddress, address)) {
        expect(address).not.toMatch(/[\u0000-\u0020\u007f-\u00a0<>()[\]:;,"\\]/)
        expect(address.split("@")).toHaveLength(2)
      }
    },
    { fastCheck: { ...drawn.fastCheck, numRuns: 5000 } },
  )

  it.prop(
    "decisions.values.addresses: a normalized address is normalized, and an address still",
    [FastCheck.constantFrom(...good)],
    ([address]) => {
      const normal = normalizeAddress(address)
      expect(normalizeAddress(normal)).toBe(normal)
      expect(accepts(EmailAddress, normal)).toBe(true)
    },
    drawn,
  )
})
