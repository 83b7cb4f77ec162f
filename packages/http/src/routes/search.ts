/** Search. Found messages are joined from the stored JSON of their items. */
import { Api, CurrentPrincipal, type SearchSort } from "@mailroom/api"
import {
  type Cursors,
  highlightsOf,
  InvalidInput,
  type MailboxId,
  MessageContent,
  MessageId,
  type NotFound,
  type Overloaded,
  parseSearchQuery,
  type Principal,
  queryCursors,
  type SearchQuery,
} from "@mailroom/domain"
import {
  type MessageJson,
  Search,
  type SearchPage,
  type SearchRequest,
  yieldToSockets,
} from "@mailroom/engine"
import { Array, Effect, Either, Schema } from "effect"
import { pageMetadata } from "../pageMetadata.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { jsonText, listText, mergedText, objectText } from "../json.js"
import { shownItems } from "../previews.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

const { subject, fromName, fromAddress, bodyText, bodyHtml } = MessageContent.fields
const decodeItem = Schema.decodeUnknown(
  Schema.parseJson(Schema.Struct({ subject, fromName, fromAddress, bodyText, bodyHtml })),
)

/** The member of a found message that says where it matches. */
const highlightsText = (item: MessageJson, query: SearchQuery): Effect.Effect<string> =>
  Effect.map(Effect.orDie(decodeItem(item)), (content) =>
    objectText({ highlights: JSON.stringify(highlightsOf(query, content)) }),
  )

interface Parameters {
  readonly q: string
  readonly sort: SearchSort
  readonly bodies?: "preview" | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

const queryOf = (q: string): Either.Either<SearchQuery, InvalidInput> =>
  Either.mapLeft(
    parseSearchQuery(q),
    ({ position, message }) => new InvalidInput({ issues: [{ path: "q", message, position }] }),
  )

const creation = { createdAt: Schema.Int, id: MessageId }
const cursorsByDate = queryCursors(Schema.Struct(creation))
const cursorsByRelevance = queryCursors(Schema.Struct({ at: Schema.Int, score: Schema.Number, ...creation }))

export const searchRoutes = group(Api, "search", (handlers) =>
  Effect.gen(function* () {
    const search = yield* Search
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    /** Answers with a page of found messages, from the use case that finds them in this order. */
    const results = <Position>(
      find: (
        principal: Principal,
        request: SearchRequest<Position>,
      ) => Effect.Effect<SearchPage<Position>, NotFound | Overloaded>,
      cursorsOfQuery: (query: unknown) => Cursors<Position>,
      mailboxId: MailboxId | null,
      { q, sort, bodies, cursor, limit }: Parameters,
    ) =>
      Effect.gen(function* () {
        const query = yield* queryOf(q)
        const cursors = cursorsOfQuery([mailboxId, sort, q])
        const after = yield* cursors.decode(cursor)
        const principal = yield* CurrentPrincipal
        const { items, next } = yield* find(principal, { mailboxId, query, after, limit })
        // A long item in Chinese takes 40 ms.
        const highlights = yield* Effect.forEach(items, (item) =>
          Effect.zipLeft(highlightsText(item, query), yieldToSockets),
        )
        const shown = yield* shownItems(items, bodies)
        const messages = Array.zipWith(shown, highlights, mergedText)
        const metadata = pageMetadata(cursors, limit, next)
        const text = objectText({ messages: listText(messages), metadata: JSON.stringify(metadata) })
        return yield* unreadAnswers.count(principal.account.id, jsonText(text))
      }).pipe(answer)

    const sorted = (mailboxId: MailboxId | null, parameters: Parameters) =>
      parameters.sort === "date"
        ? results(search.byDate, cursorsByDate, mailboxId, parameters)
        : results(search.byRelevance, cursorsByRelevance, mailboxId, parameters)

    return handlers
      .handle("everywhere", ({ urlParams }) => sorted(null, urlParams))
      .handle("inMailbox", ({ path, urlParams }) => sorted(path.id, urlParams))
  }),
)
