/** Reads and changes allow and block lists (docs/specification/senders.md). */
import {
  type AuditAction,
  byCaller,
  inScope,
  LIST_ENTRIES_MAX,
  type ListDirection,
  type ListEntry,
  ListEntryId,
  type ListEntryRecord,
  type ListKind,
  ListLimitReached,
  type MailboxId,
  NotFound,
  type Principal,
  viewListEntry,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { lockAccount } from "../accounts/lockAccount.js"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { Mailboxes } from "../mailboxes/Mailboxes.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { AddressListStore, type ListName, type ListPosition } from "../ports/stores/AddressListStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

/** A list of the account (`mailboxId` null) or of one of its mailboxes. */
export interface WantedList {
  readonly mailboxId: MailboxId | null
  readonly direction: ListDirection
  readonly kind: ListKind
}

export interface ListPage {
  readonly entries: ReadonlyArray<ListEntry>
  /** position of the next page; null on the last */
  readonly next: ListPosition | null
}

export class AddressLists extends Context.Tag("@mailroom/AddressLists")<
  AddressLists,
  {
    /** Newest first. `NotFound` for a list of a mailbox that does not exist, here and below. */
    readonly page: (
      principal: Principal,
      list: WantedList,
      query: { readonly before: ListPosition | null; readonly limit: number },
    ) => Effect.Effect<ListPage, NotFound>
    /**
     * Adds an entry, which is normalized (`ListEntryText`). An entry that the list has already keeps its reason and time.
     * `ListLimitReached` when the lists of the account have `LIST_ENTRIES_MAX` entries.
     */
    readonly add: (
      principal: Principal,
      list: WantedList,
      wanted: Pick<ListEntryRecord, "entry" | "reason">,
    ) => Effect.Effect<ListEntry, NotFound | ListLimitReached>
    /** `NotFound` for an entry that is not on this list, too. */
    readonly remove: (
      principal: Principal,
      list: WantedList,
      id: ListEntryId,
    ) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    AddressLists,
    Effect.gen(function* () {
      const store = yield* AddressListStore
      const accounts = yield* AccountStore
      const audit = yield* AuditLog
      const mailboxes = yield* Mailboxes
      const mailboxStore = yield* MailboxStore
      const ids = yield* Ids
      const { commit } = yield* UnitOfWork

      const nameOf = ({ account }: Principal, { mailboxId, direction, kind }: WantedList): ListName => ({
        ownerId: mailboxId ?? account.id,
        direction,
        kind,
      })

      const requireMailbox = (principal: Principal, { mailboxId }: WantedList) =>
        mailboxId === null ? Effect.void : mailboxes.require(principal, mailboxId)

      /** Locks the account. The mailbox may have been removed since it was read. */
      const lock = Effect.fnUntraced(function* ({ account, scope }: Principal, { mailboxId }: WantedList) {
        const locked = yield* lockAccount(accounts, account.id)
        if (mailboxId !== null) {
          const mailbox = yield* mailboxStore.byId(account.id, mailboxId)
          if (Option.isNone(mailbox) || !inScope(scope, mailboxId))
            return yield* new NotFound({ resource: "mailbox" })
        }
        return locked
      })

      const record = (
        principal: Principal,
        action: AuditAction,
        { ownerId, direction, kind, entry }: ListEntryRecord,
      ) =>
        audit.record({
          ...byCaller(principal),
          action,
          target: ownerId === principal.account.id ? null : ownerId,
          detail: { list: `${direction}/${kind}`, entry },
        })

      return AddressLists.of({
        page: Effect.fn("AddressLists.page")(function* (principal, list, { before, limit }) {
          yield* requireMailbox(principal, list)
          const found = yield* store.page(nameOf(principal, list), before, limit + 1)
          const shown = found.slice(0, limit)
          const last = found.length > limit ? shown.at(-1) : undefined
          return {
            entries: shown.map(viewListEntry),
            next: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
          }
        }),

        add: Effect.fn("AddressLists.add")(function* (principal, list, { entry, reason }) {
          yield* requireMailbox(principal, list)
          const name = nameOf(principal, list)
          const added: ListEntryRecord = {
            id: ListEntryId.make(yield* ids.uuid),
            accountId: principal.account.id,
            ...name,
            entry,
            reason,
            createdAt: yield* Clock.currentTimeMillis,
          }
          return yield* commit(
            Effect.gen(function* () {
              const account = yield* lock(principal, list)
              const listed = yield* store.byEntry(name, entry)
              if (Option.isSome(listed)) return viewListEntry(listed.value)
              if (account.listEntryCount >= LIST_ENTRIES_MAX)
                return yield* new ListLimitReached({ limit: LIST_ENTRIES_MAX })
              yield* store.insert(added)
              yield* accounts.save({ ...account, listEntryCount: account.listEntryCount + 1 })
              yield* record(principal, "list.entry_added", added)
              return viewListEntry(added)
            }),
          )
        }),

        remove: Effect.fn("AddressLists.remove")(function* (principal, list, id) {
          yield* requireMailbox(principal, list)
          yield* commit(
            Effect.gen(function* () {
              const account = yield* lock(principal, list)
              const removed = yield* store.remove(nameOf(principal, list), id)
              if (Option.isNone(removed)) return yield* new NotFound({ resource: "list entry" })
              yield* accounts.save({
                ...account,
                listEntryCount: Math.max(0, account.listEntryCount - 1),
              })
              yield* record(principal, "list.entry_removed", removed.value)
            }),
          )
        }),
      })
    }),
  )
}
