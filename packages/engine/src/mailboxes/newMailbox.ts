import {
  type AccountRecord,
  displayNameOf,
  type DomainRecord,
  type Instant,
  type MailboxId,
  type MailboxPolicies,
  type MailboxRecord,
  noCount,
  platformAddress,
} from "@mailroom/domain"

/** A new mailbox: ACTIVE, and not provisioned until its job ran (`spec: service.provisioning-status`). */
export const newMailbox = (wanted: {
  readonly id: MailboxId
  readonly account: Pick<AccountRecord, "id" | "slug">
  readonly localPart: string
  readonly displayName: string | null
  readonly domain: DomainRecord | null
  readonly platformDomain: string
  readonly policies: MailboxPolicies
  readonly now: Instant
}): MailboxRecord => ({
  id: wanted.id,
  accountId: wanted.account.id,
  domainId: wanted.domain?.id ?? null,
  localPart: wanted.localPart,
  fullAddress:
    wanted.domain === null
      ? platformAddress(wanted.localPart, wanted.account.slug, wanted.platformDomain)
      : `${wanted.localPart}@${wanted.domain.domain}`,
  displayName: displayNameOf(wanted.displayName),
  status: "ACTIVE",
  pausedByBilling: false,
  suspendedReason: null,
  provisioned: false,
  sentDay: noCount,
  sentMonth: noCount,
  receivedMonth: noCount,
  sentMinute: noCount,
  overLimitCount: 0,
  sendingStoppedAt: null,
  sendingStopReason: null,
  policies: wanted.policies,
  createdAt: wanted.now,
  updatedAt: wanted.now,
})
