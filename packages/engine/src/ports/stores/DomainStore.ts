/** Custom domains. Several accounts can claim one name, but only one claim can be VERIFIED. */
import type { AccountId, AlreadyTaken, DomainId, DomainRecord, Instant } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class DomainStore extends Context.Tag("@mailroom/DomainStore")<
  DomainStore,
  {
    /** `AlreadyTaken` when the account has a claim on that name. */
    readonly insert: (domain: DomainRecord) => Effect.Effect<void, AlreadyTaken>
    readonly byId: (accountId: AccountId, id: DomainId) => Effect.Effect<Option.Option<DomainRecord>>
    /** Oldest first, at most 1,000. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<DomainRecord>>
    readonly count: (accountId: AccountId) => Effect.Effect<number>
    /** Whether the account has a claim on the name, or any account has it VERIFIED. */
    readonly isTaken: (accountId: AccountId, name: string) => Effect.Effect<boolean>
    /** The account that has this lower-case name VERIFIED. */
    readonly ownerOf: (name: string) => Effect.Effect<Option.Option<AccountId>>
    /** Which of these lower-case names any account has VERIFIED. */
    readonly verifiedAmong: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** The sealed key of one domain of any account; none when there is no domain. */
    readonly anySealedKey: Effect.Effect<Option.Option<string>>
    /**
     * `AlreadyTaken` when it is VERIFIED and another claim on its name is too, also when both are saved concurrently. The
     * surrounding transaction can continue after that.
     */
    readonly save: (domain: DomainRecord) => Effect.Effect<void, AlreadyTaken>
    readonly remove: (id: DomainId) => Effect.Effect<void>
    /**
     * Leases up to `limit` domains whose next check is due, most overdue first, except those of the accounts `except`.
     * There is no release: save a later `nextCheckAt`, or the domain is claimed again after the lease.
     */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<DomainRecord>>
    /** Frees what this process leased until exactly `leaseUntil`, for a claim whose reply was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
  }
>() {}
