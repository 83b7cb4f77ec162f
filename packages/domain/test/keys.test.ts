import { inScope, KEY_PREFIX, KEY_SHOWN_LENGTH, KeyId, MailboxId, viewApiKey } from "@mailroom/domain"
import { describe, expect, it } from "@effect/vitest"
import { accountId, mailboxId, signedUp, uuid } from "./support/records.js"

const key = {
  id: KeyId.make(uuid(6)),
  accountId,
  name: "default",
  prefix: "mr_01234567",
  hash: "only-the-hash",
  mailboxIds: null,
  permissions: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: signedUp,
}

describe("API keys", () => {
  it("decisions.key.format: begin with `mr_`, and 11 characters are shown", () => {
    expect(KEY_PREFIX).toBe("mr_")
    expect(KEY_SHOWN_LENGTH).toBe(11)
  })

  it("resources.key.listing: a list shows prefix and metadata, never the hash", () => {
    expect(viewApiKey(key)).toEqual({
      id: key.id,
      name: "default",
      prefix: "mr_01234567",
      mailboxIds: null,
      scoped: false,
      permissions: ["read", "send", "draft", "manage", "review"],
      enabled: true,
      lastUsedAt: null,
      createdAt: "2026-03-01T09:30:00.000Z",
    })
  })

  it("resources.key.mailboxIds: `mailboxIds` make a key scoped, also when there are none left", () => {
    expect(viewApiKey({ ...key, mailboxIds: [mailboxId] })).toMatchObject({
      scoped: true,
      mailboxIds: [mailboxId],
    })
    expect(viewApiKey({ ...key, mailboxIds: [] }).scoped).toBe(true)
  })

  it("keys.revoke.200: revocation disables the key", () => {
    expect(viewApiKey({ ...key, revokedAt: signedUp }).enabled).toBe(false)
  })

  it("authentication.rule-5-scoped: full access reaches every mailbox, a scope only its own", () => {
    const other = MailboxId.make(uuid(99))
    expect(inScope(null, other)).toBe(true)
    expect(inScope([mailboxId], mailboxId)).toBe(true)
    expect(inScope([mailboxId], other)).toBe(false)
    expect(inScope([], mailboxId)).toBe(false)
  })
})
