/** Reports in our own format, signed by Standard Webhooks (standardwebhooks.com). */
import { describe, expect, it } from "@effect/vitest"
import { ProviderReports } from "@mailroom/engine"
import { providerReports } from "@mailroom/providers"
import { Effect, Redacted, TestClock } from "effect"
import { createHmac } from "node:crypto"

const SECRET = "whsec_dGhlIHNlY3JldCBvZiBhIHByb3ZpZGVyIGluIHRlc3Rz"
const OTHER = "whsec_YW5vdGhlciBzZWNyZXQgb2YgYSBwcm92aWRlcg=="
const NOW = Date.UTC(2026, 2, 10, 12) / 1000

const generic = providerReports({ kind: "generic", secret: Redacted.make(SECRET) })

const rule = <A, E>(name: string, body: Effect.Effect<A, E, ProviderReports>) =>
  it.effect(name, () => Effect.zipRight(TestClock.setTime(NOW * 1000), Effect.provide(body, generic)))

const signature = (body: string, { at = NOW, id = "msg_1", secret = SECRET } = {}) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  return `v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`
}

const read = (body: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
  Effect.flatMap(ProviderReports, (reports) =>
    reports.read({
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": String(NOW),
        "webhook-signature": signature(body),
        ...headers,
      },
      body,
    }),
  )

const refusal = (...parameters: Parameters<typeof read>) =>
  Effect.map(Effect.flip(read(...parameters)), ({ _tag }) => _tag)

const containing = (...reports: ReadonlyArray<object>) => JSON.stringify({ reports })

const returnPath = "bounces+4711.c2ln@mailroom.dev"
const none = JSON.stringify({ reports: [] })

describe("a report", () => {
  rule(
    "has a return path, an outcome and optional details",
    Effect.gen(function* () {
      const body = containing(
        {
          returnPath,
          recipient: "Jane@Example.com",
          outcome: "bounced",
          status: "5.1.1",
          diagnostic: "550 No such user",
          permanent: true,
        },
        { returnPath, outcome: "delayed", recipient: null, diagnostic: null },
      )
      expect(yield* read(body)).toEqual([
        {
          returnPath,
          recipients: [
            {
              addresses: ["jane@example.com"],
              outcome: "bounced",
              status: "5.1.1",
              diagnostic: "550 No such user",
              permanent: true,
            },
          ],
        },
        {
          returnPath,
          recipients: [
            { addresses: [], outcome: "delayed", status: null, diagnostic: null, permanent: null },
          ],
        },
      ])
    }),
  )

  rule(
    "has `permanent` only for a bounce",
    Effect.gen(function* () {
      for (const outcome of ["delivered", "delayed", "complained"]) {
        const [report] = yield* read(containing({ returnPath, outcome, permanent: true }))
        expect(report?.recipients).toEqual([expect.objectContaining({ outcome, permanent: null })])
      }
    }),
  )
})

describe("a signed body with errors is refused with the name of each field", () => {
  const valid = { returnPath, outcome: "bounced" }
  for (const [path, body] of [
    ["", "{"],
    ["reports", "{}"],
    ["reports", JSON.stringify({ reports: Array.from({ length: 1001 }, () => valid) })],
    ["reports.0.returnPath", containing({ outcome: "bounced" })],
    ["reports.0.returnPath", containing({ ...valid, returnPath: "" })],
    ["reports.1.outcome", containing(valid, { ...valid, outcome: "lost" })],
    ["reports.0.status", containing({ ...valid, status: "550" })],
    ["reports.0.permanent", containing({ ...valid, permanent: "yes" })],
  ] as const)
    rule(
      `${path === "" ? "no JSON" : path}: ${body.slice(0, 60)}`,
      Effect.gen(function* () {
        const refused = yield* Effect.flip(read(body))
        expect(refused).toMatchObject({
          _tag: "InvalidInput",
          issues: expect.arrayContaining([{ path, message: expect.not.stringContaining("actual") }]),
        })
      }),
    )

  rule(
    "a thousand reports are accepted",
    Effect.gen(function* () {
      expect(yield* read(containing(...Array.from({ length: 1000 }, () => valid)))).toHaveLength(1000)
    }),
  )
})

describe("the signature", () => {
  rule(
    "may be one of several, during a rotation of the secret",
    Effect.gen(function* () {
      const several = `${signature(none, { secret: OTHER })} v1a,c2ln ${signature(none)}`
      expect(yield* read(none, { "webhook-signature": several })).toEqual([])
    }),
  )

  rule(
    "holds for five minutes, in both directions",
    Effect.gen(function* () {
      const signedAt = (at: number) => ({
        "webhook-timestamp": String(at),
        "webhook-signature": signature(none, { at }),
      })
      for (const side of [-1, 1]) {
        expect(yield* read(none, signedAt(NOW + side * 300))).toEqual([])
        expect(yield* refusal(none, signedAt(NOW + side * 301))).toBe("InvalidSignature")
      }
    }),
  )

  for (const [what, headers] of [
    ["of another body", { "webhook-signature": signature("{}") }],
    ["of another secret", { "webhook-signature": signature(none, { secret: OTHER }) }],
    ["of another id", { "webhook-id": "msg_2" }],
    ["of another time", { "webhook-timestamp": String(NOW + 1) }],
    ["of no version", { "webhook-signature": signature(none).slice(3) }],
    ["of another version", { "webhook-signature": signature(none).replace("v1", "v2") }],
    ["that is not there", { "webhook-signature": undefined }],
    ["that is empty", { "webhook-signature": "" }],
    ["of no id", { "webhook-id": undefined, "webhook-signature": signature(none, { id: "undefined" }) }],
    ["of no time", { "webhook-timestamp": undefined }],
    ["of a time that is none", { "webhook-timestamp": "now" }],
  ] as const)
    rule(
      `${what} proves nothing`,
      Effect.gen(function* () {
        expect(yield* refusal(none, headers)).toBe("InvalidSignature")
      }),
    )
})
