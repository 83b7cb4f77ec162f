/** The Grafana dashboard in deploy/ shows metrics that /metrics has, times of webhooks among them. */
import { lostThreads, Metrics } from "@mailroom/engine"
// Its metrics are there from its import on.
import "@mailroom/store-sql/postgres"
import { InMemoryHttp } from "@mailroom/testing"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { expect } from "vitest"
import { signUp } from "./support/accounts.js"
import { receive } from "./support/mail.js"
import { rule } from "./support/service.js"
import { aWebhook, lastDelivery } from "./support/webhooks.js"

const dashboard = readFileSync(new URL("../../../deploy/grafana/mailroom.json", import.meta.url), "utf8")

/** The metrics in the queries of the dashboard. */
const named = new Set(dashboard.match(/\b(?:mailroom|process)_[a-z_]+\b/g))

/** A metric with labels is there once one of its values occurred. */
const labelled = Effect.all([
  Metrics.mailRefused("550 5.1.1"),
  Metrics.mailReported("bounced"),
  Metrics.signIn("signed-in"),
  Metrics.deliveryAttempt("2xx"),
  Metrics.relayAnswered("sent", "250", 1),
  Metrics.submission("250 2.0.0"),
  lostThreads("parser"),
])

rule("every metric that the dashboard names is one that /metrics has", () =>
  Effect.gen(function* () {
    const { call } = yield* InMemoryHttp
    yield* labelled
    yield* call("POST /v1/signup", { body: {} })
    const { text } = yield* call("GET /metrics")
    const shown = new Set([...text.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name))
    expect([...named].filter((name) => !shown.has(name))).toEqual([])
    expect(named.size).toBeGreaterThan(20)
  }),
)

/** The panel shows increases, and an increase needs a value before the first failure. */
rule("the failures of every worker are shown before the first, and the dashboard sums them by worker", () =>
  Effect.gen(function* () {
    const { call } = yield* InMemoryHttp
    const { text } = yield* call("GET /metrics")
    const workers = [...text.matchAll(/^mailroom_worker_failures_total\{worker="(\w+)"\} \d+$/gm)]
    expect(workers.map(([, worker]) => worker)).toEqual(
      expect.arrayContaining([
        "consumers",
        "delivery",
        "domains",
        "drafts",
        "files",
        "jobs",
        "retention",
        "search",
        "webhooks",
      ]),
    )
    expect(dashboard).toContain(
      'sum by (worker) (increase(mailroom_worker_failures_total{job=~\\"$job\\"}[1h]))',
    )
  }),
)

rule("a delivery to a webhook is timed from its event on, once the webhook answered 2xx", () =>
  Effect.gen(function* () {
    const { call } = yield* InMemoryHttp
    const timed = Effect.map(call("GET /metrics"), ({ text }) =>
      Number(/^mailroom_webhook_delivery_seconds_count (\d+)$/m.exec(text)?.[1]),
    )
    const account = yield* signUp()
    const webhook = yield* aWebhook(account)
    const before = yield* timed
    yield* receive(account.address)
    expect((yield* lastDelivery(account, webhook)).status).toBe("DELIVERED")
    expect((yield* timed) - before).toBe(1)
  }),
)
