/** Rotation of a webhook's secret (docs/decisions/0016). */
import { describe, expect } from "@effect/vitest"
import { DAY, HOUR } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { createHmac } from "node:crypto"
import { received } from "./support/arrivals.js"
import { NOON, rule } from "./support/mailroom.js"
import { type Owner, unverified } from "./support/owners.js"
import { change, type Made, requestsTo, rotate, stored, subscribe, URL_ONE } from "./support/webhooks.js"

const lastRequest = Effect.flatMap(requestsTo(URL_ONE), (requests) => {
  const last = requests.at(-1)
  return last === undefined ? Effect.dieMessage("nothing was posted") : Effect.succeed(last)
})

type Posted = Effect.Effect.Success<typeof lastRequest>

const ownSignature = (secret: string, { body }: Posted) =>
  createHmac("sha256", secret).update(body, "utf8").digest("hex")

const standardSignature = (secret: string, { body, headers }: Posted) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return `v1,${createHmac("sha256", key).update(text, "utf8").digest("base64")}`
}

const signaturesOf = ({ headers }: Posted) => ({
  own: headers["X-Service-Signature"],
  previous: headers["X-Service-Signature-Previous"],
  standard: headers["webhook-signature"],
})

const bySecrets = (posted: Posted, current: string, previous?: string) => ({
  own: ownSignature(current, posted),
  previous: previous === undefined ? undefined : ownSignature(previous, posted),
  standard: [current, ...(previous === undefined ? [] : [previous])]
    .map((secret) => standardSignature(secret, posted))
    .join(" "),
})

describe("a rotated secret", () => {
  rule(
    "is new, shown once, and stored sealed",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* TestClock.adjust("1 minute")
      const rotated = yield* rotate(owner, made)
      expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(rotated.secret).not.toBe(made.secret)
      expect(rotated.webhook).toEqual({ ...made.webhook, updatedAt: "2026-03-10T12:01:00.000Z" })
      const record = JSON.stringify(yield* stored(owner, made))
      for (const secret of [made.secret, rotated.secret]) expect(record).not.toContain(secret)
    }),
  )

  rule(
    "signs at once, and the previous secret signs too for exactly 24 hours",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      yield* received(owner.address)
      const before = yield* lastRequest
      expect(signaturesOf(before)).toEqual(bySecrets(before, made.secret))

      const { secret } = yield* rotate(owner, made)
      for (const passed of [0, DAY - 1]) {
        yield* TestClock.setTime(NOON + passed)
        yield* received(owner.address, { subject: `After ${passed}` })
        const during = yield* lastRequest
        expect(signaturesOf(during)).toEqual(bySecrets(during, secret, made.secret))
      }
      yield* TestClock.setTime(NOON + DAY)
      yield* received(owner.address, { subject: "A day later" })
      const after = yield* lastRequest
      expect(signaturesOf(after)).toEqual(bySecrets(after, secret))
      expect(Object.keys(after.headers)).not.toContain("X-Service-Signature-Previous")
    }),
  )

  rule(
    "twice within 24 hours keeps the last two secrets",
    Effect.gen(function* () {
      const owner = yield* unverified()
      const made = yield* subscribe(owner)
      const second = yield* rotate(owner, made)
      yield* TestClock.setTime(NOON + 12 * HOUR)
      const third = yield* rotate(owner, made)
      yield* TestClock.setTime(NOON + 30 * HOUR)
      yield* received(owner.address)
      const posted = yield* lastRequest
      expect(signaturesOf(posted)).toEqual(bySecrets(posted, third.secret, second.secret))
    }),
  )

  const saves = [
    ["a delivery", (owner: Owner) => received(owner.address)],
    ["a change", (owner: Owner, made: Made) => change(owner, made, { status: "PAUSED" })],
  ] as const
  for (const [how, save] of saves)
    rule(
      `is alone in the store with ${how} after its 24 hours`,
      Effect.gen(function* () {
        const owner = yield* unverified()
        const made = yield* subscribe(owner)
        yield* rotate(owner, made)
        expect((yield* stored(owner, made)).sealedPreviousSecret).not.toBeNull()
        yield* TestClock.setTime(NOON + DAY)
        yield* save(owner, made)
        expect(yield* stored(owner, made)).toMatchObject({
          sealedPreviousSecret: null,
          previousSecretUntil: null,
        })
      }),
    )
})
