/**
 * Accounts, sessions, and tokens of links in mails. A deleted account is not found, although rows of it may be left
 * (`AccountRemovalStore`); its email and slug stay in use as long as its row exists.
 */
import type { AccountId, AccountRecord, AlreadyTaken, Instant } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class AccountStore extends Context.Tag("@mailroom/AccountStore")<
  AccountStore,
  {
    /** `AlreadyTaken` when the email or the slug is in use. */
    readonly insert: (account: AccountRecord) => Effect.Effect<void, AlreadyTaken>
    readonly byId: (id: AccountId) => Effect.Effect<Option.Option<AccountRecord>>
    /** `email` lower-case */
    readonly byEmail: (email: string) => Effect.Effect<Option.Option<AccountRecord>>
    /** `slug` lower-case */
    readonly bySlug: (slug: string) => Effect.Effect<Option.Option<AccountRecord>>
    /** The account with this subscription (`Payments`). */
    readonly byBillingReference: (reference: string) => Effect.Effect<Option.Option<AccountRecord>>
    /** Which of these accounts exist and are not suspended, in no order. `orSuspended`: those that exist. */
    readonly openAmong: (
      ids: ReadonlyArray<AccountId>,
      orSuspended?: boolean,
    ) => Effect.Effect<ReadonlyArray<AccountId>>
    /** The first `limit` accounts by id, after the id `after`; "" for the first. */
    readonly page: (after: string, limit: number) => Effect.Effect<ReadonlyArray<AccountRecord>>
    readonly slugTaken: (slug: string) => Effect.Effect<boolean>
    /** Locks accounts until the transaction ends and returns their current rows. Absent ids are left out. */
    readonly lock: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<AccountRecord>>
    readonly save: (account: AccountRecord) => Effect.Effect<void>
    /**
     * Saves only the fields that receiving mail changes in locked accounts: received and gated messages, storage in
     * use.
     */
    readonly saveReceived: (accounts: ReadonlyArray<AccountRecord>) => Effect.Effect<void>
  }
>() {}

export interface SessionRecord {
  /** SHA-256 of the cookie's value */
  readonly hash: string
  readonly accountId: AccountId
  readonly expiresAt: Instant
}

export class SessionStore extends Context.Tag("@mailroom/SessionStore")<
  SessionStore,
  {
    readonly insert: (session: SessionRecord) => Effect.Effect<void>
    readonly byHash: (hash: string) => Effect.Effect<Option.Option<SessionRecord>>
    /** Which of these hashes are of sessions that have not expired at `now`, in no order. */
    readonly validAmong: (hashes: ReadonlyArray<string>, now: Instant) => Effect.Effect<ReadonlyArray<string>>
    readonly remove: (hash: string) => Effect.Effect<void>
    readonly removeAll: (accountId: AccountId) => Effect.Effect<void>
    /** Removes up to `limit` that expired at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}

/** What a link in a mail is for. */
export type TokenPurpose = "verify-email" | "reset-password"

export interface MailTokenRecord {
  /** SHA-256 of the token in the link */
  readonly hash: string
  readonly accountId: AccountId
  readonly purpose: TokenPurpose
  readonly expiresAt: Instant
}

export class MailTokenStore extends Context.Tag("@mailroom/MailTokenStore")<
  MailTokenStore,
  {
    readonly insert: (token: MailTokenRecord) => Effect.Effect<void>
    /** Expired tokens too: the caller checks `expiresAt`. */
    readonly byHash: (hash: string, purpose: TokenPurpose) => Effect.Effect<Option.Option<MailTokenRecord>>
    /**
     * Removes all tokens of an account for one purpose. True when `hash` was among them: for one of several concurrent
     * calls.
     */
    readonly redeem: (accountId: AccountId, hash: string, purpose: TokenPurpose) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
