import { isIP } from "node:net"
import { isPublicAddress } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { dotted, edgesV4, hex, publicV4, publicV6, someV4 } from "./support/publicAddresses.js"
import { drawn } from "./support/records.js"

const group = FastCheck.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16))
const someV4Number = someV4.map((address) =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0),
)
/** Eight groups whose first ones are likely to begin a block. */
const someV6 = FastCheck.tuple(
  FastCheck.oneof(
    group,
    FastCheck.constantFrom("0", "2000", "2001", "2003", "3fff", "4000", "fc00", "fe80", "ff02", "100"),
  ),
  FastCheck.oneof(group, FastCheck.constantFrom("0", "1", "1ff", "200", "db8", "db9", "fff", "1000", "4860")),
  group,
  group,
  group,
  group,
  group,
  group,
).map((groups) => groups.join(":"))
const deep = { fastCheck: { ...drawn.fastCheck, numRuns: 5000 } }

describe("public addresses", () => {
  it.prop(
    "decisions.webhook.private-literal: IPv4: exactly those outside the special-purpose registry",
    [someV4],
    ([address]) => {
      expect(isPublicAddress(address), address).toBe(publicV4(address))
    },
    deep,
  )

  it("decisions.webhook.private-literal: IPv4: to the first and last address of every block", () => {
    for (const address of edgesV4) expect(isPublicAddress(address), address).toBe(publicV4(address))
  })

  it.prop(
    "decisions.webhook.private-literal: IPv6: exactly the global unicast space outside the special-purpose registry",
    [someV6.filter((address) => !address.startsWith("2002:"))],
    ([address]) => {
      expect(isPublicAddress(address), address).toBe(publicV6(address))
    },
    deep,
  )

  it.prop(
    "decisions.webhook.private-literal: IPv6 that carries an IPv4 address is as public as that one",
    [
      someV4Number,
      FastCheck.constantFrom<(n: number) => string>(
        (n) => `::ffff:${dotted(n)}`,
        (n) => `::ffff:${hex(n)}`,
        (n) => `0:0:0:0:0:FFFF:${hex(n)}`,
        (n) => `2002:${hex(n)}::1`,
      ),
    ],
    ([n, carry]) => {
      const address = carry(n)
      expect(isIP(address), address).toBe(6)
      expect(isPublicAddress(address), address).toBe(publicV4(dotted(n)))
    },
    deep,
  )

  it.prop(
    "decisions.webhook.private-literal: IPv6 for a NAT64 to translate is not, whatever it carries",
    [
      someV4Number,
      FastCheck.constantFrom<(n: number) => string>(
        (n) => `64:ff9b::${dotted(n)}`,
        (n) => `64:ff9b::${hex(n)}`,
        (n) => `64:ff9b:1::${hex(n)}`,
        (n) => `64:ff9b:1:7f00:0:100:${hex(n)}`,
        (n) => `64:ff9b:0:1::${hex(n)}`,
      ),
    ],
    ([n, carry]) => {
      const address = carry(n)
      expect(isIP(address), address).toBe(6)
      expect(isPublicAddress(address), address).toBe(false)
    },
    drawn,
  )

  it.prop(
    "decisions.webhook.private-literal: what is no address is not public",
    [
      FastCheck.oneof(
        FastCheck.string(),
        FastCheck.string({ unit: FastCheck.constantFrom(...Array.from("0123456789abcf:.%")), maxLength: 24 }),
      ).filter((text) => isIP(text.replace(/%.*$/, "")) === 0),
    ],
    ([text]) => {
      expect(isPublicAddress(text), text).toBe(false)
    },
    deep,
  )

  for (const address of [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.0",
    "2606:4700::1111",
    "2001:4860:4860::8888",
  ])
    it(`decisions.webhook.private-literal: ${address} is`, () => {
      expect(isPublicAddress(address)).toBe(true)
    })

  for (const address of [
    "127.0.0.1",
    "169.254.169.254",
    "10.1.2.3",
    "100.64.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:0:8.8.8.8",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::808:808",
    "012.0.0.1",
    "8.8.8.08",
    "::ffff:012.0.0.1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "3fff::1",
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "1::2::3",
    ":::",
    "1:2:3:4:5:6:7:8:9",
    "::g",
    "",
    "localhost",
  ])
    it(`decisions.webhook.private-literal: ${address === "" ? "nothing" : address} is not`, () => {
      expect(isPublicAddress(address)).toBe(false)
    })
})
