import {
  DAY,
  DeliveryStatus,
  MailboxId,
  rotateSecret,
  signingSecrets,
  startOrPause,
  viewWebhook,
  WebhookId,
  webhookInScope,
  type WebhookRecord,
  WebhookStatus,
  withoutExpiredSecret,
} from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { accountId, mailboxId, signedUp, uuid } from "./support/records.js"

const webhook: WebhookRecord = {
  id: WebhookId.make(uuid(8)),
  accountId,
  url: "https://hooks.acme.dev/",
  mailboxId,
  events: ["message.received"],
  sealedHeaders: "sealed-headers",
  headerNames: ["Authorization", "X-Key"],
  sealedSecret: "sealed-secret",
  sealedPreviousSecret: null,
  previousSecretUntil: null,
  status: "ACTIVE",
  failureCount: 2,
  lastTriggeredAt: null,
  createdAt: signedUp,
  updatedAt: signedUp,
}

describe("webhooks", () => {
  it("decisions.webhook.fields: a webhook has exactly the fields decided", () => {
    expect(Object.keys(viewWebhook(webhook)).sort()).toEqual(
      "createdAt events failureCount headers id lastTriggeredAt mailboxId status updatedAt url".split(" "),
    )
  })

  it("decisions.webhook.headers: header values are masked on reads, names stay", () => {
    const { headers } = viewWebhook(webhook)
    expect(Object.keys(headers ?? {})).toEqual(["Authorization", "X-Key"])
    expect(new Set(Object.values(headers ?? {})).size).toBe(1)
  })

  it("decisions.webhook.headers: no headers are null", () => {
    expect(viewWebhook({ ...webhook, sealedHeaders: null, headerNames: [] }).headers).toBeNull()
  })

  it("decisions.webhook.secret: the secret is never shown on a read", () => {
    expect(JSON.stringify(viewWebhook(webhook))).not.toContain("sealed")
  })

  it("statuses of webhooks and deliveries", () => {
    expect([...WebhookStatus.literals]).toEqual(["ACTIVE", "PAUSED", "FAILED"])
    expect([...DeliveryStatus.literals]).toEqual(["PENDING", "DELIVERED", "FAILED"])
  })
})

describe("who sees a webhook", () => {
  const other = MailboxId.make(uuid(9))

  it("decisions.access.webhooks.scoped: with full access, every one", () => {
    expect(webhookInScope(null, { mailboxId })).toBe(true)
    expect(webhookInScope(null, { mailboxId: null })).toBe(true)
  })

  it("decisions.access.webhooks.scoped: a scoped key, those of its mailboxes and none of the whole account", () => {
    expect(webhookInScope([other, mailboxId], { mailboxId })).toBe(true)
    expect(webhookInScope([other], { mailboxId })).toBe(false)
    expect(webhookInScope([other], { mailboxId: null })).toBe(false)
  })
})

describe("starting and pausing", () => {
  for (const status of ["FAILED", "PAUSED"] as const)
    it(`decisions.retry.restart: a ${status} webhook that starts again has no failures`, () => {
      expect(startOrPause({ ...webhook, status, failureCount: 10 }, "ACTIVE")).toMatchObject({
        status: "ACTIVE",
        failureCount: 0,
      })
    })

  it("an ACTIVE webhook that is started stays what it is", () => {
    expect(startOrPause(webhook, "ACTIVE")).toEqual(webhook)
  })

  for (const status of WebhookStatus.literals)
    it(`pausing a webhook that is ${status} forgets no failures`, () => {
      expect(startOrPause({ ...webhook, status }, "PAUSED")).toEqual({ ...webhook, status: "PAUSED" })
    })
})

describe("rotating a secret", () => {
  const rotated = rotateSecret(webhook, "second", signedUp)

  it("decisions 0016: both secrets sign for 24 hours, not a millisecond longer", () => {
    expect(signingSecrets(webhook, signedUp)).toEqual({ current: "sealed-secret", previous: null })
    expect(signingSecrets(rotated, signedUp)).toEqual({ current: "second", previous: "sealed-secret" })
    expect(signingSecrets(rotated, signedUp + DAY - 1).previous).toBe("sealed-secret")
    expect(signingSecrets(rotated, signedUp + DAY).previous).toBeNull()
  })

  it("decisions 0016: twice within 24 hours keeps the last two, each for its own 24 hours", () => {
    const twice = rotateSecret(rotated, "third", signedUp + DAY / 2)
    expect(signingSecrets(twice, signedUp + DAY)).toEqual({ current: "third", previous: "second" })
    expect(JSON.stringify(twice)).not.toContain("sealed-secret")
    expect(signingSecrets(twice, signedUp + 1.5 * DAY).previous).toBeNull()
  })

  it("decisions 0016: an old secret whose time is over is not stored", () => {
    expect(withoutExpiredSecret(rotated, signedUp + DAY - 1)).toEqual(rotated)
    expect(withoutExpiredSecret(rotated, signedUp + DAY)).toEqual({ ...webhook, sealedSecret: "second" })
    expect(withoutExpiredSecret(webhook, signedUp)).toEqual(webhook)
  })
})
