/**
 * Accounts, and what proves who speaks for one: sessions, tokens from mails. A deleted account is not found, whatever
 * is left of it (`AccountRemovalStore`), though its email and slug are in use as long as its row is there.
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
    /** The account that pays under this reference of the payment provider's. */
    readonly byBillingReference: (reference: string) => Effect.Effect<Option.Option<AccountRecord>>
    /** Which of these accounts are there and not suspended, in no order. */
    readonly openAmong: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<AccountId>>
    readonly slugTaken: (slug: string) => Effect.Effect<boolean>
    /** Reads accounts so that nobody else changes them before the transaction ends. Absent ids are left out. */
    readonly lock: (ids: ReadonlyArray<AccountId>) => Effect.Effect<ReadonlyArray<AccountRecord>>
    readonly save: (account: AccountRecord) => Effect.Effect<void>
    /** Saves what receiving mail changes in locked accounts: counters of receives and gates, storage in use. */
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

/** What a link in a mail lets its reader do. */
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
    /** Whatever its age; the caller looks at `expiresAt`. */
    readonly byHash: (hash: string, purpose: TokenPurpose) => Effect.Effect<Option.Option<MailTokenRecord>>
    /** Removes an account's tokens of one purpose. True when `hash` was among them: for one call alone. */
    readonly redeem: (accountId: AccountId, hash: string, purpose: TokenPurpose) => Effect.Effect<boolean>
    /** Removes up to `limit` that expired at `now` or before, and returns how many. */
    readonly removeExpired: (now: Instant, limit: number) => Effect.Effect<number>
  }
>() {}
