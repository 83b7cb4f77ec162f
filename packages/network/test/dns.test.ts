import { describe, expect, it } from "@effect/vitest"
import { MemoryDns, MemoryZones, SystemDns } from "@mailroom/network"
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { namesInHosts } from "../src/dns/localNames.js"
import { dnsContract } from "./dns.contract.js"
import { deafPort, nameServer, silentServer } from "./nameServer.js"

const addresses = (host: string) => Effect.flatMap(Dns, (dns) => dns.addresses(host, "somebody"))

const txt = (host: string) => Effect.flatMap(Dns, (dns) => dns.txt(host))

const onNameServer = Layer.unwrapScoped(
  Effect.map(nameServer, ({ port, put }) =>
    Layer.merge(
      SystemDns.layer({ servers: [`127.0.0.1:${port}`] }),
      Layer.succeed(MemoryZones, MemoryZones.of({ put })),
    ),
  ),
)

dnsContract("SystemDns", onNameServer)
dnsContract("MemoryDns", MemoryDns.layer({ localhost: ["127.0.0.1", "::1"] }))

describe("SystemDns", () => {
  it.live("fails for an invalid name", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(addresses(`${"x".repeat(64)}.invalid`))
      expect(failure).toBeInstanceOf(DnsFailure)
      expect(failure.host).toBe(`${"x".repeat(64)}.invalid`)
    }).pipe(Effect.provide(SystemDns.layer())),
  )

  it.effect("reports that no resolver was asked when none listens", () =>
    Effect.gen(function* () {
      const servers = [`127.0.0.1:${yield* deafPort}`]
      const failure = yield* Effect.flip(Effect.provide(txt("acme.dev"), SystemDns.layer({ servers })))
      expect(failure.reason).toBe("not asked")
    }),
  )

  it.live("resolves local names without a resolver", () =>
    Effect.gen(function* () {
      const servers = [`127.0.0.1:${yield* deafPort}`]
      yield* Effect.gen(function* () {
        for (const name of ["localhost", "app.localhost", "Localhost."])
          expect(yield* addresses(name), name).toContain("127.0.0.1")
      }).pipe(Effect.provide(SystemDns.layer({ servers })))
    }),
  )

  it("reads the names of a hosts file", () => {
    const text = "127.0.0.1\tlocalhost  Here # not this\n# 10.0.0.1 gone\n\n::1 ip6-localhost\n192.0.2.1"
    expect([...namesInHosts(text)]).toEqual(["localhost", "here", "ip6-localhost"])
  })
})

describe("SystemDns, while the servers of three domains of one account do not answer", () => {
  const ask = (name: string, account: string) =>
    Effect.flatMap(Dns, (dns) => dns.ask({ type: "TXT", name }, account))

  it.scopedLive("answers other accounts at once", () =>
    Effect.gen(function* () {
      const { port, put, silence } = yield* nameServer
      const names = Array.from({ length: 12 }, (_, n) => `n${n}.honest.dev`)
      for (const name of names) yield* put(name, { addresses: ["192.0.2.7"] })
      for (const domain of ["one.dev", "two.dev", "three.dev"]) yield* silence(domain)
      yield* Effect.gen(function* () {
        const silent = Array.from({ length: 300 }, (_, n) => `n${n}.${["one", "two", "three"][n % 3]}.dev`)
        yield* Effect.forEach(silent, (name) => Effect.fork(ask(name, "mallory")))
        yield* Effect.yieldNow()
        const found = yield* Effect.forEach(names, addresses, { concurrency: "unbounded" })
        expect(found).toEqual(names.map(() => ["192.0.2.7"]))
      }).pipe(
        Effect.provide(SystemDns.layer({ servers: [`127.0.0.1:${port}`] })),
        Effect.timeout("4 seconds"),
      )
    }),
  )
})

describe("SystemDns, while a resolver does not answer", () => {
  for (const [who, asking] of [
    ["a caller", txt],
    ["an uninterruptible caller", (host: string) => Effect.uninterruptible(txt(host))],
  ] as const)
    it.scoped(`makes ${who} wait for at most 10 seconds`, () =>
      Effect.gen(function* () {
        const { port, heard } = yield* silentServer
        const dns = SystemDns.layer({ servers: [`127.0.0.1:${port}`] })
        const failing = yield* Effect.fork(Effect.provide(Effect.flip(asking("acme.dev")), dns))
        yield* heard
        yield* TestClock.adjust("9999 millis")
        expect(failing.unsafePoll()).toBeNull()
        yield* TestClock.adjust("1 millis")
        expect(yield* Fiber.join(failing)).toEqual(
          new DnsFailure({ host: "acme.dev", reason: "unavailable" }),
        )
      }),
    )
})

describe("MemoryDns", () => {
  it.effect("distinguishes unknown names from servers that do not answer", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(addresses("nowhere.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("constructor"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("empty.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("deaf.test"))).reason).toBe("unavailable")
    }).pipe(Effect.provide(MemoryDns.layer({ "deaf.test": "unavailable", "empty.test": [] }))),
  )
})
