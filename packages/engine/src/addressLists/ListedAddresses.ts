/** Looks up addresses in the allow and block lists of accounts and mailboxes (docs/decisions/0064). */
import {
  type AccountId,
  type AccountRecord,
  entriesFor,
  type ListDirection,
  type ListedEntry,
  listVerdict,
  type MailboxId,
  RecipientBlocked,
} from "@mailroom/domain"
import { Context, Effect, Layer } from "effect"
import { AddressListStore } from "../ports/stores/AddressListStore.js"

/** Addresses to look up in the lists of a mailbox and its account. */
export interface ListQuestion {
  /** of the account; 0: it has no lists, and nothing is looked up */
  readonly listEntryCount: number
  readonly accountId: AccountId
  readonly mailboxId: MailboxId
  readonly addresses: ReadonlyArray<string>
}

/** The entries that match one of the addresses of a mailbox. */
export type EntriesOf = (mailbox: Pick<ListQuestion, "accountId" | "mailboxId">) => ReadonlyArray<ListedEntry>

const noEntries: EntriesOf = () => []

export class ListedAddresses extends Context.Tag("@mailroom/ListedAddresses")<
  ListedAddresses,
  {
    /** Looks up all addresses with one statement; runs none when no account has lists. */
    readonly entries: (
      direction: ListDirection,
      questions: ReadonlyArray<ListQuestion>,
    ) => Effect.Effect<EntriesOf>
    /** Fails for the first recipient that the send lists of the mailbox and its account block. */
    readonly admitRecipients: (
      account: Pick<AccountRecord, "id" | "listEntryCount">,
      mailboxId: MailboxId,
      recipients: ReadonlyArray<string>,
    ) => Effect.Effect<void, RecipientBlocked>
  }
>() {
  static readonly layer = Layer.effect(
    ListedAddresses,
    Effect.gen(function* () {
      const store = yield* AddressListStore

      const entries = Effect.fnUntraced(function* (
        direction: ListDirection,
        questions: ReadonlyArray<ListQuestion>,
      ) {
        const probes = questions
          .filter(({ listEntryCount }) => listEntryCount > 0)
          .flatMap(({ accountId, mailboxId, addresses }) =>
            addresses
              .flatMap(entriesFor)
              .flatMap((entry) => [accountId, mailboxId].map((ownerId) => ({ ownerId, entry }))),
          )
        if (probes.length === 0) return noEntries
        const unique = [
          ...new Map(probes.map((probe) => [`${probe.ownerId} ${probe.entry}`, probe])).values(),
        ]
        const found = yield* store.among(direction, unique)
        const entriesOf: EntriesOf = ({ accountId, mailboxId }) =>
          found.flatMap(({ ownerId, entry, kind }): ReadonlyArray<ListedEntry> => {
            if (ownerId === mailboxId) return [{ owner: "mailbox", kind, entry }]
            return ownerId === accountId ? [{ owner: "account", kind, entry }] : []
          })
        return entriesOf
      })

      return {
        entries,
        admitRecipients: Effect.fnUntraced(function* (account, mailboxId, recipients) {
          const { id: accountId, listEntryCount } = account
          const of = yield* entries("send", [{ accountId, mailboxId, listEntryCount, addresses: recipients }])
          const listed = of({ accountId, mailboxId })
          const address = recipients.find((recipient) => listVerdict(listed, recipient) === "block")
          if (address !== undefined) return yield* new RecipientBlocked({ address })
        }),
      }
    }),
  )
}
