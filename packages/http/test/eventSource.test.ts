/** The `eventsource` package reads our stream as it is, over a socket (spec, Event stream). */
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as HttpServer from "@effect/platform/HttpServer"
import { describe, it } from "@effect/vitest"
import { STREAM_LIFETIME } from "@mailroom/domain"
import { Draining, HttpSettings, MailroomHttp, Readiness } from "@mailroom/http"
import { InMemoryHttp, InMemoryMailroom } from "@mailroom/testing"
import { Effect, Layer, Option, Queue, Runtime, TestClock } from "effect"
import { EventSource } from "eventsource"
import { createServer } from "node:http"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { receive } from "./support/mail.js"

const listening = MailroomHttp.serve.pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provide([
    Layer.succeed(HttpSettings, {
      trustProxy: false,
      developmentOutbox: false,
      adminToken: Option.none(),
      retired: [],
    }),
    Draining.layer,
    Readiness.layer,
    NodeContext.layer,
  ]),
)

/** One service, on a socket and beside it. */
const world = Layer.mergeAll(InMemoryHttp.layerOver, listening).pipe(
  Layer.provideMerge(InMemoryMailroom.layer()),
)

const serverUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : "",
)

interface Heard {
  readonly kind: string
  readonly id: string
  readonly data: unknown
}

/** A reader as its users write it, until the scope closes: before the server does, which waits for it. */
const listen = Effect.fn(function* (key: string) {
  const url = `${yield* serverUrl}/v1/events`
  const heard = yield* Queue.unbounded<Heard>()
  const requests: Array<Headers> = []
  const run = Runtime.runSync(yield* Effect.runtime())
  const source = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new EventSource(url, {
          fetch: (input, init) => {
            const headers = new Headers({ ...init.headers, Authorization: `Bearer ${key}` })
            requests.push(headers)
            return fetch(input, { ...init, headers })
          },
        }),
    ),
    (open) => Effect.sync(() => open.close()),
  )
  const tell = (kind: string, id: string, data: unknown) => run(Queue.offer(heard, { kind, id, data }))
  source.addEventListener("open", () => tell("open", "", null))
  source.addEventListener("message.received", ({ lastEventId, data }) =>
    tell("message.received", lastEventId, JSON.parse(data)),
  )
  source.addEventListener("reconnect", ({ data }) => tell("reconnect", "", JSON.parse(data)))
  return { next: Queue.take(heard), requests }
})

describe("eventsource", () => {
  it.effect(
    "hears an event, connects again when the server ends the stream, and misses nothing in between",
    () =>
      Effect.gen(function* () {
        const { key, address } = yield* signUp()
        const { next, requests } = yield* listen(key)
        expect(yield* next).toMatchObject({ kind: "open" })
        yield* receive(address, [{ subject: "first" }])
        const first = yield* next
        expect(first).toMatchObject({
          kind: "message.received",
          id: expect.stringMatching(/^\d+-1-[0-9a-f]{4}$/),
          data: { event: "message.received", data: { subject: "first" } },
        })

        yield* TestClock.adjust(STREAM_LIFETIME)
        expect(yield* next).toEqual({ kind: "reconnect", id: "", data: {} })
        yield* receive(address, [{ subject: "in between" }])
        // The package waits three seconds before it connects again.
        expect(yield* next).toMatchObject({ kind: "open" })
        expect(yield* next).toMatchObject({ data: { data: { subject: "in between" } } })
        expect(requests.map((headers) => headers.get("last-event-id"))).toEqual([null, first.id])
        yield* receive(address, [{ subject: "live again" }])
        expect(yield* next).toMatchObject({ data: { data: { subject: "live again" } } })
      }).pipe(Effect.scoped, Effect.provide(world)),
  )
})
