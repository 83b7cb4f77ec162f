/**
 * The suppression list of an account: addresses that none of its mailboxes, or one of them, cannot send to
 * (`spec: messages.send.rule-3-suppressed`).
 */
import {
  byCaller,
  type AuditAction,
  type MailboxId,
  type MailboxSuppressionRecord,
  newestFirst,
  normalizeAddress,
  NotFound,
  type Principal,
  type Suppression,
  SuppressionId,
  type SuppressionRecord,
  viewSuppression,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.js"
import { Ids } from "../ids/Ids.js"
import { AccountStore } from "../ports/stores/AccountStore.js"
import { MailboxStore } from "../ports/stores/MailboxStore.js"
import { MailboxSuppressionStore } from "../ports/stores/MailboxSuppressionStore.js"
import { type SuppressionPosition, SuppressionStore } from "../ports/stores/SuppressionStore.js"
import { UnitOfWork } from "../UnitOfWork.js"

export interface SuppressionQuery {
  /** only this address, in any case; null: all */
  readonly email: string | null
  /** entries after this position; null: from the newest */
  readonly before: SuppressionPosition | null
  readonly limit: number
}

export interface SuppressionPage {
  readonly suppressions: ReadonlyArray<Suppression>
  readonly hasMore: boolean
  /** position of the last entry; null when the page is empty */
  readonly last: SuppressionPosition | null
}

export class Suppressions extends Context.Tag("@mailroom/Suppressions")<
  Suppressions,
  {
    /** Newest first. */
    readonly list: (principal: Principal, query: SuppressionQuery) => Effect.Effect<SuppressionPage>
    /**
     * Adds an address for one mailbox, or for all mailboxes of the account (`mailboxId` null). An address already on that list
     * keeps its reason and time. `NotFound` for a mailbox that the account does not have.
     */
    readonly add: (
      principal: Principal,
      email: string,
      mailboxId: MailboxId | null,
    ) => Effect.Effect<Suppression, NotFound>
    /** Removes an entry from the list. */
    readonly remove: (principal: Principal, id: SuppressionId) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* SuppressionStore
      const ofMailboxes = yield* MailboxSuppressionStore
      const mailboxes = yield* MailboxStore
      const accounts = yield* AccountStore
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork

      type Entry = SuppressionRecord | MailboxSuppressionRecord

      const pageOf = (found: ReadonlyArray<Entry>, limit: number): SuppressionPage => {
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        return {
          suppressions: shown.map(viewSuppression),
          hasMore: found.length > limit,
          last: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
        }
      }

      const record = (principal: Principal, action: AuditAction, entry: Entry) =>
        audit.record({
          ...byCaller(principal),
          action,
          target: entry.id,
          detail: {
            email: entry.email,
            reason: entry.reason,
            ...("mailboxId" in entry && { mailboxId: entry.mailboxId }),
          },
        })

      /** Inside a transaction: adds an entry for the account, and returns the one that is listed then. */
      const listForAccount = (wanted: SuppressionRecord) =>
        Effect.zipRight(store.insert(wanted), store.byEmail(wanted.accountId, wanted.email))

      /** As `listForAccount`, for one mailbox. Mailboxes are deleted under the lock of their account. */
      const listForMailbox = Effect.fnUntraced(function* (wanted: MailboxSuppressionRecord) {
        if (Option.isNone(yield* mailboxes.byId(wanted.accountId, wanted.mailboxId)))
          return yield* new NotFound({ resource: "mailbox" })
        yield* ofMailboxes.insert(wanted)
        return yield* ofMailboxes.byEmail(wanted.mailboxId, wanted.email)
      })

      return {
        // Reads a page of each of the two tables, in the order of the list, and merges them.
        list: Effect.fn("Suppressions.list")(function* ({ account }, { email, before, limit }) {
          const address = email === null ? null : normalizeAddress(email)
          const ofAccount =
            address === null
              ? yield* store.page(account.id, before, limit + 1)
              : Option.toArray(yield* store.byEmail(account.id, address)).filter(
                  (entry) => before === null || newestFirst(before, entry) < 0,
                )
          const ofEachMailbox = yield* ofMailboxes.page(account.id, address, before, limit + 1)
          return pageOf([...ofAccount, ...ofEachMailbox].sort(newestFirst), limit)
        }),

        add: Effect.fn("Suppressions.add")(function* (principal, email, mailboxId) {
          const { account } = principal
          const wanted: SuppressionRecord = {
            id: SuppressionId.make(yield* ids.uuid),
            accountId: account.id,
            email: normalizeAddress(email),
            reason: "MANUAL",
            createdAt: yield* Clock.currentTimeMillis,
          }
          const listed = yield* commit(
            Effect.gen(function* () {
              // The account may have been deleted since authentication.
              if ((yield* accounts.lock([account.id])).length === 0) return Option.none<Entry>()
              const found: Option.Option<Entry> =
                mailboxId === null
                  ? yield* listForAccount(wanted)
                  : yield* listForMailbox({ ...wanted, mailboxId })
              if (Option.isSome(found) && found.value.id === wanted.id)
                yield* record(principal, "suppression.added", found.value)
              return found
            }),
          )
          return viewSuppression(Option.getOrElse(listed, () => wanted))
        }),

        remove: Effect.fn("Suppressions.remove")((principal, id) =>
          commit(
            Effect.gen(function* () {
              const { id: accountId } = principal.account
              const ofAccount: Option.Option<Entry> = yield* store.remove(accountId, id)
              const removed = Option.isSome(ofAccount) ? ofAccount : yield* ofMailboxes.remove(accountId, id)
              if (Option.isNone(removed)) return yield* new NotFound({ resource: "suppression" })
              yield* record(principal, "suppression.removed", removed.value)
            }),
          ),
        ),
      }
    }),
  )
}
