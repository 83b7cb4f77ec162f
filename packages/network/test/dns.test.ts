import { describe, expect, it } from "@effect/vitest"
import { MemoryDns, SystemDns } from "@mailroom/network"
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, type Layer } from "effect"

const addresses = (host: string) => Effect.flatMap(Dns, (dns) => dns.addresses(host))

const dnsContract = (name: string, dns: Layer.Layer<Dns>) =>
  describe(`${name} as Dns`, () => {
    it.effect("gives literal addresses back, without brackets", () =>
      Effect.gen(function* () {
        expect(yield* addresses("192.0.2.1")).toEqual(["192.0.2.1"])
        expect(yield* addresses("2001:db8::1")).toEqual(["2001:db8::1"])
        expect(yield* addresses("[2001:db8::1]")).toEqual(["2001:db8::1"])
      }).pipe(Effect.provide(dns)),
    )

    it.effect("gives the addresses of a name, in any case", () =>
      Effect.gen(function* () {
        const found = yield* addresses("localhost")
        expect(found.length).toBeGreaterThan(0)
        expect(found.every((address) => address === "127.0.0.1" || address === "::1")).toBe(true)
        expect(yield* addresses("LOCALHOST")).toEqual(found)
      }).pipe(Effect.provide(dns)),
    )
  })

dnsContract("SystemDns", SystemDns.layer)
dnsContract("MemoryDns", MemoryDns.layer({ localhost: ["127.0.0.1", "::1"] }))

describe("SystemDns", () => {
  it.live("fails for a name that cannot be", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(addresses(`${"x".repeat(64)}.invalid`))
      expect(failure).toBeInstanceOf(DnsFailure)
      expect(failure.host).toBe(`${"x".repeat(64)}.invalid`)
    }).pipe(Effect.provide(SystemDns.layer)),
  )
})

describe("MemoryDns", () => {
  it.effect("tells names that are not there from servers that do not answer", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(addresses("nowhere.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("constructor"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("empty.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("deaf.test"))).reason).toBe("unavailable")
    }).pipe(Effect.provide(MemoryDns.layer({ "deaf.test": "unavailable", "empty.test": [] }))),
  )
})
