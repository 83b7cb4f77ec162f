/** Contract of the port `WebhookTransport`. */
import { describe, expect, it as plain, layer, makeMethods } from "@effect/vitest"
import { WebhookTransport, type WebhookRequest } from "@mailroom/engine"
import { Context, Effect, Fiber, type Layer, Option, type Scope, TestClock } from "effect"
import { account } from "./servers.js"

/** A receiver, as tests control it. */
export interface Receiver {
  readonly url: string
  readonly answer: (status: number, retryAfter?: string) => Effect.Effect<void>
  /** From now on it accepts requests and does not answer. */
  readonly fallSilent: Effect.Effect<void>
  /** Waits for the next request. */
  readonly arrival: Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<Pick<WebhookRequest, "headers" | "body">>>
}

export class Receivers extends Context.Tag("test/Receivers")<
  Receivers,
  { readonly open: Effect.Effect<Receiver, never, Scope.Scope> }
>() {}

const request = (url: string, body = "{}"): WebhookRequest => ({
  account,
  url,
  headers: { "content-type": "application/json", "x-service-delivery-id": "0190" },
  body,
})

const post = (url: string, body?: string) =>
  Effect.flatMap(WebhookTransport, (transport) => transport.post(request(url, body)))

export const transportContract = <E>(name: string, transport: Layer.Layer<WebhookTransport | Receivers, E>) =>
  describe(`${name} as WebhookTransport`, () => {
    layer(transport)((it) => {
      const openReceiver = Effect.flatMap(Receivers, ({ open }) => open)

      it.scoped("delivers body and headers unchanged", () =>
        Effect.gen(function* () {
          const receiver = yield* openReceiver
          yield* post(receiver.url, '{"subject":"Grüße ✓"}')
          const [received] = yield* receiver.requests
          expect(received?.body).toBe('{"subject":"Grüße ✓"}')
          expect(received?.headers).toMatchObject({
            "content-type": "application/json",
            "x-service-delivery-id": "0190",
          })
        }),
      )

      for (const status of [200, 204, 302, 400, 410, 429, 500, 503])
        it.scoped(`returns the status ${status}`, () =>
          Effect.gen(function* () {
            const receiver = yield* openReceiver
            yield* receiver.answer(status)
            expect(yield* post(receiver.url)).toEqual({ kind: "answered", status, retryAfter: null })
          }),
        )

      it.scoped("returns the Retry-After header in seconds", () =>
        Effect.gen(function* () {
          const receiver = yield* openReceiver
          yield* receiver.answer(503, "120")
          expect(yield* post(receiver.url)).toEqual({ kind: "answered", status: 503, retryAfter: 120 })
        }),
      )

      it.scoped("returns a Retry-After date as the seconds until then", () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.parse("2026-03-01T09:30:00Z"))
          const receiver = yield* openReceiver
          yield* receiver.answer(429, "Sun, 01 Mar 2026 09:31:30 GMT")
          expect(yield* post(receiver.url)).toEqual({ kind: "answered", status: 429, retryAfter: 90 })
        }),
      )

      it.scoped("times out after 15 seconds without answer", () =>
        Effect.gen(function* () {
          const receiver = yield* openReceiver
          yield* receiver.fallSilent
          const attempt = yield* Effect.fork(post(receiver.url))
          yield* receiver.arrival
          yield* TestClock.adjust("14999 millis")
          expect(Option.isNone(yield* Fiber.poll(attempt))).toBe(true)
          yield* TestClock.adjust("1 millis")
          expect(yield* Fiber.join(attempt)).toEqual({
            kind: "unreachable",
            reason: "timed out after 15 s",
          })
        }),
      )

      it.scoped("delivers to one receiver while another does not answer", () =>
        Effect.gen(function* () {
          const silent = yield* openReceiver
          const other = yield* openReceiver
          yield* silent.fallSilent
          const waiting = yield* Effect.fork(post(silent.url))
          yield* silent.arrival
          expect((yield* post(other.url)).kind).toBe("answered")
          yield* Fiber.interrupt(waiting)
        }),
      )

      it.scoped("delivers many concurrent posts", () =>
        Effect.gen(function* () {
          const receiver = yield* openReceiver
          const bodies = Array.from({ length: 200 }, (_, number) => `{"number":${number}}`)
          const results = yield* Effect.forEach(bodies, (body) => post(receiver.url, body), {
            concurrency: 64,
          })
          expect(results.every((result) => result.kind === "answered" && result.status === 200)).toBe(true)
          const received = yield* receiver.requests
          expect(received.map(({ body }) => body).sort()).toEqual([...bodies].sort())
        }),
      )
    })
    // `layer` has put its testers on the `it` of the file, and with them its clock: each advance of the time in a later
    // test would run through the timeouts that all earlier tests have left behind, some 5 ms of real time for each.
    makeMethods(plain)
  })
