import { DeliveryStatus, viewWebhook, WebhookId, type WebhookRecord, WebhookStatus } from "@mailroom/domain"
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
  status: "ACTIVE",
  failureCount: 2,
  lastTriggeredAt: null,
  createdAt: signedUp,
  updatedAt: signedUp,
}

describe("webhooks", () => {
  it("decisions §2: a webhook has exactly the fields decided", () => {
    expect(Object.keys(viewWebhook(webhook)).sort()).toEqual(
      "createdAt events failureCount headers id lastTriggeredAt mailboxId status updatedAt url".split(" "),
    )
  })

  it("decisions §2: header values are masked on reads, names stay", () => {
    const { headers } = viewWebhook(webhook)
    expect(Object.keys(headers ?? {})).toEqual(["Authorization", "X-Key"])
    expect(new Set(Object.values(headers ?? {})).size).toBe(1)
  })

  it("decisions §2: no headers are null", () => {
    expect(viewWebhook({ ...webhook, sealedHeaders: null, headerNames: [] }).headers).toBeNull()
  })

  it("spec, Webhook: the secret is never shown on a read", () => {
    expect(JSON.stringify(viewWebhook(webhook))).not.toContain("sealed")
  })

  it("decisions §2: statuses of webhooks and deliveries", () => {
    expect([...WebhookStatus.literals]).toEqual(["ACTIVE", "PAUSED", "FAILED"])
    expect([...DeliveryStatus.literals]).toEqual(["PENDING", "DELIVERED", "FAILED"])
  })
})
