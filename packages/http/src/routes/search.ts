/** Search. Found messages are joined from the stored JSON of their items. */
import { Api, CurrentPrincipal, type SearchSort } from "@mailroom/api"
import {
  highlightsOf,
  InvalidInput,
  type MailboxId,
  MessageContent,
  MessageId,
  parseSearchQuery,
  type SearchQuery,
} from "@mailroom/domain"
import { type MessageJson, type MessagePosition, type RankedPosition, Search } from "@mailroom/engine"
import { Effect, Either, Hash, Schema } from "effect"
import { type Cursors, cursorsOf, pageMetadata } from "../cursor.js"
import { ErrorResponses } from "../errors.js"
import { group } from "../group.js"
import { jsonText, listText, mergedText, objectText } from "../json.js"
import { UnreadAnswers } from "../UnreadAnswers.js"

const { subject, fromName, fromAddress, bodyText, bodyHtml } = MessageContent.fields
const decodeItem = Schema.decodeUnknown(
  Schema.parseJson(Schema.Struct({ subject, fromName, fromAddress, bodyText, bodyHtml })),
)

/** The JSON text of a found message. */
const foundText = (item: MessageJson, query: SearchQuery): Effect.Effect<string> =>
  Effect.map(Effect.orDie(decodeItem(item)), (content) =>
    mergedText(item, objectText({ highlights: JSON.stringify(highlightsOf(query, content)) })),
  )

interface Parameters {
  readonly q: string
  readonly sort: SearchSort
  readonly limit: number
  readonly cursor?: string | undefined
}

const queryOf = (q: string): Either.Either<SearchQuery, InvalidInput> =>
  Either.mapLeft(
    parseSearchQuery(q),
    ({ position, message }) => new InvalidInput({ issues: [{ path: "q", message, position }] }),
  )

/** Cursors with a number of the query, so that the cursor of another query is refused. */
const byDate = cursorsOf(Schema.Tuple(Schema.Int, Schema.Int, MessageId))
const byRelevance = cursorsOf(Schema.Tuple(Schema.Int, Schema.Int, Schema.Number, Schema.Int, MessageId))

const positionOf = <A extends readonly [number, ...ReadonlyArray<unknown>]>(
  cursors: Cursors<A>,
  cursor: string | undefined,
  query: number,
): Either.Either<A | null, InvalidInput> =>
  Either.filterOrLeft(
    cursors.decode(cursor),
    (position) => position === null || position[0] === query,
    () => new InvalidInput({ issues: [{ path: "cursor", message: "belongs to another query" }] }),
  )

export const searchRoutes = group(Api, "search", (handlers) =>
  Effect.gen(function* () {
    const search = yield* Search
    const unreadAnswers = yield* UnreadAnswers
    const { answer } = yield* ErrorResponses

    const pageByDate = Effect.fnUntraced(function* (
      mailboxId: MailboxId | null,
      query: SearchQuery,
      number: number,
      { cursor, limit }: Parameters,
    ) {
      const principal = yield* CurrentPrincipal
      const position = yield* positionOf(byDate, cursor, number)
      const after: MessagePosition | null = position && { createdAt: position[1], id: position[2] }
      const { items, next } = yield* search.byDate(principal, { mailboxId, query, after, limit })
      const last = next && ([number, next.createdAt, next.id] as const)
      return { items, metadata: pageMetadata(byDate, limit, last) }
    })

    const pageByRelevance = Effect.fnUntraced(function* (
      mailboxId: MailboxId | null,
      query: SearchQuery,
      number: number,
      { cursor, limit }: Parameters,
    ) {
      const principal = yield* CurrentPrincipal
      const position = yield* positionOf(byRelevance, cursor, number)
      const after: RankedPosition | null = position && {
        at: position[1],
        score: position[2],
        createdAt: position[3],
        id: position[4],
      }
      const { items, next } = yield* search.byRelevance(principal, { mailboxId, query, after, limit })
      const last = next && ([number, next.at, next.score, next.createdAt, next.id] as const)
      return { items, metadata: pageMetadata(byRelevance, limit, last) }
    })

    const results = (mailboxId: MailboxId | null, parameters: Parameters) =>
      Effect.gen(function* () {
        const { q, sort } = parameters
        const query = yield* queryOf(q)
        const number = Hash.string(JSON.stringify([mailboxId, sort, q]))
        const { items, metadata } = yield* sort === "date"
          ? pageByDate(mailboxId, query, number, parameters)
          : pageByRelevance(mailboxId, query, number, parameters)
        const messages = yield* Effect.forEach(items, (item) => foundText(item, query))
        const text = objectText({ messages: listText(messages), metadata: JSON.stringify(metadata) })
        const principal = yield* CurrentPrincipal
        return yield* unreadAnswers.count(principal.account.id, jsonText(text))
      }).pipe(answer)

    return handlers
      .handle("everywhere", ({ urlParams }) => results(null, urlParams))
      .handle("inMailbox", ({ path, urlParams }) => results(path.id, urlParams))
  }),
)
