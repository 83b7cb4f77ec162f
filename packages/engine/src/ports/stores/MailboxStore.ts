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
  Screening,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** The fields that decide whether mail for an address is accepted. */
export interface RecipientFacts {
  readonly fullAddress: string
  readonly status: MailboxStatus
  readonly provisioned: boolean
  readonly accountSuspended: boolean
  /** null: the mailbox refuses no senders */
  readonly screening: Screening | null
}

export class MailboxStore extends Context.Tag("@mailroom/MailboxStore")<
  MailboxStore,
  {
    /** `AlreadyTaken` when the address is in use. */
    readonly insert: (mailbox: MailboxRecord) => Effect.Effect<void, AlreadyTaken>
    readonly byId: (accountId: AccountId, id: MailboxId) => Effect.Effect<Option.Option<MailboxRecord>>
    /**
     * By full addresses, lower-case and without a tag. Runs at every RCPT TO, so it reads only these fields. Unknown
     * ones are left out.
     */
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
    /** The number of mailboxes on a custom domain, paused ones included. */
    readonly countOnDomain: (domainId: DomainId) => Effect.Effect<number>
    /** The mailboxes of other claims on the name `domain` than `claim`. */
    readonly onOtherClaims: (domain: string, claim: DomainId) => Effect.Effect<ReadonlyArray<MailboxId>>
    /** Locks mailboxes until the transaction ends and returns their current rows. Absent ids are left out. */
    readonly lock: (ids: ReadonlyArray<MailboxId>) => Effect.Effect<ReadonlyArray<MailboxRecord>>
    readonly save: (mailbox: MailboxRecord) => Effect.Effect<void>
    /** Saves only the fields that receiving mail changes in locked mailboxes: the month's received and gated messages. */
    readonly saveReceived: (mailboxes: ReadonlyArray<MailboxRecord>) => Effect.Effect<void>
    /**
     * Inside a transaction, on a locked account: recounts the gated messages of its mailboxes after some were unlocked, and
     * returns their total.
     */
    readonly recountGated: (accountId: AccountId) => Effect.Effect<number>
    /** Removes the mailbox row. `MessageStore.purge` removes its messages. */
    readonly remove: (id: MailboxId) => Effect.Effect<void>
  }
>() {}
