import * as domain from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { accepts, uuid } from "./support/records.js"

const kinds = {
  account: domain.AccountId,
  key: domain.KeyId,
  mailbox: domain.MailboxId,
  message: domain.MessageId,
  thread: domain.ThreadId,
  attachment: domain.AttachmentId,
  webhook: domain.WebhookId,
  delivery: domain.DeliveryId,
  domain: domain.DomainId,
  suppression: domain.SuppressionId,
  "raw mail": domain.RawMailId,
}

describe("ids", () => {
  for (const [kind, id] of Object.entries(kinds))
    it(`decisions.values.ids: the id of a ${kind} is a UUID and nothing else`, () => {
      expect(accepts(id, uuid(7))).toBe(true)
      for (const other of [
        "",
        "7",
        uuid(7).slice(1),
        `${uuid(7)}0`,
        `{${uuid(7)}}`,
        uuid(7).replaceAll("-", ""),
      ])
        expect(accepts(id, other), other).toBe(false)
    })
})
