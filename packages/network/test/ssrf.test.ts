/** Webhooks reach public addresses only (spec: decisions.webhook.private-literal, decisions.webhook.private-name). */
import { describe, expect, it } from "@effect/vitest"
import { MemoryDns, UndiciWebhookTransport } from "@mailroom/network"
import { Dns, WebhookTransport } from "@mailroom/engine"
import { Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { account, listenHttp, listenTcp } from "./servers.js"

const postTo = (url: string) =>
  Effect.flatMap(WebhookTransport, ({ post }) => post({ account, url, headers: {}, body: "{}" }))

const REFUSED = { kind: "unreachable", reason: "private address" }

/** An unallocated address: public by its number, and no host has it. */
const UNALLOCATED = "3000::1"

const strict = (table: Parameters<typeof MemoryDns.layer>[0] = {}) =>
  Layer.provide(UndiciWebhookTransport.layer({ allowPrivate: false }), MemoryDns.layer(table))

/** Dns whose n-th lookup returns the n-th answer; later lookups repeat the last one. */
const rebinding = (...answers: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.map(Deferred.make<void>(), (lookedUp) => {
    let lookups = 0
    const addresses = () =>
      Effect.sync(() => {
        Deferred.unsafeDone(lookedUp, Effect.void)
        return [answers[Math.min(lookups++, answers.length - 1)] ?? answers[0]]
      })
    const unasked = () => Effect.dieMessage("only addresses are looked up")
    const known = () => undefined
    const dns = Layer.succeed(Dns, Dns.of({ addresses, mx: unasked, txt: unasked, ask: unasked, known }))
    return { dns, lookups: () => lookups, lookedUp }
  })

describe("a literal address that is not public is never connected to", () => {
  const hosts = {
    "RFC 1918, 10/8": ["10.0.0.1", "10.255.255.255"],
    "RFC 1918, 172.16/12": ["172.16.0.1", "172.31.255.255"],
    "RFC 1918, 192.168/16": ["192.168.0.1"],
    "127/8": ["127.0.0.1", "127.255.255.254", "127.0.0.1."],
    "169.254/16": ["169.254.169.254"],
    "100.64/10": ["100.64.0.1", "100.127.255.255"],
    "0/8": ["0.0.0.0", "0.1.2.3"],
    "::1 and ::": ["[::1]", "[0:0:0:0:0:0:0:1]", "[::]"],
    "IPv4-mapped": ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:a9fe:a9fe]"],
    "IPv4-compatible": ["[::127.0.0.1]"],
    "fc00::/7": ["[fc00::1]", "[fdff::1]"],
    "fe80::/10": ["[fe80::1]"],
    "64:ff9b::/96 around a private one": ["[64:ff9b::127.0.0.1]", "[64:ff9b::a00:1]"],
    "6to4 around a private one": ["[2002:7f00:1::]"],
    "decimal forms": ["2130706433", "127.1", "127.0.1", "0"],
    "octal forms": ["0177.0.0.1", "017700000001", "012.0.0.1"],
    "hexadecimal forms": ["0x7f.0.0.1", "0x7f000001", "0xa9fea9fe"],
    "forms in other scripts": ["①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"],
  }

  for (const [kind, forms] of Object.entries(hosts))
    it.scoped(kind, () =>
      Effect.gen(function* () {
        const server = yield* listenTcp((socket) => socket.destroy())
        for (const host of forms) {
          expect(yield* postTo(`https://${host}:${server.port}/`), host).toEqual(REFUSED)
          expect((yield* postTo(`http://${host}:${server.port}/`)).kind, host).toBe("unreachable")
        }
        expect(server.connections()).toBe(0)
      }).pipe(Effect.provide(strict())),
    )

  it("because the URL parser normalizes every IPv4 form", () => {
    for (const form of ["2130706433", "017700000001", "0177.0.0.1", "0x7f000001", "0x7f.1", "127.1", "①②⑦.1"])
      expect(new URL(`https://${form}/`).hostname).toBe("127.0.0.1")
  })
})

describe("a name is vetted by what it resolves to", () => {
  const table = {
    localhost: ["127.0.0.1", "::1"],
    "loopback.test": ["127.0.0.1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "mixed.test": [UNALLOCATED, "127.0.0.1"],
    "odd.test": ["not an address"],
    "octal.test": ["012.0.0.1"],
  }

  for (const name of Object.keys(table))
    it.scoped(`${name} is refused`, () =>
      Effect.gen(function* () {
        const server = yield* listenTcp((socket) => socket.destroy())
        expect(yield* postTo(`https://${name}:${server.port}/`)).toEqual(REFUSED)
        expect(server.connections()).toBe(0)
      }).pipe(Effect.provide(strict(table))),
    )

  it.scoped("at every attempt, so a name that becomes private is refused from then on", () =>
    Effect.gen(function* () {
      const server = yield* listenTcp((socket) => socket.destroy())
      const { dns, lookups, lookedUp } = yield* rebinding(UNALLOCATED, "127.0.0.1")
      yield* Effect.gen(function* () {
        // Depending on the routes of this machine, the first attempt fails at once or hangs.
        const first = yield* Effect.fork(postTo(`https://rebinding.test:${server.port}/`))
        yield* Deferred.await(lookedUp)
        yield* TestClock.adjust("15 seconds")
        expect((yield* Fiber.join(first)).kind).toBe("unreachable")
        expect(lookups()).toBe(1)
        expect(server.connections()).toBe(0)
        expect(yield* postTo(`https://rebinding.test:${server.port}/`)).toEqual(REFUSED)
        expect(yield* postTo(`https://rebinding.test:${server.port}/`)).toEqual(REFUSED)
        expect(server.connections()).toBe(0)
      }).pipe(Effect.provide(Layer.provide(UndiciWebhookTransport.layer({ allowPrivate: false }), dns)))
    }),
  )

  it.scoped("and the socket connects to the vetted address without a lookup of its own", () =>
    Effect.gen(function* () {
      const server = yield* listenHttp((message, response) => {
        response.writeHead(message.socket.localAddress === "127.0.0.1" ? 200 : 500).end()
      })
      const { dns, lookups } = yield* rebinding("127.0.0.1", "127.0.0.2")
      yield* Effect.gen(function* () {
        expect(yield* postTo(`http://rebinding.test:${server.port}/`)).toMatchObject({ status: 200 })
        expect(lookups()).toBe(1)
        expect(server.connections()).toBe(1)
      }).pipe(Effect.provide(Layer.provide(UndiciWebhookTransport.layer({ allowPrivate: true }), dns)))
    }),
  )
})

describe("other ways to a private address", () => {
  it.scoped("a redirect is an answer and is not followed", () =>
    Effect.gen(function* () {
      const inner = yield* listenHttp((_, response) => response.end("secret"))
      const outer = yield* listenHttp((message, response) => {
        const status = Number(message.url?.slice(1))
        response.writeHead(status, { Location: `http://127.0.0.1:${inner.port}/` }).end()
      })
      for (const status of [301, 302, 303, 307, 308])
        expect(yield* postTo(`http://127.0.0.1:${outer.port}/${status}`)).toEqual({
          kind: "answered",
          status,
          retryAfter: null,
        })
      expect(inner.connections()).toBe(0)
    }).pipe(
      Effect.provide(
        Layer.provide(UndiciWebhookTransport.layer({ allowPrivate: true }), MemoryDns.layer({})),
      ),
    ),
  )

  it.effect("http is refused", () =>
    Effect.gen(function* () {
      expect(yield* postTo(`http://[${UNALLOCATED}]/`)).toEqual({
        kind: "unreachable",
        reason: "the URL must start with https://",
      })
    }).pipe(Effect.provide(strict())),
  )
})
