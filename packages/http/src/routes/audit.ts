/** The audit trail. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { AuditEntryId, queryCursorsByCreation } from "@mailroom/domain"
import { AuditLog, type AuditPage, type AuditQuery } from "@mailroom/engine"
import { Effect } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

const cursorsOf = queryCursorsByCreation(AuditEntryId)

interface Paging {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** A page of the trail. `query`: what its cursor belongs to. */
export const auditPage = <R>(
  query: unknown,
  { cursor, limit }: Paging,
  read: (page: AuditQuery) => Effect.Effect<AuditPage, never, R>,
) =>
  Effect.gen(function* () {
    const cursors = cursorsOf(query)
    const { entries, next } = yield* read({ before: yield* cursors.decode(cursor), limit })
    return { entries, metadata: pageMetadata(cursors, limit, next) }
  })

export const auditRoutes = group(Api, "audit", (handlers) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const { answer } = yield* ErrorResponses

    return handlers.handle("list", ({ urlParams }) =>
      auditPage({ in: "audit" }, urlParams, (page) =>
        Effect.flatMap(CurrentPrincipal, (principal) => audit.list(principal, page)),
      ).pipe(answer),
    )
  }),
)
