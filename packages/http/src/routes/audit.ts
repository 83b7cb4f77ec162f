/** The audit trail. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { AuditEntryId } from "@mailroom/domain"
import { AuditLog, type AuditPage } from "@mailroom/engine"
import { Effect } from "effect"
import { cursorsByCreation, pageMetadata } from "../cursor.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

export const auditCursors = cursorsByCreation(AuditEntryId)

export const auditPage = ({ entries, next }: AuditPage, limit: number) => ({
  entries,
  metadata: pageMetadata(auditCursors, limit, next),
})

export const auditRoutes = group(Api, "audit", (handlers) =>
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const { answer } = yield* ErrorResponses

    return handlers.handle("list", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const before = yield* auditCursors.decode(cursor)
        return auditPage(yield* audit.list(yield* CurrentPrincipal, { before, limit }), limit)
      }).pipe(answer),
    )
  }),
)
