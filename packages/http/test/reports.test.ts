/** POST /v1/reports/{provider}: signatures, bodies, faults (docs/operations.md, Reports from a provider). */
import { describe, it, layer } from "@effect/vitest"
import { type MailReport, ProviderUnavailable } from "@mailroom/domain"
import { NoProviderReports, ProviderReports, Reports, StorageFailure } from "@mailroom/engine"
import { clockAt, InMemoryHttp, InMemoryMailroom, REPORTS_SECRET } from "@mailroom/testing"
import { Context, Effect, Layer, type Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { expect } from "vitest"
import { ask } from "./support/contract.js"

/** What was taken, and not looked at yet. */
class Taken extends Context.Tag("@mailroom/http/test/Taken")<Taken, Array<MailReport>>() {}

const justTaken = Effect.map(Taken, (taken) => taken.splice(0))

const taking = Layer.effect(
  Reports,
  Effect.map(Taken, (taken) => ({
    take: (reports) => Effect.sync(() => void taken.push(...reports)),
    apply: () => Effect.void,
  })),
).pipe(Layer.provideMerge(Layer.sync(Taken, () => [])))

type Replaced = Layer.Layer<never> | Layer.Layer<Reports> | Layer.Layer<ProviderReports>

const service = (replaced: Replaced) =>
  InMemoryHttp.layerOver.pipe(
    Layer.provideMerge(Layer.provideMerge(replaced, taking)),
    Layer.provideMerge(InMemoryMailroom.layer()),
  )

const ruleWith =
  (replaced: Replaced) =>
  <A, E>(name: string, body: Effect.Effect<A, E, InMemoryHttp | Scope.Scope>) =>
    it.scoped(name, () => body.pipe(Effect.provide(service(replaced)), Effect.provide(clockAt(0))))

const signed = (body: string) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": "0",
  "webhook-signature": new Webhook(REPORTS_SECRET).sign("msg_1", new Date(0), body),
})

const report = (body: string, headers: Readonly<Record<string, string>> = signed(body)) =>
  Effect.map(ask("POST /v1/reports/generic", { body, headers }), ({ status, json }) => [status, json])

/** Indented, which a body that was parsed and written again would not be. */
const bounce = JSON.stringify(
  { reports: [{ returnPath: "bounces+1@mailroom.dev", recipient: "grüße@example.com", outcome: "bounced" }] },
  null,
  2,
)

const refused = (code: string) => ({ error: expect.any(String), code })

const expectUnknown = Effect.fn(function* (provider: string) {
  const { status, json } = yield* ask(`POST /v1/reports/${provider}`, {
    body: bounce,
    headers: signed(bounce),
  })
  expect(status).toBe(404)
  expect(json).toMatchObject({
    code: "ENDPOINT_NOT_FOUND",
    message: `There is no POST /v1/reports/${provider}`,
  })
})

layer(service(Layer.empty))("POST /v1/reports/{provider}", (shared) => {
  const rule = <A, E>(name: string, body: Effect.Effect<A, E, InMemoryHttp | Taken>) =>
    shared.effect(name, () => body)

  rule(
    "takes what the provider signed, byte by byte, without a key: 200",
    Effect.gen(function* () {
      expect(yield* report(bounce)).toEqual([200, { received: true }])
      expect(yield* justTaken).toEqual([
        {
          returnPath: "bounces+1@mailroom.dev",
          recipients: [expect.objectContaining({ addresses: ["grüße@example.com"], outcome: "bounced" })],
        },
      ])
    }),
  )

  rule(
    "answers 400 to what the provider did not sign, whatever it is, and takes nothing",
    Effect.gen(function* () {
      for (const body of [bounce, "{", "", "[[[["])
        expect(yield* report(body, signed("{}"))).toEqual([400, refused("INVALID_SIGNATURE")])
      expect(yield* report(bounce, {})).toEqual([400, refused("INVALID_SIGNATURE")])
      expect(yield* justTaken).toEqual([])
    }),
  )

  rule(
    "answers 400 to what the provider signed and nobody can read, and names it",
    Effect.gen(function* () {
      const body = JSON.stringify({ reports: [{ returnPath: "x", outcome: "lost" }] })
      expect(yield* report(body)).toEqual([
        400,
        {
          ...refused("VALIDATION_FAILED"),
          issues: expect.arrayContaining([{ path: "reports.0.outcome", message: expect.any(String) }]),
        },
      ])
    }),
  )

  rule(
    "answers 413 above 2 MB, whether or not the request says how long it is",
    Effect.gen(function* () {
      const body = " ".repeat(2 * 1024 * 1024 + 1)
      const length = { "content-length": String(body.length) }
      expect(yield* report(body, { ...signed(body), ...length })).toEqual([413, refused("SIZE_EXCEEDED")])
      expect(yield* report(body)).toEqual([413, refused("SIZE_EXCEEDED")])
      expect(yield* report(body.slice(1))).toEqual([400, expect.anything()])
    }),
  )

  rule(
    "is an unknown path for any other provider",
    Effect.forEach(["ses", "postmark", "none", "null", "Generic"], expectUnknown),
  )
})

describe("POST /v1/reports/{provider}", () => {
  ruleWith(NoProviderReports.layer)("is an unknown path where there is none", expectUnknown("generic"))

  ruleWith(
    Layer.succeed(ProviderReports, {
      provider: "generic",
      headersFor: () => ({}),
      read: () => new ProviderUnavailable(),
    }),
  )(
    "answers 503 while the provider does not say what proves it",
    Effect.gen(function* () {
      expect(yield* report(bounce)).toEqual([503, refused("PROVIDER_UNAVAILABLE")])
    }),
  )

  ruleWith(
    Layer.succeed(Reports, {
      take: () => Effect.die(new StorageFailure({ reason: "unavailable", cause: new Error("away") })),
      apply: () => Effect.void,
    }),
  )(
    "answers 503 while the database is away, so that the provider reports again",
    Effect.gen(function* () {
      expect(yield* report(bounce)).toEqual([503, refused("STORAGE_UNAVAILABLE")])
    }),
  )
})
