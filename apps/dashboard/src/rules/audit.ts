/** The audit trail in words. */
import type { AuditActorKind, AuditEntry } from "@mailroom/client"

const actions: Readonly<Record<string, string>> = {
  "key.created": "Key created",
  "key.revoked": "Key revoked",
  "session.created": "Signed in",
  "session.failed": "Sign-in with a wrong password",
  "session.ended": "Signed out",
  "password.changed": "Password changed",
  "account.created": "Account opened",
  "account.suspended": "Account suspended",
  "account.resumed": "Suspension ended",
  "account.deleted": "Account deleted",
  "account.sending_paused": "All sending paused",
  "account.sending_resumed": "Sending resumed",
  "plan.changed": "Plan changed",
  "mailbox.created": "Mailbox created",
  "mailbox.removed": "Mailbox deleted",
  "mailbox.suspended": "Mailbox suspended",
  "mailbox.resumed": "Mailbox suspension ended",
  "mailbox.sending_stopped": "Sending of a mailbox stopped",
  "mailbox.sending_resumed": "Sending of a mailbox resumed",
  "policy.changed": "Mailbox policies changed",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.secret_rotated": "Webhook secret replaced",
  "webhook.removed": "Webhook deleted",
  "domain.added": "Domain added",
  "domain.key_rotated": "Signing key of a domain replaced",
  "domain.removed": "Domain removed",
  "suppression.added": "Address suppressed",
  "suppression.removed": "Address taken off the suppressions",
  "list.entry_added": "List entry added",
  "list.entry_removed": "List entry removed",
  "message.quarantined": "Message put into quarantine",
  "message.released": "Message released from quarantine",
  "claim.taken_back": "Message taken back from a worker",
  "draft.approved": "Send approved",
  "draft.rejected": "Send rejected",
  "thread.taken_over": "Conversation taken over",
  "thread.released": "Conversation given back",
  "invitation.created": "Invitation created",
  "invitation.revoked": "Invitation revoked",
}

/** An action of a later version reads as its name with spaces. */
export const actionText = (action: string): string => {
  const known = actions[action]
  if (known !== undefined) return known
  const words = action.replaceAll(/[._]/g, " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const auditTopics = {
  all: { label: "Everything", prefixes: [] },
  keys: { label: "Keys and sign-ins", prefixes: ["key.", "session.", "password."] },
  sends: {
    label: "Reviews and sending",
    prefixes: ["draft.", "account.sending_", "thread.", "mailbox.sending_"],
  },
  mailboxes: {
    label: "Mailboxes and lists",
    prefixes: ["mailbox.", "policy.", "list.", "suppression.", "message.", "claim."],
  },
  channels: { label: "Webhooks and domains", prefixes: ["webhook.", "domain."] },
  account: { label: "Account and plan", prefixes: ["account.", "plan.", "invitation."] },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly prefixes: ReadonlyArray<string> }>
>

export type AuditTopic = keyof typeof auditTopics

export const isOfTopic = (topic: AuditTopic, action: string): boolean => {
  const prefixes: ReadonlyArray<string> = auditTopics[topic].prefixes
  return topic === "all" || prefixes.some((prefix) => action.startsWith(prefix))
}

export const actorNames: Readonly<Record<AuditActorKind, string>> = {
  key: "An API key",
  session: "You",
  embedded: "A program",
  admin: "The operator",
  system: "The service",
}

/** Who did it; `nameOf` finds the name of a key, undefined when it is not known. */
export const actorText = (
  { kind, id }: AuditEntry["actor"],
  nameOf: (keyId: string) => string | undefined,
): string => {
  const name = id === undefined ? undefined : nameOf(id)
  return kind === "key" && name !== undefined ? `Key “${name}”` : actorNames[kind]
}

/** Names of details that go without saying. */
const selfExplaining = new Set(["name", "domain", "email", "url", "address", "entry", "action"])

const detailNames: Readonly<Record<string, string>> = {
  permissions: "may",
  mailboxIds: "mailboxes",
  digest: "content",
  keyId: "key",
}

const valueText = (value: AuditEntry["detail"][string]): string =>
  Array.isArray(value) ? value.join(", ") : value === null ? "none" : String(value)

const nameText = (name: string): string =>
  detailNames[name] ?? name.replaceAll(/([A-Z])/g, " $1").toLowerCase()

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** More about the entry on one line. The id of what was changed is there only when nothing else tells what it was. */
export const detailText = ({ target, detail }: Pick<AuditEntry, "target" | "detail">): string => {
  const told = Object.entries(detail)
    .filter(([, value]) => value !== null && value !== "")
    .map(([name, value]) =>
      selfExplaining.has(name) ? valueText(value) : `${nameText(name)}: ${valueText(value)}`,
    )
  const isTold = target === null || (told.length > 0 && ID.test(target)) || told.includes(target)
  return [...(isTold ? [] : [target]), ...told].join(" · ")
}
