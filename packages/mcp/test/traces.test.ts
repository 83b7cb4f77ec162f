/** The spans of calls: those of one request are not in the trace of another. */
import { InMemoryHttp, InMemoryMailroom } from "@mailroom/testing"
import { Effect, FiberRef, Layer, ManagedRuntime, Tracer } from "effect"
import { expect, it } from "vitest"
import { BASE_URL } from "../../client/test/support/service.js"
import { owner } from "../../http/test/support/accounts.js"
import { call, connect } from "./support/clients.js"

it("a call's requests to the service are in no earlier request's trace", async () => {
  const spans: Array<Tracer.Span> = []
  const tracing = Layer.unwrapEffect(
    Effect.map(Effect.tracer, (native) =>
      Layer.setTracer(
        Tracer.make({
          span: (...args) => {
            const span = native.span(...args)
            spans.push(span)
            return span
          },
          context: native.context,
        }),
      ),
    ),
  )
  const runtime = ManagedRuntime.make(
    InMemoryHttp.layerOver.pipe(
      Layer.provideMerge(Layer.locallyScoped(FiberRef.currentTracerEnabled, true)),
      Layer.provideMerge(InMemoryMailroom.layer()),
      Layer.provideMerge(tracing),
    ),
  )
  const { key } = await runtime.runPromise(owner("active", "traced"))
  const client = await connect({
    url: BASE_URL,
    key,
    fetch: (url, init) =>
      runtime.runPromise(Effect.flatMap(InMemoryHttp, (http) => Effect.promise(() => http.fetch(url, init)))),
  })
  const tracesOf = async () => {
    spans.length = 0
    await call(client, "whoami")
    return new Set(spans.map(({ traceId }) => traceId))
  }
  const first = await tracesOf()
  const second = await tracesOf()
  expect(first.size).toBeGreaterThan(0)
  expect([...second].filter((id) => first.has(id))).toEqual([])
  await runtime.dispose()
})
