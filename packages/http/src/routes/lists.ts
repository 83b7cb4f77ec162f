/** Lists over all mailboxes that the caller may read. */
import { Api, CurrentPrincipal, type ListMetadata } from "@mailroom/api"
import { queryCursors, ThreadId } from "@mailroom/domain"
import { Lists } from "@mailroom/engine"
import { Effect, Schema } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { filterOf, messageCursors, quarantineOf } from "../filters.js"
import { group } from "../group.js"
import { json, jsonText, listText, objectText } from "../json.js"
import { shownItems } from "../previews.js"
import { UnreadAnswers } from "../UnreadAnswers.js"
import { limitFields } from "./messages.js"

const threadCursors = queryCursors(Schema.Struct({ lastMessageAt: Schema.Int, id: ThreadId }))

export const listRoutes = group(Api, "lists", (handlers) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    return handlers
      .handle("messages", ({ urlParams }) =>
        Effect.gen(function* () {
          const { bodies, cursor, limit, order } = urlParams
          const filter = filterOf(urlParams)
          const quarantine = quarantineOf(urlParams)
          const cursors = messageCursors({
            in: "account",
            filter,
            order,
            ...quarantine,
          })
          const after = yield* cursors.decode(cursor)
          const principal = yield* CurrentPrincipal
          const { page, limits } = yield* lists.messages(principal, {
            filter,
            order,
            ...quarantine,
            after,
            limit,
          })
          const metadata: ListMetadata = {
            ...limitFields(limits),
            ...pageMetadata(cursors, limit, page.hasMore ? page.last : null),
          }
          const items = yield* shownItems(page.items, bodies)
          const text = objectText({ messages: listText(items), metadata: JSON.stringify(metadata) })
          return yield* unreadAnswers.count(principal.account.id, jsonText(text))
        }).pipe(answer),
      )
      .handle("threads", ({ urlParams: { mailboxId, cursor, limit } }) =>
        Effect.gen(function* () {
          const cursors = threadCursors({ in: mailboxId ?? "account" })
          const query = { after: yield* cursors.decode(cursor), limit }
          const principal = yield* CurrentPrincipal
          const { threads, next, limits } = yield* mailboxId === undefined
            ? lists.threads(principal, query)
            : lists.threadsInMailbox(principal, mailboxId, query)
          const metadata: ListMetadata = { ...limitFields(limits), ...pageMetadata(cursors, limit, next) }
          return json({ threads, metadata })
        }).pipe(answer),
      )
  }),
)
