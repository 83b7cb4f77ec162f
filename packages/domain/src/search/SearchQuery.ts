/** A search query as a tree: what the parser makes, and what the SQL dialects and the reference evaluator take. */
import type { Array } from "effect"
import type { ThreadId } from "../ids.js"
import type { Direction } from "../messages/Message.js"
import type { Instant } from "../time.js"

/** The fields of a message whose words are searched. `body` has the text of the attachments too. */
export const searchFields = ["subject", "from", "to", "cc", "body", "filename"] as const
export type SearchField = (typeof searchFields)[number]

/** What a message can have. */
export const searchedParts = ["attachment", "code", "link", "invite"] as const
export type SearchedPart = (typeof searchedParts)[number]

/** What a message can be. */
export const searchedStates = ["unread", "read", "automated"] as const
export type SearchedState = (typeof searchedStates)[number]

/** Tokens that follow each other in one field; the last is the beginning of a token where `isPrefix`. */
export interface TextCondition {
  readonly kind: "text"
  /** null: any of the fields, but all tokens in the same one */
  readonly field: SearchField | null
  readonly tokens: Array.NonEmptyReadonlyArray<string>
  readonly isPrefix: boolean
}

/** A condition on one fact of a message. */
export type SearchCondition =
  | TextCondition
  /** exactly this label */
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "thread"; readonly threadId: ThreadId }
  | { readonly kind: "has"; readonly part: SearchedPart }
  | { readonly kind: "is"; readonly state: SearchedState }
  | { readonly kind: "in"; readonly direction: Direction }
  /** created before this instant */
  | { readonly kind: "before"; readonly at: Instant }
  /** created at this instant or later */
  | { readonly kind: "after"; readonly at: Instant }
  /** more bytes than this, as the mail came in or went out */
  | { readonly kind: "larger"; readonly bytes: number }
  /** fewer bytes than this */
  | { readonly kind: "smaller"; readonly bytes: number }

export type SearchQuery =
  | { readonly kind: "and"; readonly of: Array.NonEmptyReadonlyArray<SearchQuery> }
  | { readonly kind: "or"; readonly of: Array.NonEmptyReadonlyArray<SearchQuery> }
  | { readonly kind: "not"; readonly of: SearchQuery }
  | SearchCondition
