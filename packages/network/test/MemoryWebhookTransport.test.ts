import { describe, expect, it } from "@effect/vitest"
import { parseRetryAfter } from "@mailroom/domain"
import { MemoryReceivers, MemoryWebhookTransport } from "@mailroom/network"
import { WebhookTransport } from "@mailroom/engine"
import { Clock, Effect, Layer, Queue } from "effect"
import { account } from "./servers.js"
import { Receivers, transportContract } from "./transport.contract.js"

const receivers = Layer.effect(
  Receivers,
  Effect.gen(function* () {
    const memory = yield* MemoryReceivers
    let count = 0
    const open = Effect.gen(function* () {
      const url = `https://receiver-${count++}.test/hook`
      const arrivals = yield* Queue.unbounded<void>()
      return {
        url,
        arrival: Queue.take(arrivals),
        answer: (status: number, retryAfter?: string) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            memory.answer(url, {
              kind: "answered",
              status,
              retryAfter: parseRetryAfter(retryAfter ?? null, now),
            }),
          ),
        fallSilent: memory.script(url, () => Effect.zipRight(Queue.offer(arrivals, undefined), Effect.never)),
        requests: Effect.map(memory.requests, (requests) =>
          requests.filter((request) => request.url === url),
        ),
      }
    })
    return Receivers.of({ open })
  }),
)

transportContract("MemoryWebhookTransport", Layer.provideMerge(receivers, MemoryWebhookTransport.layer))

describe("MemoryWebhookTransport", () => {
  it.effect("gives scripted answers one after another, and repeats the last one", () =>
    Effect.gen(function* () {
      const { post } = yield* WebhookTransport
      const { answer } = yield* MemoryReceivers
      yield* answer(
        "https://a.test/",
        { kind: "unreachable", reason: "connection refused" },
        { kind: "answered", status: 500, retryAfter: null },
        { kind: "answered", status: 200, retryAfter: null },
      )
      const results = []
      for (let attempt = 0; attempt < 4; attempt++)
        results.push(yield* post({ account, url: "https://a.test/", headers: {}, body: "" }))
      expect(
        results.map((result) => ("reason" in result ? result.reason : "status" in result && result.status)),
      ).toEqual(["connection refused", 500, 200, 200])
    }).pipe(Effect.provide(MemoryWebhookTransport.layer)),
  )
})
