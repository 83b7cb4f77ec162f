/** Limits by address count networks (docs/decisions/0045). */
import { describe, expect, it } from "@effect/vitest"
import { networksOf } from "@mailroom/domain"

describe("the networks of an address", () => {
  for (const [address, host, site] of [
    ["192.0.2.7", "192.0.2.7", "192.0.2.0/24"],
    ["255.255.255.255", "255.255.255.255", "255.255.255.0/24"],
    ["192.0.2.7:54321", "192.0.2.7", "192.0.2.0/24"],
    ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0/24"],
    ["::FFFF:c000:0207", "192.0.2.7", "192.0.2.0/24"],
    ["[::ffff:192.0.2.7]:443", "192.0.2.7", "192.0.2.0/24"],
    ["2001:db8:1:2ff::1", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56"],
    ["2001:0DB8:0001:02FF:ffff:ffff:ffff:ffff", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56"],
    ["[2001:db8:1:2ff::1]:443", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56"],
    ["[2001:db8:1:2ff::1]", "2001:db8:1:2ff::/64", "2001:db8:1:200::/56"],
    ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0:0::/56"],
    ["::1", "0:0:0:0::/64", "0:0:0:0::/56"],
    [" 192.0.2.7 ", "192.0.2.7", "192.0.2.0/24"],
  ] as const)
    it(`${address}: ${host} in ${site}`, () => {
      expect(networksOf(address)).toEqual({ host, site })
    })

  for (const text of ["unknown", "", "192.0.2.256", "192.0.2.07", "1:2:3", "192.0.2.7:80:80", "_hidden"])
    it(`${JSON.stringify(text)} is no address, and a network of its own`, () => {
      expect(networksOf(text)).toEqual({ host: text, site: text })
    })

  it("what is no address is cut, however long it is", () => {
    expect(networksOf("x".repeat(1_000_000))).toEqual({ host: "x".repeat(64), site: "x".repeat(64) })
  })
})
