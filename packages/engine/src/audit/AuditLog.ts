/** The audit trail: who did what to an account that matters for its security (spec: keys.audit.entry; docs/decisions/0065). */
import {
  type AccountId,
  type AuditEntry,
  AuditEntryId,
  type NewAuditEntry,
  type Principal,
  viewAuditEntry,
} from "@mailroom/domain"
import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../ids/Ids.js"
import { type AuditPosition, AuditStore } from "../ports/stores/AuditStore.js"

export interface AuditQuery {
  /** entries after this position; null: from the newest */
  readonly before: AuditPosition | null
  readonly limit: number
}

export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry>
  /** position of the next page; null on the last */
  readonly next: AuditPosition | null
}

export class AuditLog extends Context.Tag("@mailroom/AuditLog")<
  AuditLog,
  {
    /** Inside `UnitOfWork.commit`, with the change that it records: stored with it or not at all. */
    readonly record: (entry: NewAuditEntry) => Effect.Effect<void>
    /** The trail of the caller's account, newest first, for 400 days. */
    readonly list: (principal: Principal, query: AuditQuery) => Effect.Effect<AuditPage>
    /** For the operator: the trail of an account, or the operator's own (null). */
    readonly listOf: (accountId: AccountId | null, query: AuditQuery) => Effect.Effect<AuditPage>
  }
>() {
  static readonly layer: Layer.Layer<AuditLog, never, AuditStore | Ids> = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const ids = yield* Ids

      const listOf = Effect.fn("AuditLog.list")(function* (
        accountId: AccountId | null,
        { before, limit }: AuditQuery,
      ) {
        const found = yield* store.page(accountId, before, limit + 1)
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const next =
          found.length > limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null
        return { entries: shown.map(viewAuditEntry), next } satisfies AuditPage
      })

      return AuditLog.of({
        record: ({ accountId, actor, action, target, detail = {} }) =>
          Effect.flatMap(Effect.all([ids.uuid, Clock.currentTimeMillis]), ([id, createdAt]) =>
            store.insert({
              id: AuditEntryId.make(id),
              accountId,
              action,
              actorKind: actor.kind,
              actorId: actor.id,
              target,
              detail,
              createdAt,
            }),
          ),
        list: ({ account }, query) => listOf(account.id, query),
        listOf,
      })
    }),
  )
}
