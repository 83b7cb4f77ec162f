/** Custom domains: claims of accounts, of which one can be VERIFIED for each name. */
import type { AccountId, AlreadyTaken, DomainId, DomainRecord, Instant } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

export class DomainStore extends Context.Tag("@mailroom/DomainStore")<
  DomainStore,
  {
    /** `AlreadyTaken` when the account has claimed that name already. */
    readonly insert: (domain: DomainRecord) => Effect.Effect<void, AlreadyTaken>
    readonly byId: (accountId: AccountId, id: DomainId) => Effect.Effect<Option.Option<DomainRecord>>
    /** Oldest first, at most 1,000. */
    readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<DomainRecord>>
    readonly count: (accountId: AccountId) => Effect.Effect<number>
    /** Whether the account has claimed the name already, or anybody has it VERIFIED. */
    readonly isTaken: (accountId: AccountId, name: string) => Effect.Effect<boolean>
    /** The account that has this lower-case name VERIFIED. */
    readonly ownerOf: (name: string) => Effect.Effect<Option.Option<AccountId>>
    /** Which of these lower-case names somebody has VERIFIED. */
    readonly verifiedAmong: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /**
     * `AlreadyTaken` when it is VERIFIED and another claim on its name is, however close together the two come. The
     * transaction around it goes on.
     */
    readonly save: (domain: DomainRecord) => Effect.Effect<void, AlreadyTaken>
    readonly remove: (id: DomainId) => Effect.Effect<void>
    /**
     * Leases up to `limit` domains whose next check is due, most overdue first, but none of the accounts `except`. A
     * lease ends by itself: saving a later `nextCheckAt` is what keeps a domain from being claimed again.
     */
    readonly claim: (
      limit: number,
      now: Instant,
      leaseUntil: Instant,
      except: ReadonlyArray<AccountId>,
    ) => Effect.Effect<ReadonlyArray<DomainRecord>>
    /** Frees what a claim of this process leased until exactly `leaseUntil`, when its answer was lost. */
    readonly abandonClaim: (leaseUntil: Instant) => Effect.Effect<void>
  }
>() {}
