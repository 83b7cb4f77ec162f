/** The library of standardwebhooks.com verifies our deliveries, also after a rotation (docs/decisions/0016). */
import { describe } from "@effect/vitest"
import { CreatedWebhook } from "@mailroom/api"
import { DAY } from "@mailroom/domain"
import { Effect, TestClock } from "effect"
import { Webhook } from "standardwebhooks"
import { afterEach, expect, vi } from "vitest"
import { type Owner, signUp } from "./support/accounts.js"
import { ask, read } from "./support/contract.js"
import { receive } from "./support/mail.js"
import { ruleAlone } from "./support/service.js"
import { aWebhook, posted } from "./support/webhooks.js"

afterEach(() => {
  vi.useRealTimers()
})

/** The library compares with its own clock, which is set to the service's. */
const setTime = (instant: number) =>
  Effect.zipRight(
    Effect.sync(() => vi.setSystemTime(instant)),
    TestClock.setTime(instant),
  )

/** The body of the newest delivery, as a receiver with this secret gets it from the library. */
const verified = (secret: string) =>
  Effect.map(posted, (requests) => {
    const last = requests.at(-1)
    const body: unknown = new Webhook(secret).verify(last?.body ?? "", last?.headers ?? {})
    return body
  })

const arrive = (account: Owner, subject: string) => receive(account.address, [{ subject }])

const rotate = Effect.fn(function* ({ key }: Owner, id: string) {
  return read(CreatedWebhook)(yield* ask(`POST /v1/webhooks/${id}/rotate-secret`, { key })).webhook.secret
})

describe("standardwebhooks", () => {
  ruleAlone("verifies a delivery by its secret, and by no other", () =>
    Effect.gen(function* () {
      yield* setTime(DAY)
      const account = yield* signUp()
      const { secret } = yield* aWebhook(account)
      const other = yield* aWebhook(account, { events: ["message.sent"] })
      yield* arrive(account, "Grüße, 世界")
      expect(yield* verified(secret)).toMatchObject({ data: { mailbox_address: account.address } })
      const refused = yield* Effect.exit(verified(other.secret))
      expect(refused._tag).toBe("Failure")
    }),
  )

  ruleAlone("verifies by either secret for 24 hours after a rotation, then by the new one alone", () =>
    Effect.gen(function* () {
      yield* setTime(DAY)
      const account = yield* signUp()
      const { id, secret } = yield* aWebhook(account)
      const next = yield* rotate(account, id)
      yield* setTime(2 * DAY - 1)
      yield* arrive(account, "during")
      for (const either of [secret, next])
        expect(yield* verified(either)).toMatchObject({ data: { subject: "during" } })
      yield* setTime(2 * DAY)
      yield* arrive(account, "after")
      expect(yield* verified(next)).toMatchObject({ data: { subject: "after" } })
      expect((yield* Effect.exit(verified(secret)))._tag).toBe("Failure")
    }),
  )
})
