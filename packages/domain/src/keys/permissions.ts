/** What a key may do (spec: keys.permissions.default). A session and the program that embeds the engine may do everything. */
import { Array, Either, Schema } from "effect"
import { InvalidInput, PermissionDenied } from "../errors.js"
import type { Scope } from "./ApiKey.js"

/** In the order in which responses list them. */
export const Permission = Schema.Literal("read", "send", "draft", "manage", "review").annotations({
  identifier: "Permission",
  description:
    "`read`: mail, events and webhooks; `send`: mail; `draft`: write drafts; `manage`: the account, its mailboxes, keys, domains and billing; `review`: approve and reject drafts",
})
export type Permission = typeof Permission.Type

export const allPermissions: ReadonlyArray<Permission> = Permission.literals

/** Named sets of permissions. */
export const PermissionPreset = Schema.Literal("readOnly", "draftOnly").annotations({
  identifier: "PermissionPreset",
  description: "`readOnly` is `read`; `draftOnly` is `read` and `draft`",
})
export type PermissionPreset = typeof PermissionPreset.Type

const presets: { readonly [P in PermissionPreset]: ReadonlyArray<Permission> } = {
  readOnly: ["read"],
  draftOnly: ["read", "draft"],
}

/** The permissions of a new key: a list, or the name of a preset. */
export const WantedPermissions = Schema.Union(
  Schema.Array(Permission).pipe(Schema.minItems(1), Schema.maxItems(allPermissions.length)),
  PermissionPreset,
).annotations({
  message: () => ({
    message: `must be a list of ${allPermissions.join(", ")}, or one of ${PermissionPreset.literals.join(", ")}`,
    override: true,
  }),
})
export type WantedPermissions = typeof WantedPermissions.Type

/** An action needs one of these permissions, and none when the list is empty. */
export type NeededPermissions = ReadonlyArray<Permission>

/** Whether a caller with these permissions may do an action. */
export const mayDo = (permissions: ReadonlyArray<Permission>, needed: NeededPermissions): boolean =>
  needed.length === 0 || needed.some((permission) => permissions.includes(permission))

/** `PermissionDenied` unless the caller has one of the needed permissions. */
export const requirePermission = (
  { permissions }: { readonly permissions: ReadonlyArray<Permission> },
  needed: NeededPermissions,
): Either.Either<void, PermissionDenied> =>
  mayDo(permissions, needed) ? Either.void : Either.left(new PermissionDenied({ required: needed }))

/** The permissions of a key that was created without a list of them, such as every key of an earlier version. */
export const defaultPermissions = (scope: Scope): ReadonlyArray<Permission> =>
  scope === null ? allPermissions : ["read", "send", "draft"]

/** The permissions of a stored key. */
export const permissionsOf = (key: {
  readonly mailboxIds: Scope
  readonly permissions: ReadonlyArray<Permission> | null
}): ReadonlyArray<Permission> => key.permissions ?? defaultPermissions(key.mailboxIds)

/** The wanted permissions in their order, each once. */
const listed = (wanted: WantedPermissions): ReadonlyArray<Permission> => {
  const named: ReadonlyArray<Permission> = typeof wanted === "string" ? presets[wanted] : wanted
  return allPermissions.filter((permission) => named.includes(permission))
}

/**
 * The permissions of a new key, as they are stored: null when none are wanted, which stands for the default. Fails for a
 * scoped key with `review`, because a key that is limited to a mailbox must not approve that mailbox's mail, and for a key
 * that may do more than its creator.
 */
export const grantPermissions = (
  creator: ReadonlyArray<Permission>,
  scope: Scope,
  wanted: WantedPermissions | null,
): Either.Either<ReadonlyArray<Permission> | null, InvalidInput | PermissionDenied> => {
  const permissions = wanted === null ? null : listed(wanted)
  if (scope !== null && permissions?.includes("review") === true)
    return Either.left(
      new InvalidInput({
        issues: [{ path: "permissions", message: "a key restricted to mailboxes cannot have review" }],
      }),
    )
  const lacking = Array.difference(permissions ?? defaultPermissions(scope), creator)
  return lacking.length === 0
    ? Either.right(permissions)
    : Either.left(new PermissionDenied({ required: lacking }))
}
