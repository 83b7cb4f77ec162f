/** What decides whether a mailbox accepts mail, in the rows of a statement that joins mailboxes with their accounts. */
import { AccountId, MailboxId, MailboxStatus } from "@mailroom/domain"
import type { RecipientFacts } from "@mailroom/engine"
import { Schema } from "effect"
import { Flag } from "../database/columns.js"
import { StoredPolicies } from "./storedPolicies.js"

/** The SELECT list of `RecipientRow`, for `mailboxes AS m` and `accounts AS a`. */
export const RECIPIENT = `m.id AS "mailboxId", m.account_id AS "accountId", m.full_address AS "fullAddress", m.status,
  m.provisioned, m.policies, CASE WHEN a.suspended_at IS NULL THEN 0 ELSE 1 END AS "accountSuspended",
  a.list_entry_count AS "listEntryCount",
  CASE WHEN a.email_verified_at IS NULL THEN NULL ELSE a.email END AS "ownerEmail"`

export const RecipientRow = Schema.Struct({
  mailboxId: MailboxId,
  accountId: AccountId,
  fullAddress: Schema.String,
  status: MailboxStatus,
  provisioned: Flag,
  policies: StoredPolicies,
  accountSuspended: Flag,
  listEntryCount: Schema.Int,
  ownerEmail: Schema.NullOr(Schema.String),
})

export const recipientFacts = ({
  fullAddress,
  status,
  provisioned,
  accountSuspended,
  policies: { onBlocked, receivePolicy },
  ...screening
}: typeof RecipientRow.Type): RecipientFacts => ({
  fullAddress,
  status,
  provisioned,
  accountSuspended,
  screening: onBlocked === "refuse" ? { ...screening, receivePolicy } : null,
})
