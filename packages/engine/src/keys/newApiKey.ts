import {
  type AccountId,
  type ApiKeyRecord,
  type Instant,
  KEY_PREFIX,
  KEY_SHOWN_LENGTH,
  KeyId,
  type MailboxId,
  type Permission,
} from "@mailroom/domain"
import { Effect } from "effect"
import type { Ids } from "../ids/Ids.js"
import type { Vault } from "../ports/Crypto.js"

/** A new API key: its value, which is shown once, and the record to store, which has only its hash. */
export const newApiKey = (
  ids: typeof Ids.Service,
  vault: typeof Vault.Service,
  wanted: {
    readonly accountId: AccountId
    readonly name: string
    readonly mailboxIds: ReadonlyArray<MailboxId> | null
    readonly permissions: ReadonlyArray<Permission> | null
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
        permissions: wanted.permissions,
        revokedAt: null,
        lastUsedAt: null,
        createdAt: wanted.now,
      },
    }
  })
