/** Whether a message matches a search query: the plain meaning of a query, which every index is held to. */
import type { ThreadId } from "../ids.js"
import type { Direction } from "../messages/Message.js"
import type { Instant } from "../time.js"
import { endsAt } from "./matches.js"
import {
  type SearchedPart,
  type SearchedState,
  type SearchField,
  searchFields,
  type SearchQuery,
  type TextCondition,
} from "./SearchQuery.js"

/** What a query asks of a message. */
export interface SearchedMessage {
  /** the tokens of each field; of `body` those of the attachments behind those of the text */
  readonly tokens: Readonly<Record<SearchField, ReadonlyArray<string>>>
  readonly labels: ReadonlyArray<string>
  readonly threadId: ThreadId
  readonly has: ReadonlySet<SearchedPart>
  readonly is: ReadonlySet<SearchedState>
  readonly direction: Direction
  readonly createdAt: Instant
  readonly sizeBytes: number
}

/** Whether the tokens of the condition follow each other somewhere among `tokens`. */
const follows = (tokens: ReadonlyArray<string>, condition: TextCondition): boolean =>
  tokens.some((_, last) => endsAt(tokens, condition, last))

export const matchesQuery = (message: SearchedMessage, query: SearchQuery): boolean => {
  switch (query.kind) {
    case "and":
      return query.of.every((part) => matchesQuery(message, part))
    case "or":
      return query.of.some((part) => matchesQuery(message, part))
    case "not":
      return !matchesQuery(message, query.of)
    case "text": {
      const fields = query.field === null ? searchFields : [query.field]
      return fields.some((field) => follows(message.tokens[field], query))
    }
    case "label":
      return message.labels.includes(query.label)
    case "thread":
      return message.threadId === query.threadId
    case "has":
      return message.has.has(query.part)
    case "is":
      return message.is.has(query.state)
    case "in":
      return message.direction === query.direction
    case "before":
      return message.createdAt < query.at
    case "after":
      return message.createdAt >= query.at
    case "larger":
      return message.sizeBytes > query.bytes
    case "smaller":
      return message.sizeBytes < query.bytes
  }
}
