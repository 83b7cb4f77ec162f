/** Allow and block lists. */
import { Api, type CreateListEntryBody, CurrentPrincipal } from "@mailroom/api"
import { ListEntryId, queryCursorsByCreation } from "@mailroom/domain"
import { AddressLists, type WantedList } from "@mailroom/engine"
import { Effect } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"

const cursorsOf = queryCursorsByCreation(ListEntryId)

export const addressListRoutes = group(Api, "addressLists", (handlers) =>
  Effect.gen(function* () {
    const lists = yield* AddressLists
    const { answer } = yield* ErrorResponses

    const shown = (
      list: WantedList,
      { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
    ) =>
      Effect.gen(function* () {
        const cursors = cursorsOf({ in: "lists", ...list })
        const before = yield* cursors.decode(cursor)
        const { entries, next } = yield* lists.page(yield* CurrentPrincipal, list, { before, limit })
        return { entries, metadata: pageMetadata(cursors, limit, next) }
      }).pipe(answer)

    const added = (list: WantedList, { entry, reason = null }: typeof CreateListEntryBody.Type) =>
      Effect.flatMap(CurrentPrincipal, (principal) => lists.add(principal, list, { entry, reason })).pipe(
        Effect.map((listed) => ({ entry: listed })),
        answer,
      )

    const removed = (list: WantedList, id: ListEntryId) =>
      Effect.flatMap(CurrentPrincipal, (principal) => lists.remove(principal, list, id)).pipe(
        Effect.as({ deleted: true as const }),
        answer,
      )

    const change = { uninterruptible: true }

    return handlers
      .handle("list", ({ path, urlParams }) => shown({ ...path, mailboxId: null }, urlParams))
      .handle("add", ({ path, payload }) => added({ ...path, mailboxId: null }, payload), change)
      .handle("remove", ({ path }) => removed({ ...path, mailboxId: null }, path.entryId), change)
      .handle("listOfMailbox", ({ path, urlParams }) => shown({ ...path, mailboxId: path.id }, urlParams))
      .handle("addToMailbox", ({ path, payload }) => added({ ...path, mailboxId: path.id }, payload), change)
      .handle(
        "removeFromMailbox",
        ({ path }) => removed({ ...path, mailboxId: path.id }, path.entryId),
        change,
      )
  }),
)
