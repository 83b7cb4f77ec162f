/** The addresses that each mailbox has exchanged mail with (docs/decisions/0067). */
import type { AccountId, Correspondent, MailboxId } from "@mailroom/domain"
import { Context, type Effect, type Option } from "effect"

/** An address to look up in a mailbox. */
export interface CorrespondentProbe {
  readonly mailboxId: MailboxId
  /** normalized (`correspondentAddress`) */
  readonly address: string
  /** skeletons of domains that the address's domain looks like (`skeletonsOfAuthor`) */
  readonly skeletons: ReadonlyArray<string>
}

/** A domain that a mailbox wrote to. */
export interface WrittenDomain {
  readonly mailboxId: MailboxId
  readonly domain: string
}

export interface FoundCorrespondents {
  /** the correspondents that were looked up, in no order */
  readonly correspondents: ReadonlyArray<Correspondent>
  /** domains that the mailboxes wrote to and that have one of the skeletons; the domain of the address may be among them */
  readonly similarDomains: ReadonlyArray<WrittenDomain>
}

export class CorrespondentStore extends Context.Tag("@mailroom/CorrespondentStore")<
  CorrespondentStore,
  {
    readonly find: (probes: ReadonlyArray<CorrespondentProbe>) => Effect.Effect<FoundCorrespondents>
    /**
     * Inside a transaction that has locked the account: stores these, and of each time the earlier one when the address is
     * known already.
     */
    readonly remember: (correspondents: ReadonlyArray<Correspondent>) => Effect.Effect<void>
    /**
     * A mailbox, of an account that is not deleted, whose mail of earlier versions has not been read for correspondents; none
     * when all has.
     */
    readonly unread: Effect.Effect<
      Option.Option<{ readonly accountId: AccountId; readonly mailboxId: MailboxId }>
    >
    /**
     * Inside a transaction that has locked the account: remembers the correspondents of the next `limit` messages of such a
     * mailbox, oldest first. True when no message is left.
     */
    readonly readSome: (mailboxId: MailboxId, limit: number) => Effect.Effect<boolean>
  }
>() {}
