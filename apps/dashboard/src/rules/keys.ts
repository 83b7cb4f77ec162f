/** API keys in words, and what a new key may do. */
import type { ApiKey, Permission } from "@mailroom/client"

interface PermissionWords {
  readonly permission: Permission
  readonly label: string
  readonly hint: string
}

/** Every permission, from the least to the most. */
export const permissions: ReadonlyArray<PermissionWords> = [
  { permission: "read", label: "Read mail", hint: "Messages, files, events and webhooks" },
  { permission: "draft", label: "Write drafts", hint: "Drafts leave only when you approve them" },
  { permission: "send", label: "Send mail", hint: "Sends, answers and forwards, within the mailbox's rules" },
  { permission: "manage", label: "Manage", hint: "Mailboxes, keys, domains and billing" },
  {
    permission: "review",
    label: "Approve sends",
    hint: "Decides held sends. Give it to no agent whose mail you review",
  },
]

/** What most keys are for. `custom` is any other choice of permissions. */
export const keyPurposes = {
  agent: {
    label: "An agent",
    hint: "Reads mail, writes drafts and sends",
    permissions: ["read", "draft", "send"],
  },
  drafts: {
    label: "An agent that drafts",
    hint: "Reads mail and writes drafts; you send them",
    permissions: ["read", "draft"],
  },
  reader: { label: "A reader", hint: "Reads mail and changes nothing", permissions: ["read"] },
  full: {
    label: "Full access",
    hint: "Everything you can do, also creating keys and approving sends",
    permissions: ["read", "draft", "send", "manage", "review"],
  },
  custom: { label: "Choose yourself", hint: "Each permission by itself", permissions: [] },
} as const satisfies Readonly<
  Record<
    string,
    { readonly label: string; readonly hint: string; readonly permissions: ReadonlyArray<Permission> }
  >
>

export type KeyPurpose = keyof typeof keyPurposes

export const permissionsOf = (
  purpose: KeyPurpose,
  chosen: ReadonlySet<Permission>,
): ReadonlyArray<Permission> =>
  purpose === "custom"
    ? permissions.map(({ permission }) => permission).filter((permission) => chosen.has(permission))
    : keyPurposes[purpose].permissions

/** What a key may do, in a few words. */
export const abilityText = (held: ReadonlyArray<Permission>): string => {
  if (permissions.every(({ permission }) => held.includes(permission))) return "Everything"
  const labels = permissions.filter(({ permission }) => held.includes(permission)).map(({ label }) => label)
  const [first = "Nothing", ...rest] = labels
  return [first, ...rest.map((label) => label.charAt(0).toLowerCase() + label.slice(1))].join(", ")
}

/** Which mailboxes a key reaches; `addressOf` finds the address of a mailbox, undefined when it was deleted. */
export const scopeText = (
  { mailboxIds }: Pick<ApiKey, "mailboxIds">,
  addressOf: (id: string) => string | undefined,
): string => {
  if (mailboxIds === null) return "All mailboxes"
  const [only] = mailboxIds
  if (mailboxIds.length === 1 && only !== undefined) return addressOf(only) ?? "A deleted mailbox"
  return `${mailboxIds.length} mailboxes`
}

/**
 * Whether revoking the key may lock programs out: no other active key has full access. The owner can always make a new key with
 * the session.
 */
export const isLastFullKey = (keys: ReadonlyArray<ApiKey>, key: ApiKey): boolean =>
  key.enabled && !key.scoped && !keys.some((other) => other.id !== key.id && other.enabled && !other.scoped)
