/** SPF by rule (RFC 7208). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { evaluated, inZones, mailFrom, type Zones } from "./support/senders.js"

const raw = mailFrom("ada@acme.dev")

const spf = (zones: Zones, over: Parameters<typeof evaluated>[1] = {}) =>
  Effect.map(evaluated(raw, over), (found) => found.spf).pipe(inZones(zones))

const txt = (text: string) => ({ txt: [text] })

/** The record of acme.dev, and its result for 192.0.2.1. */
const records: ReadonlyArray<readonly [rule: string, record: string, result: string]> = [
  ["§5.1 all", "v=spf1 -all", "fail"],
  ["§4.6.2 the qualifier ~", "v=spf1 ~all", "softfail"],
  ["§4.6.2 the qualifier ?", "v=spf1 ?all", "neutral"],
  ["§4.6.2 no qualifier", "v=spf1 all", "pass"],
  ["§4.7 nothing that matches", "v=spf1 ip4:192.0.2.2", "neutral"],
  ["§4.6.2 the first that matches", "v=spf1 ?ip4:192.0.2.0/24 -all", "neutral"],
  ["§5.6 ip4", "v=spf1 ip4:192.0.2.1 -all", "pass"],
  ["§5.6 ip4 with a prefix", "v=spf1 ip4:192.0.2.128/25 -all", "fail"],
  ["§5.6 ip4 with every address", "v=spf1 ip4:0.0.0.0/0 -all", "pass"],
  ["§5.6 ip6 is not for IPv4", "v=spf1 ip6:::/0 -all", "fail"],
  ["§5.3 a", "v=spf1 a:web.acme.dev -all", "pass"],
  ["§5.3 a, of the domain itself, with a prefix", "v=spf1 a/24 -all", "pass"],
  ["§5.4 mx", "v=spf1 mx -all", "pass"],
  ["§5.5 ptr matches nobody", "v=spf1 ptr -all", "fail"],
  ["§5.7 exists", "v=spf1 exists:%{ir}.seen.acme.dev -all", "pass"],
  ["§5.7 exists not", "v=spf1 exists:%{i}.seen.acme.dev -all", "fail"],
  ["§5.2 include that passes", "v=spf1 include:open.dev -all", "pass"],
  ["§5.2 include that fails is no match", "v=spf1 include:closed.dev ~all", "softfail"],
  ["§5.2 include without a record", "v=spf1 include:web.acme.dev -all", "permerror"],
  ["§5.2 include that nobody answers for", "v=spf1 include:away.dev -all", "temperror"],
  ["§6.1 redirect", "v=spf1 redirect=closed.dev", "fail"],
  ["§6.1 redirect comes after all mechanisms", "v=spf1 redirect=closed.dev all", "pass"],
  ["§6.1 redirect without a record", "v=spf1 redirect=web.acme.dev", "permerror"],
  ["§6 modifiers that nobody knows", "v=spf1 colour=%{s} colour=blue all", "pass"],
  ["§7 local part and delimiters", "v=spf1 exists:%{l1r-}.%{o2}.users.dev -all", "pass"],
  ["§4.5 in any case", "V=SPF1 IP4:192.0.2.1 -ALL", "pass"],
  ["§4.5 another version", "v=spf10 -all", "none"],
  ["§4.6.1 a mechanism that nobody knows", "v=spf1 all foo", "permerror"],
  ["§4.6.1 an address that is none", "v=spf1 ip4:192.0.2.300 all", "permerror"],
  ["§4.6.1 a prefix too long", "v=spf1 ip4:192.0.2.0/33 all", "permerror"],
  ["§4.6.1 two redirects", "v=spf1 redirect=open.dev redirect=open.dev", "permerror"],
  ["§4.6.1 a macro that is none", "v=spf1 exists:%{x}.dev all", "permerror"],
  ["§4.6.1 more macros than we expand", `v=spf1 exists:x.${"%{l}".repeat(21)}.dev all`, "permerror"],
  ["§3.4 a record longer than we read", `v=spf1${" ip4:192.0.2.2".repeat(300)} all`, "permerror"],
  ["§4.6.4 ten lookups", `v=spf1${" a:web2.acme.dev".repeat(10)} -all`, "fail"],
  ["§4.6.4 eleven lookups", `v=spf1${" a:web2.acme.dev".repeat(11)} -all`, "permerror"],
  ["§4.6.4 lookups of includes count", "v=spf1 include:nine.dev a:web2.acme.dev -all", "permerror"],
  ["§4.6.4 a loop", "v=spf1 include:acme.dev -all", "permerror"],
  ["§4.6.4 two void lookups", "v=spf1 a:no.dev a:none.dev -all", "fail"],
  ["§4.6.4 three void lookups", "v=spf1 a:no.dev a:none.dev a:nil.dev -all", "permerror"],
  ["§4.6.4 eleven exchanges", "v=spf1 mx:many.dev -all", "permerror"],
]

const zones: Zones = {
  "web.acme.dev": { addresses: ["198.51.100.1", "192.0.2.1"] },
  "web2.acme.dev": { addresses: ["198.51.100.2"] },
  "mx.acme.dev": { addresses: ["192.0.2.1"] },
  "1.2.0.192.seen.acme.dev": { addresses: ["127.0.0.2"] },
  "open.dev": txt("v=spf1 ip4:192.0.2.0/24 -all"),
  "closed.dev": txt("v=spf1 -all"),
  "away.dev": "unavailable",
  "nine.dev": txt(`v=spf1${" a:web2.acme.dev".repeat(9)} -all`),
  "ada.acme.dev.users.dev": { addresses: ["127.0.0.2"] },
  "acme.dev.macros.dev": txt("v=spf1 exists:%{d}.seen.dev -all"),
  "acme.dev.macros.dev.seen.dev": { addresses: ["127.0.0.2"] },
  "many.dev": { mx: Array.from({ length: 11 }, (_, n) => ({ exchange: `mx${n}.many.dev`, priority: n })) },
}

describe("SPF of acme.dev, for 192.0.2.1", () => {
  for (const [rule, record, result] of records)
    it.effect(`${rule}: ${result}`, () =>
      Effect.gen(function* () {
        const own = {
          addresses: ["192.0.2.77"],
          mx: [{ exchange: "mx.acme.dev", priority: 1 }],
          txt: ["something else", record],
        }
        expect(yield* spf({ ...zones, "acme.dev": own })).toBe(result)
      }),
    )

  it.effect("§4.5 no record: none", () =>
    Effect.gen(function* () {
      expect(yield* spf({})).toBe("none")
    }),
  )

  it.effect("§4.5 two records: permerror", () =>
    Effect.gen(function* () {
      expect(yield* spf({ "acme.dev": { txt: ["v=spf1 all", "v=spf1 -all"] } })).toBe("permerror")
    }),
  )

  it.effect("§4.4 no answer: temperror", () =>
    Effect.gen(function* () {
      expect(yield* spf({ "acme.dev": "unavailable" })).toBe("temperror")
    }),
  )
})

describe("SPF", () => {
  const passes: Zones = { "acme.dev": txt("v=spf1 ip4:192.0.2.1 ip6:2001:db8::/32 -all") }

  it.effect("§2.4 checks the greeting when MAIL FROM is empty", () =>
    Effect.gen(function* () {
      expect(yield* spf({ "mx.acme.dev": txt("v=spf1 ip4:192.0.2.1 -all") }, { from: "" })).toBe("pass")
    }),
  )

  it.effect(
    "§4.3 is none for a greeting that is no domain name, and for a mail from inside the service",
    () =>
      Effect.gen(function* () {
        for (const helo of ["[192.0.2.1]", "localhost", "", "192.0.2.1", "a..dev"])
          expect(yield* spf(passes, { from: "", helo })).toBe("none")
        expect(yield* spf(passes, { remoteAddress: "" })).toBe("none")
        expect(yield* spf(passes, { from: "postmaster" })).toBe("none")
      }),
  )

  it.effect("§5 supports IPv6, and IPv4-mapped addresses", () =>
    Effect.gen(function* () {
      const from = (remoteAddress: string) => spf(passes, { remoteAddress })
      expect(yield* from("2001:db8::1")).toBe("pass")
      expect(yield* from("2001:db9::1")).toBe("fail")
      expect(yield* from("::ffff:192.0.2.1")).toBe("pass")
    }),
  )

  it.effect("§5.3 looks up AAAA records for an IPv6 client, and skips hosts without them", () =>
    Effect.gen(function* () {
      const names = ["one", "two", "three", "four"].map((name) => `${name}.acme.dev`)
      const hosts = Object.fromEntries(names.map((name) => [name, { addresses: ["192.0.2.1"] }]))
      const record = txt(`v=spf1 ${names.map((name) => `a:${name}`).join(" ")} a:six.acme.dev -all`)
      const all = { ...hosts, "six.acme.dev": { addresses: ["2001:db8::1"] }, "acme.dev": record }
      expect(yield* spf(all, { remoteAddress: "2001:db8::1" })).toBe("pass")
    }),
  )

  it.effect("looks up an international domain by its A-labels", () =>
    Effect.gen(function* () {
      const zones = { "xn--bcher-kva.dev": txt("v=spf1 ip4:192.0.2.1 -all") }
      expect(yield* spf(zones, { from: "ada@bücher.dev" })).toBe("pass")
    }),
  )
})
