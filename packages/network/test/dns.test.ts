import { describe, expect, it } from "@effect/vitest"
import { MemoryDns, MemoryZones, SystemDns } from "@mailroom/network"
import { Dns, DnsFailure } from "@mailroom/engine"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { dnsContract } from "./dns.contract.js"
import { deafPort, nameServer, silentServer } from "./nameServer.js"

const addresses = (host: string) => Effect.flatMap(Dns, (dns) => dns.addresses(host))

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
  it.live("fails for a name that cannot be", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(addresses(`${"x".repeat(64)}.invalid`))
      expect(failure).toBeInstanceOf(DnsFailure)
      expect(failure.host).toBe(`${"x".repeat(64)}.invalid`)
    }).pipe(Effect.provide(SystemDns.layer())),
  )

  it.effect("is unavailable while nobody listens where its resolvers should be", () =>
    Effect.gen(function* () {
      const servers = [`127.0.0.1:${yield* deafPort}`]
      const failure = yield* Effect.flip(Effect.provide(txt("acme.dev"), SystemDns.layer({ servers })))
      expect(failure.reason).toBe("unavailable")
    }),
  )
})

describe("SystemDns, while a resolver is silent", () => {
  for (const [who, asking] of [
    ["an asker", txt],
    ["an asker whom nobody may interrupt", (host: string) => Effect.uninterruptible(txt(host))],
  ] as const)
    it.scoped(`keeps ${who} waiting for 10 seconds in all, not longer`, () =>
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
  it.effect("tells names that are not there from servers that do not answer", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(addresses("nowhere.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("constructor"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("empty.test"))).reason).toBe("not found")
      expect((yield* Effect.flip(addresses("deaf.test"))).reason).toBe("unavailable")
    }).pipe(Effect.provide(MemoryDns.layer({ "deaf.test": "unavailable", "empty.test": [] }))),
  )
})
