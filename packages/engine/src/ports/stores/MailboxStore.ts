/** Mailboxes. */
import type {
  AccountId,
  AlreadyTaken,
  DomainId,
  MailboxCounts,
  MailboxId,
  MailboxRecord,
  MailboxStatus,
  Scope,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** What decides whether a mail for an address is taken in. */
export interface RecipientFacts {
  readonly fullAddress: string
  readonly status: MailboxStatus
  readonly provisioned: boolean
  readonly accountSuspended: boolean
}

export class MailboxStore extends Context.Tag("@mailroom/MailboxStore")<
  MailboxStore,
  {
    /** `AlreadyTaken` when the address is in use. */
    readonly insert: (mailbox: MailboxRecord) => Effect.Effect<void, AlreadyTaken>
    readonly byId: (accountId: AccountId, id: MailboxId) => Effect.Effect<Option.Option<MailboxRecord>>
    /** By full addresses, lower-case and without a tag. Asked at every RCPT, so it reads no more than it needs. */
    readonly recipients: (
      fullAddresses: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<RecipientFacts>>
    /** By full addresses, lower-case and without a tag. Unknown ones are left out. */
    readonly byAddresses: (
      fullAddresses: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<MailboxRecord>>
    /** Oldest first, at most 1,000. */
    readonly list: (accountId: AccountId, scope: Scope) => Effect.Effect<ReadonlyArray<MailboxRecord>>
    readonly counts: (accountId: AccountId) => Effect.Effect<MailboxCounts>
    /** The custom domains of mailboxes that are not paused. */
    readonly domainsInUse: (accountId: AccountId) => Effect.Effect<ReadonlyArray<DomainId>>
    /** How many mailboxes have their address on a custom domain, paused ones included. */
    readonly countOnDomain: (domainId: DomainId) => Effect.Effect<number>
    /** The mailboxes on other claims on the domain of this claim. */
    readonly onOtherClaims: (domain: string, claim: DomainId) => Effect.Effect<ReadonlyArray<MailboxId>>
    /** Reads mailboxes so that nobody else changes them before the transaction ends. Absent ids are left out. */
    readonly lock: (ids: ReadonlyArray<MailboxId>) => Effect.Effect<ReadonlyArray<MailboxRecord>>
    readonly save: (mailbox: MailboxRecord) => Effect.Effect<void>
    /** Saves what receiving mail changes in locked mailboxes: the month's receives, gated messages. */
    readonly saveReceived: (mailboxes: ReadonlyArray<MailboxRecord>) => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: counts the gated messages of its mailboxes anew, after some were
     * unlocked, and returns how many there are in all.
     */
    readonly recountGated: (accountId: AccountId) => Effect.Effect<number>
    /** Removes the mailbox itself; its messages are purged apart (`MessageStore.purge`). */
    readonly remove: (id: MailboxId) => Effect.Effect<void>
  }
>() {}
