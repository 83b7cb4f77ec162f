/** With OTEL_EXPORTER_OTLP_ENDPOINT a process exports its spans. */
import { expect, it } from "@effect/vitest"
import { deliver, plainMail } from "@mailroom/test-services"
import { Effect } from "effect"
import { createServer } from "node:http"
import { signUp } from "./support/account.js"
import { call } from "./support/http.js"
import { listenLocally } from "./support/listening.js"
import { arrived } from "./support/messages.js"
import { freshServer } from "./support/server.js"
import { traceCollector } from "./support/traceCollector.js"

it.scopedLive("spans of requests and of deliveries reach the collector, without URLs and headers", () =>
  Effect.gen(function* () {
    const collector = yield* traceCollector
    const server = yield* freshServer({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "mail-of-europe",
    })
    const account = yield* signUp(server, "traced")
    yield* deliver(server.smtpPort, account.address, plainMail("traced"))
    yield* arrived(account, 1)
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
    yield* call(server, "GET /v1/auth/verify-email?token=hunter2", { headers: { traceparent } })
    yield* server.stop("SIGTERM")

    const spans = yield* collector.withSpan("delivery.task")
    const signup = spans.find(({ name }) => name === "POST /v1/signup")
    expect(signup?.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: 201 } })
    const useCase = spans.find(({ name }) => name === "Accounts.signup")
    expect(useCase).toMatchObject({ traceId: signup?.traceId, parentSpanId: signup?.spanId })
    const page = spans.find(({ name }) => name === "GET /v1/auth/verify-email")
    expect(page).toMatchObject({ traceId: "a".repeat(32), parentSpanId: "b".repeat(16) })
    expect(spans.filter(({ name }) => /readyz|metrics/.test(name))).toEqual([])
    expect(collector.text()).toContain('{"key":"service.name","value":{"stringValue":"mail-of-europe"}}')
    for (const secret of ["hunter2", account.key, account.password])
      expect(collector.text()).not.toContain(secret)
  }),
)

it.scopedLive("a collector that does not answer keeps neither requests nor the stop waiting", () =>
  Effect.gen(function* () {
    const silent = yield* listenLocally(createServer(() => undefined))
    const server = yield* freshServer({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${silent}` })
    const answer = yield* call(server, "GET /v1/account")
    expect(answer.status).toBe(401)
    const { code, stderr } = yield* server.stop("SIGTERM")
    expect([code, stderr]).toEqual([0, ""])
  }),
)
