/** The result of the operator's spam filter for a received message (docs/specification/senders.md). */
import { Schema } from "effect"
import { described } from "../described.js"

export const Spam = Schema.Struct({
  score: described(Schema.Number, "sum of the scores of all symbols; the higher, the more like spam"),
  action: described(
    Schema.String,
    "what the filter proposes: `no action`, `greylist`, `add header`, `rewrite subject`, `soft reject` or `reject`",
  ),
  symbols: described(
    Schema.Array(Schema.String),
    "names of the filter's rules that matched, those that weigh most first, at most 50",
  ),
}).annotations({ identifier: "Spam", description: "The result of the operator's spam filter" })
export type Spam = typeof Spam.Type

/** Actions that a filter proposes for spam. The others ask the sender to come back later, or for nothing. */
const spamActions: ReadonlySet<string> = new Set(["add header", "rewrite subject", "reject"])

/** Whether the filter takes the message for spam. */
export const isSpam = (spam: Spam | null): boolean => spam !== null && spamActions.has(spam.action)
