/**
 * Identifiers: UUIDs of version 7, which sort by time (spec: decisions.values.ids). Brands prevent passing a thread's id
 * where a mailbox's is expected.
 */
import { Schema } from "effect"
import type { Instant } from "./time.js"

/** For ids that this service has just made: to check one takes longer than to make it. */
export const MADE_HERE = { disableValidation: true } as const

export const AccountId = Schema.UUID.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Schema.UUID.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

export const MailboxId = Schema.UUID.pipe(Schema.brand("MailboxId"))
export type MailboxId = typeof MailboxId.Type

export const MessageId = Schema.UUID.pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

export const ThreadId = Schema.UUID.pipe(Schema.brand("ThreadId"))
export type ThreadId = typeof ThreadId.Type

export const AttachmentId = Schema.UUID.pipe(Schema.brand("AttachmentId"))
export type AttachmentId = typeof AttachmentId.Type

/** A draft. The message that is made of it gets the same id. */
export const DraftId = Schema.UUID.pipe(Schema.brand("DraftId"))
export type DraftId = typeof DraftId.Type

export const WebhookId = Schema.UUID.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const DeliveryId = Schema.UUID.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const DomainId = Schema.UUID.pipe(Schema.brand("DomainId"))
export type DomainId = typeof DomainId.Type

export const SuppressionId = Schema.UUID.pipe(Schema.brand("SuppressionId"))
export type SuppressionId = typeof SuppressionId.Type

export const ListEntryId = Schema.UUID.pipe(Schema.brand("ListEntryId"))
export type ListEntryId = typeof ListEntryId.Type

/** An accepted mail, envelope and raw bytes, before it becomes messages. */
export const RawMailId = Schema.UUID.pipe(Schema.brand("RawMailId"))
export type RawMailId = typeof RawMailId.Type

/** The lowest id of an instant: every id created since then is equal or greater. */
export const lowestIdAt = (instant: Instant): string => {
  const time = instant.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

export const InvitationId = Schema.UUID.pipe(Schema.brand("InvitationId"))
export type InvitationId = typeof InvitationId.Type

export const AuditEntryId = Schema.UUID.pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type
