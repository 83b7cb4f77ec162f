/** Creates, lists and revokes API keys (docs/specification/keys.md). */
import {
  API_KEYS_MAX_PER_ACCOUNT,
  ApiKeyLimitReached,
  byCaller,
  type ApiKey,
  type ApiKeyRecord,
  grantPermissions,
  type InvalidInput,
  inScope,
  type KeyId,
  LastFullKey,
  type MailboxId,
  mayDo,
  type NeededPermissions,
  NotFound,
  type PermissionDenied,
  permissionsOf,
  requirePermission,
  ScopeForbidden,
  type Principal,
  type Unauthenticated,
  viewApiKey,
  type WantedPermissions,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { CredentialWatch } from "../auth/CredentialWatch.js"
import { Ids } from "../ids/Ids.js"
import { Vault } from "../ports/Crypto.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { ApiKeyStore } from "../ports/stores/ApiKeyStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { announce, UnitOfWork } from "../UnitOfWork.js"
import { newApiKey } from "./newApiKey.js"

const manage: NeededPermissions = ["manage"]

export class ApiKeys extends Context.Tag("@mailroom/ApiKeys")<
  ApiKeys,
  {
    /** The active keys of the account, then those that were revoked in the last 400 days, each newest first; at most 1,000. */
    readonly list: (principal: Principal) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * `mailboxIds` null is full access; without `permissions` the key gets the default of its scope. The key's value is
     * returned here and never again. `PermissionDenied`: the new key may do more than its creator. `Unauthenticated`: the creator's
     * credential was revoked since the request began; a thief would keep a request open until then. `ApiKeyLimitReached`: the account
     * has 500 active keys.
     */
    readonly create: (
      principal: Principal,
      wanted: {
        readonly name: string
        readonly mailboxIds: ReadonlyArray<MailboxId> | null
        readonly permissions?: WantedPermissions | undefined
      },
    ) => Effect.Effect<
      { readonly key: string; readonly record: ApiKeyRecord },
      ApiKeyLimitReached | InvalidInput | PermissionDenied | NotFound | Unauthenticated
    >
    /**
     * Revokes a key at once. A second call changes nothing. A key that is scoped or may not manage can only revoke itself. `LastFullKey`: a key
     * cannot revoke the only active full-access key with `manage` of an account in good standing
     * (`spec: decisions.upgrade.last-key-states`).
     */
    readonly revoke: (
      principal: Principal,
      id: KeyId,
    ) => Effect.Effect<void, ScopeForbidden | PermissionDenied | NotFound | LastFullKey>
  }
>() {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const mailboxes = yield* MailboxStore
      const audit = yield* AuditLog
      const credentials = yield* CredentialWatch
      const vault = yield* Vault
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork

      return ApiKeys.of({
        list: ({ account }) => Effect.map(keys.list(account.id), (records) => records.map(viewApiKey)),

        create: Effect.fn("ApiKeys.create")(function* (
          principal,
          { name, mailboxIds, permissions: wanted = null },
        ) {
          const { account } = principal
          const permissions = yield* grantPermissions(principal.permissions, mailboxIds, wanted)
          if (mailboxIds !== null) {
            const known = yield* mailboxes.list(account.id, mailboxIds)
            const scope = known.map((mailbox) => mailbox.id)
            if (!mailboxIds.every((id) => inScope(scope, id)))
              return yield* new NotFound({ resource: "mailbox" })
          }
          const now = yield* Clock.currentTimeMillis
          const made = yield* newApiKey(ids, vault, {
            accountId: account.id,
            name,
            mailboxIds,
            permissions,
            now,
          })
          yield* commit(
            Effect.gen(function* () {
              yield* lockAccount(accounts, account.id)
              yield* credentials.confirm(principal)
              if ((yield* keys.countActive(account.id)) >= API_KEYS_MAX_PER_ACCOUNT)
                return yield* new ApiKeyLimitReached({ limit: API_KEYS_MAX_PER_ACCOUNT })
              yield* keys.insert(made.record)
              yield* audit.record({
                ...byCaller(principal),
                action: "key.created",
                target: made.record.id,
                detail: { name, mailboxIds, permissions: permissionsOf(made.record) },
              })
            }),
          )
          return made
        }),

        revoke: Effect.fn("ApiKeys.revoke")(
          function* (principal, id) {
            const { account, scope, credential, state } = principal
            const isItself = credential.kind === "key" && credential.id === id
            if (scope !== null && !isItself) return yield* new ScopeForbidden()
            if (!isItself) yield* requirePermission(principal, manage)
            const now = yield* Clock.currentTimeMillis
            yield* commit(
              Effect.gen(function* () {
                // Locked, or two keys that revoke each other at the same time would both succeed.
                yield* accounts.lock([account.id])
                const key = yield* Effect.flatten(keys.byId(account.id, id))
                if (key.revokedAt !== null) return
                const healthy = state === "unverified" || state === "trial" || state === "active"
                const manages = key.mailboxIds === null && mayDo(permissionsOf(key), manage)
                const guarded = manages && healthy && credential.kind === "key"
                if (guarded && (yield* keys.countActiveFull(account.id)) <= 1) return yield* new LastFullKey()
                yield* keys.revoke(id, now)
                yield* audit.record({
                  ...byCaller(principal),
                  action: "key.revoked",
                  target: id,
                  detail: { name: key.name },
                })
                yield* announce(`account:${account.id}`)
              }),
            )
          },
          Effect.catchTag("NoSuchElementException", () => new NotFound({ resource: "key" })),
        ),
      })
    }),
  )
}
