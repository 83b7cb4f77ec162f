/** API keys. Their values are stored as hashes. */
import type { AccountId, AccountRecord, ApiKeyRecord, Instant, KeyId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class ApiKeyStore extends Context.Tag("@mailroom/ApiKeyStore")<
  ApiKeyStore,
  {
    readonly insert: (key: ApiKeyRecord) => Effect.Effect<void>
    /** A key and its account, in one query. Revoked keys too: the caller checks `revokedAt`. */
    readonly byHash: (
      hash: string,
    ) => Effect.Effect<Option.Option<{ readonly key: ApiKeyRecord; readonly account: AccountRecord }>>
    readonly byId: (accountId: AccountId, id: KeyId) => Effect.Effect<Option.Option<ApiKeyRecord>>
    /** Which of these keys, of any account, exist and are not revoked, in no order. */
    readonly activeAmong: (ids: ReadonlyArray<KeyId>) => Effect.Effect<ReadonlyArray<KeyId>>
    /** The active keys, then revoked ones, each newest first; at most 1,000 in all. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ApiKeyRecord>>
    /** The number of keys that are not revoked. */
    readonly countActive: (accountId: AccountId) => Effect.Effect<number>
    /** The number of full-access keys with `manage` that are not revoked. */
    readonly countActiveFull: (accountId: AccountId) => Effect.Effect<number>
    readonly revoke: (id: KeyId, at: Instant) => Effect.Effect<void>
    /** Removes up to `limit` keys that were revoked before `start`, and returns how many. */
    readonly removeRevoked: (start: Instant, limit: number) => Effect.Effect<number>
    /** Sets `lastUsedAt`. */
    readonly touch: (id: KeyId, at: Instant) => Effect.Effect<void>
  }
>() {}
