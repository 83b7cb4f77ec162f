/**
 * Drafts of mailboxes (docs/specification/drafts.md). Every change runs in a transaction that has locked the account, except
 * those of leases. A draft of a mailbox that was deleted is not found, though a job removes it later.
 */
import type {
  AccountId,
  DraftId,
  DraftRecord,
  DraftStatus,
  Instant,
  MailboxId,
  Scope,
} from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** A draft that is due, leased to this process. */
export interface DueDraft {
  readonly id: DraftId
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
}

/** Which drafts a list has. */
export interface DraftsWanted {
  readonly accountId: AccountId
  /** null: those of all mailboxes in scope */
  readonly mailboxId: MailboxId | null
  readonly scope: Scope
  /** null: any */
  readonly status: DraftStatus | null
}

/** The position of a draft in a list. */
export interface DraftPosition {
  readonly createdAt: Instant
  readonly id: DraftId
}

export interface DraftPage {
  /** bodies are cut to `LIST_BODY_MAX_LENGTH` */
  readonly drafts: ReadonlyArray<{ readonly draft: DraftRecord; readonly truncated: boolean }>
  readonly hasMore: boolean
}

export class DraftStore extends Context.Tag("@mailroom/DraftStore")<
  DraftStore,
  {
    readonly insert: (draft: DraftRecord) => Effect.Effect<void>
    /** Overwrites the draft with this id, and ends its lease. */
    readonly save: (draft: DraftRecord) => Effect.Effect<void>
    readonly remove: (id: DraftId) => Effect.Effect<void>
    readonly byId: (accountId: AccountId, id: DraftId) => Effect.Effect<Option.Option<DraftRecord>>
    readonly byClientId: (mailboxId: MailboxId, clientId: string) => Effect.Effect<Option.Option<DraftRecord>>
    /** How many drafts the account has. */
    readonly count: (accountId: AccountId) => Effect.Effect<number>
    /** A page, newest first. `after` null: the first. */
    readonly list: (
      wanted: DraftsWanted,
      after: DraftPosition | null,
      limit: number,
    ) => Effect.Effect<DraftPage>
    /** Leases up to `limit` due drafts, the longest due first, none of the accounts in `except`. */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<DueDraft>>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
    /** Leases one draft to this process. */
    readonly lease: (id: DraftId, leaseUntil: Instant) => Effect.Effect<void>
    /**
     * Makes a scheduled draft that is due at `now`, and up to 50 others of its mailbox, due at `until`, and ends their leases. The
     * database reads the contents of the drafts that it changes, so not all at a time.
     */
    readonly deferDue: (
      draft: Pick<DraftRecord, "id" | "mailboxId">,
      now: Instant,
      until: Instant,
    ) => Effect.Effect<void>
    /** Makes the parked drafts of an account due at their `sendAt` again. */
    readonly resume: (accountId: AccountId) => Effect.Effect<void>
  }
>() {}
