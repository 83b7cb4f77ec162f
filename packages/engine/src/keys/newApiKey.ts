/** A fresh API key: its value, seen once, and the record that can tell it again. */
import {
  type AccountId,
  type ApiKeyRecord,
  type Instant,
  KEY_PREFIX,
  KEY_SHOWN_LENGTH,
  KeyId,
  type MailboxId,
} from "@mailroom/domain"
import { Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import type { Vault } from "../ports/Crypto.js"

export const newApiKey = (
  ids: typeof Ids.Service,
  vault: typeof Vault.Service,
  wanted: {
    readonly accountId: AccountId
    readonly name: string
    readonly mailboxIds: ReadonlyArray<MailboxId> | null
    readonly now: Instant
  },
): Effect.Effect<{ readonly key: string; readonly record: ApiKeyRecord }> =>
  Effect.zipWith(ids.uuid, ids.secret(32), (id, secret) => {
    const key = `${KEY_PREFIX}${secret}`
    return {
      key,
      record: {
        id: KeyId.make(id),
        accountId: wanted.accountId,
        name: wanted.name,
        prefix: key.slice(0, KEY_SHOWN_LENGTH),
        hash: vault.digest(key),
        mailboxIds: wanted.mailboxIds,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: wanted.now,
      },
    }
  })
