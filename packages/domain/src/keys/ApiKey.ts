/** API keys (spec: decisions.key.format). A key is `mr_` and 64 hex digits; only its SHA-256 is stored. */
import { Schema } from "effect"
import { described } from "../described.js"
import { AccountId, KeyId, MailboxId } from "../ids.js"
import { Permission, permissionsOf } from "./permissions.js"
import { Instant, timestamp, Timestamp, timestampOrNull } from "../time.js"

export const KEY_PREFIX = "mr_"
/** The characters of a key that lists show. */
export const KEY_SHOWN_LENGTH = 11

export const ApiKeyRecord = Schema.Struct({
  id: KeyId,
  accountId: AccountId,
  name: Schema.String,
  prefix: Schema.String,
  hash: Schema.String,
  /** null: full access */
  mailboxIds: Schema.NullOr(Schema.Array(MailboxId)),
  /** null: the default of its scope (`defaultPermissions`) */
  permissions: Schema.NullOr(Schema.Array(Permission)),
  revokedAt: Schema.NullOr(Instant),
  lastUsedAt: Schema.NullOr(Instant),
  createdAt: Instant,
})
export type ApiKeyRecord = typeof ApiKeyRecord.Type

export const ApiKey = Schema.Struct({
  id: described(KeyId, "id of the key"),
  name: described(Schema.String, "name of the key"),
  prefix: described(Schema.String, "the first 11 characters of the key"),
  mailboxIds: described(
    Schema.NullOr(Schema.Array(MailboxId)),
    "mailboxes in its scope; null for full access",
  ),
  scoped: described(Schema.Boolean, "whether it is restricted to mailboxes"),
  permissions: described(Schema.Array(Permission), "what it may do"),
  enabled: described(Schema.Boolean, "false after revocation"),
  lastUsedAt: described(
    Schema.NullOr(Timestamp),
    "time of the last use, to the minute; null before the first",
  ),
  createdAt: described(Timestamp, "time of creation"),
}).annotations({ identifier: "ApiKey", description: "An API key, without its value" })
export type ApiKey = typeof ApiKey.Type

export const viewApiKey = (key: ApiKeyRecord): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  mailboxIds: key.mailboxIds,
  scoped: key.mailboxIds !== null,
  permissions: permissionsOf(key),
  enabled: key.revokedAt === null,
  lastUsedAt: timestampOrNull(key.lastUsedAt),
  createdAt: timestamp(key.createdAt),
})

/** The mailboxes that a caller may use; null means all mailboxes of the account. */
export type Scope = ReadonlyArray<MailboxId> | null

export const inScope = (scope: Scope, mailboxId: MailboxId): boolean =>
  scope === null || scope.includes(mailboxId)
