/** The `eventsource` package reads our stream as it is, over a socket. */
import { describe, it } from "@effect/vitest"
import { STREAM_LIFETIME } from "@mailroom/domain"
import { Effect, Queue, Runtime, TestClock } from "effect"
import { EventSource } from "eventsource"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { receive } from "./support/mail.js"
import { serverUrl, world } from "./support/sockets.js"

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
