/** Contract of the port `Dns`. */
import { describe, expect, layer } from "@effect/vitest"
import { Dns, type RecordType } from "@mailroom/engine"
import { MemoryZones } from "@mailroom/network"
import { Effect, type Layer, TestClock } from "effect"

const addresses = (host: string) => Effect.flatMap(Dns, (dns) => dns.addresses(host, "somebody"))
const ask = (type: RecordType, name: string) =>
  Effect.flatMap(Dns, (dns) => dns.ask({ type, name }, "somebody"))
const known = (type: RecordType, name: string) => Effect.map(Dns, (dns) => dns.known({ type, name }))
const mx = (host: string) => Effect.flatMap(Dns, (dns) => dns.mx(host))
const txt = (host: string) => Effect.flatMap(Dns, (dns) => dns.txt(host))

const put = (...[name, records]: Parameters<MemoryZones["Type"]["put"]>) =>
  Effect.flatMap(MemoryZones, (zones) => zones.put(name, records))

const reasons = (host: string) =>
  Effect.all([Effect.flip(addresses(host)), Effect.flip(mx(host)), Effect.flip(txt(host))]).pipe(
    Effect.map((failures) => failures.map(({ host, reason }) => ({ host, reason }))),
  )

/** `zones` are the records from which the resolvers of `dns` answer. */
export const dnsContract = (name: string, dns: Layer.Layer<Dns | MemoryZones>) =>
  describe(`${name} as Dns`, () => {
    layer(dns)((it) => {
      it.effect("returns address literals unchanged, without brackets", () =>
        Effect.gen(function* () {
          expect(yield* addresses("192.0.2.1")).toEqual(["192.0.2.1"])
          expect(yield* addresses("2001:db8::1")).toEqual(["2001:db8::1"])
          expect(yield* addresses("[2001:db8::1]")).toEqual(["2001:db8::1"])
        }),
      )

      it.effect("returns the addresses of a name in any case", () =>
        Effect.gen(function* () {
          const found = yield* addresses("localhost")
          expect(found.length).toBeGreaterThan(0)
          expect(found.every((address) => address === "127.0.0.1" || address === "::1")).toBe(true)
          expect(yield* addresses("LOCALHOST")).toEqual(found)
        }),
      )

      it.effect("returns A and AAAA records separately", () =>
        Effect.gen(function* () {
          yield* put("both.dev", { addresses: ["192.0.2.1", "2001:db8::1", "192.0.2.2"] })
          const ipv4 = yield* ask("A", "both.dev")
          expect(new Set(ipv4)).toEqual(new Set(["192.0.2.1", "192.0.2.2"]))
          expect(yield* ask("AAAA", "both.dev")).toEqual(["2001:db8::1"])
          expect([...(yield* addresses("both.dev"))].sort()).toEqual([
            "192.0.2.1",
            "192.0.2.2",
            "2001:db8::1",
          ])
          yield* put("old.dev", { addresses: ["192.0.2.1"] })
          expect(yield* ask("AAAA", "old.dev")).toEqual([])
          expect(yield* addresses("old.dev")).toEqual(["192.0.2.1"])
        }),
      )

      it.effect("caches answers, and returns them without a query", () =>
        Effect.gen(function* () {
          const mx = [
            { exchange: "b.kept.dev", priority: 20 },
            { exchange: "a.kept.dev", priority: 10 },
          ]
          yield* put("kept.dev", { mx, txt: ["before"] })
          expect(yield* known("TXT", "kept.dev")).toBeUndefined()
          expect(yield* ask("TXT", "kept.dev")).toEqual(["before"])
          expect(yield* ask("MX", "Kept.dev.")).toEqual(["a.kept.dev", "b.kept.dev"])
          yield* put("kept.dev", { txt: ["after"] })
          expect(yield* known("TXT", "KEPT.dev")).toEqual(["before"])
          expect(yield* ask("TXT", "kept.dev")).toEqual(["before"])
          yield* TestClock.adjust("5 minutes")
          expect(yield* ask("TXT", "kept.dev")).toEqual(["after"])
        }),
      )

      it.effect("returns MX records by preference", () =>
        Effect.gen(function* () {
          const [first, second, third] = [
            { exchange: "a.mx.dev", priority: 5 },
            { exchange: "a.backup.dev", priority: 10 },
            { exchange: "b.backup.dev", priority: 10 },
          ] as const
          yield* put("acme.dev", { mx: [third, first, second] })
          expect(yield* mx("acme.dev")).toEqual([first, second, third])
        }),
      )

      it.effect("returns every TXT record as one text, whatever its length", () =>
        Effect.gen(function* () {
          const long = `v=DKIM1; p=${"QUJD".repeat(120)}`
          yield* put("texts.dev", { txt: [long, "v=spf1 ~all", ""] })
          expect([...(yield* txt("texts.dev"))].sort()).toEqual(["", long, "v=spf1 ~all"])
        }),
      )

      it.effect("looks up names in any case and with underscores", () =>
        Effect.gen(function* () {
          yield* put("_dmarc.acme.dev", { txt: ["v=DMARC1; p=none"] })
          expect(yield* txt("_DMARC.Acme.dev")).toEqual(["v=DMARC1; p=none"])
        }),
      )

      it.effect("fails as not found without such records and for an unknown name", () =>
        Effect.gen(function* () {
          yield* put("bare.dev", {})
          for (const host of ["bare.dev", "absent.dev", `${"x".repeat(64)}.dev`])
            expect(yield* reasons(host)).toEqual(
              Array.from({ length: 3 }, () => ({ host, reason: "not found" })),
            )
        }),
      )

      it.effect("distinguishes servers that do not answer from a name without records", () =>
        Effect.gen(function* () {
          yield* put("away.dev", "unavailable")
          expect((yield* reasons("away.dev")).map(({ reason }) => reason)).toEqual([
            "unavailable",
            "unavailable",
            "unavailable",
          ])
          expect(yield* ask("A", "away.dev")).toBe("unavailable")
        }),
      )

      it.effect("returns the current MX and TXT records, not cached ones", () =>
        Effect.gen(function* () {
          yield* put("moved.dev", { txt: ["before"] })
          expect(yield* txt("moved.dev")).toEqual(["before"])
          yield* put("moved.dev", { txt: ["after"] })
          expect(yield* txt("moved.dev")).toEqual(["after"])
          yield* put("moved.dev", {})
          expect((yield* Effect.flip(txt("moved.dev"))).reason).toBe("not found")
        }),
      )
    })
  })
