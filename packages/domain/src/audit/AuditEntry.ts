/** The audit trail of an account: who changed what that matters for its security (spec: keys.audit.entry). */
import { Schema, Struct } from "effect"
import { described } from "../described.js"
import { AccountId, AuditEntryId } from "../ids.js"
import type { Principal } from "../keys/Principal.js"
import { DAY } from "../durations.js"
import { Instant, timestamp, Timestamp } from "../time.js"
import { type AuditActor, AuditActorKind, actorOf, EntryActor } from "./Actor.js"

/** Milliseconds for which an entry is kept (spec: keys.audit.kept). */
export const AUDIT_KEPT_FOR = 400 * DAY
/** Page of the audit trail. */
export const AUDIT_PAGE_MAX = 100
export const AUDIT_PAGE_DEFAULT = 50
/**
 * Wrong passwords for an account that are recorded in an hour, so that a stranger cannot fill the trail (spec:
 * keys.audit.failed)
 */
export const AUDIT_FAILED_SIGN_INS_PER_HOUR = 5

/** Every action that is recorded, with its meaning; docs/specification/keys.md is made from this. */
export const auditActions = {
  "key.created": "an API key was created; `detail` has its name, scope and permissions",
  "key.revoked": "an API key was revoked",
  "session.created": "the owner signed in; `detail.address` is the client",
  "session.failed": "somebody tried a wrong password; at most five entries an hour",
  "session.ended": "the owner signed out",
  "password.changed": "the owner set a new password by a link; all sessions ended",
  "account.created": "the account was opened; `detail.keyId` is its first key",
  "account.suspended": "the operator suspended the account",
  "account.resumed": "the operator ended the suspension",
  "account.deleted": "an account was deleted; only the operator's trail has it, with a signature of its id",
  "plan.changed": "the plan changed; `detail` has the plan before and after",
  "mailbox.created": "a mailbox was created; `detail` has its address and policies",
  "policy.changed": "the policies of a mailbox changed; `detail` has the new values",
  "mailbox.removed": "a mailbox was deleted",
  "mailbox.suspended":
    "the operator suspended a mailbox, or the service did because another account verified its domain; `detail.reason` says why",
  "mailbox.resumed": "the operator ended the suspension of a mailbox",
  "mailbox.sending_stopped":
    "the service stopped the sending of a mailbox; `detail.reason` is BOUNCES or COMPLAINTS",
  "mailbox.sending_resumed": "the owner or the operator let a stopped mailbox send again",
  "webhook.created": "a webhook was created",
  "webhook.changed": "a webhook was changed; `detail.fields` names what",
  "webhook.secret_rotated": "a webhook got a new secret",
  "webhook.removed": "a webhook was deleted",
  "domain.added": "a custom domain was added",
  "domain.key_rotated": "a custom domain got its next DKIM key",
  "domain.removed": "a custom domain was removed",
  "suppression.added": "an address was put on the suppression list by hand",
  "suppression.removed": "an address was taken off the suppression list",
  "list.entry_added":
    "an entry was put on an allow list or a block list; `detail` has the list and the entry",
  "list.entry_removed": "an entry was taken off an allow list or a block list",
  "message.quarantined": "a message was put into quarantine by hand",
  "message.released": "a message was released from quarantine",
  "claim.taken_back":
    "a claimed message was taken back from its worker; `detail.keyId` is the key that held it, null for another worker",
  "thread.taken_over":
    "a person took a thread over: sends of keys into it are refused; `detail.mailboxId` is its mailbox",
  "thread.released": "a thread was released: keys may send into it again; `detail.mailboxId` is its mailbox",
  "draft.approved": "a held send was approved; `detail.digest` is that of the approved content",
  "draft.rejected":
    "a held send was rejected; `detail` has the digest of its content, and the reason or null",
  "account.sending_paused": "all sends of the account were stopped",
  "account.sending_resumed": "the account may send again",
  "platform.key_rotated":
    "the platform domain got its next DKIM key; `target` is its selector; only the operator's trail has it",
  "invitation.created": "the operator created an invitation; only the operator's trail has it",
  "invitation.revoked": "the operator revoked an invitation; only the operator's trail has it",
} as const
export type AuditAction = keyof typeof auditActions

/** Account and actor of an entry about what a caller did to its own account. */
export const byCaller = (principal: Principal): Pick<NewAuditEntry, "accountId" | "actor"> => ({
  accountId: principal.account.id,
  actor: actorOf(principal),
})

/** What an entry says beside action and target. It never has a secret: no key, password, token or header. */
export const AuditDetail = Schema.Record({
  key: Schema.String,
  value: Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null, Schema.Array(Schema.String)),
})
export type AuditDetail = typeof AuditDetail.Type

export const AuditRecord = Schema.Struct({
  id: AuditEntryId,
  /** null: the operator's own trail */
  accountId: Schema.NullOr(AccountId),
  /** an `AuditAction` of this version or of a later one */
  action: Schema.String,
  actorKind: AuditActorKind,
  actorId: Schema.NullOr(Schema.String),
  /** id or name of what was changed; null: the account itself */
  target: Schema.NullOr(Schema.String),
  detail: AuditDetail,
  createdAt: Instant,
})
export type AuditRecord = typeof AuditRecord.Type

/** An entry before it is stored. */
export interface NewAuditEntry {
  /** null: the operator's own trail */
  readonly accountId: AccountId | null
  readonly actor: AuditActor
  readonly action: AuditAction
  /** id or name of what was changed; null: the account itself */
  readonly target: string | null
  readonly detail?: AuditDetail
}

export const AuditEntry = Schema.Struct({
  id: described(AuditEntryId, "id of the entry"),
  action: described(
    Schema.String,
    `what was done: ${Struct.keys(auditActions).join(", ")}; more will follow`,
  ),
  actor: described(EntryActor, "who did it"),
  target: described(
    Schema.NullOr(Schema.String),
    "id or name of what was changed; null for the account itself",
  ),
  detail: described(AuditDetail, "more about it, by action; without secrets"),
  createdAt: described(Timestamp, "time of the action"),
}).annotations({ identifier: "AuditEntry", description: "An entry of the audit trail" })
export type AuditEntry = typeof AuditEntry.Type

export const viewAuditEntry = (entry: AuditRecord): AuditEntry => ({
  id: entry.id,
  action: entry.action,
  actor: { kind: entry.actorKind, ...(entry.actorId !== null && { id: entry.actorId }) },
  target: entry.target,
  detail: entry.detail,
  createdAt: timestamp(entry.createdAt),
})
