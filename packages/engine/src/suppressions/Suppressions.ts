/** The suppression list of an account: addresses that it cannot send to (`spec: messages.send.rule-3-suppressed`). */
import {
  byCaller,
  type AuditAction,
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
    /** Adds an address. An address already on the list keeps its reason and time. */
    readonly add: (principal: Principal, email: string) => Effect.Effect<Suppression>
    /** Removes an address from the list. */
    readonly remove: (principal: Principal, id: SuppressionId) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Suppressions,
    Effect.gen(function* () {
      const store = yield* SuppressionStore
      const accounts = yield* AccountStore
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { commit } = yield* UnitOfWork

      const pageOf = (found: ReadonlyArray<SuppressionRecord>, limit: number): SuppressionPage => {
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        return {
          suppressions: shown.map(viewSuppression),
          hasMore: found.length > limit,
          last: last === undefined ? null : { createdAt: last.createdAt, id: last.id },
        }
      }

      const record = (principal: Principal, action: AuditAction, { id, email, reason }: SuppressionRecord) =>
        audit.record({
          ...byCaller(principal),
          action,
          target: id,
          detail: { email, reason },
        })

      return {
        list: Effect.fn("Suppressions.list")(({ account }, { email, before, limit }) =>
          Effect.map(
            email === null
              ? store.page(account.id, before, limit + 1)
              : Effect.map(store.byEmail(account.id, normalizeAddress(email)), Option.toArray),
            (found) => pageOf(found, limit),
          ),
        ),

        add: Effect.fn("Suppressions.add")(function* (principal, email) {
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
              if ((yield* accounts.lock([account.id])).length === 0) return Option.none<SuppressionRecord>()
              yield* store.insert(wanted)
              const found = yield* store.byEmail(account.id, wanted.email)
              if (Option.exists(found, ({ id }) => id === wanted.id))
                yield* record(principal, "suppression.added", wanted)
              return found
            }),
          )
          return viewSuppression(Option.getOrElse(listed, () => wanted))
        }),

        remove: Effect.fn("Suppressions.remove")((principal, id) =>
          commit(
            Effect.gen(function* () {
              const removed = Option.getOrNull(yield* store.remove(principal.account.id, id))
              if (removed === null) return yield* new NotFound({ resource: "suppression" })
              yield* record(principal, "suppression.removed", removed)
            }),
          ),
        ),
      }
    }),
  )
}
