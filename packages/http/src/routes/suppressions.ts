/** The suppression list. */
import { Api, CurrentPrincipal } from "@mailroom/api"
import { queryCursorsByCreation, SuppressionId } from "@mailroom/domain"
import { Suppressions } from "@mailroom/engine"
import { Effect } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

const cursorsOf = queryCursorsByCreation(SuppressionId)

export const suppressionRoutes = group(Api, "suppressions", (handlers) =>
  Effect.gen(function* () {
    const suppressions = yield* Suppressions
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("list", ({ urlParams: { cursor, email, limit } }) =>
        Effect.gen(function* () {
          const cursors = cursorsOf({ in: "suppressions", email })
          const before = yield* cursors.decode(cursor)
          const page = yield* suppressions.list(yield* CurrentPrincipal, {
            email: email ?? null,
            before,
            limit,
          })
          return {
            suppressions: page.suppressions,
            metadata: pageMetadata(cursors, limit, page.hasMore ? page.last : null),
          }
        }).pipe(answer),
      )
      .handle(
        "create",
        ({ payload }) =>
          Effect.flatMap(CurrentPrincipal, (principal) =>
            suppressions.add(principal, payload.email, payload.mailboxId ?? null),
          ).pipe(
            Effect.map((suppression) => ({ suppression })),
            answer,
          ),
        { uninterruptible: true },
      )
      .handle(
        "remove",
        ({ path }) =>
          Effect.flatMap(CurrentPrincipal, (principal) => suppressions.remove(principal, path.id)).pipe(
            Effect.as({ deleted: true as const }),
            answer,
          ),
        { uninterruptible: true },
      )
  }),
)
