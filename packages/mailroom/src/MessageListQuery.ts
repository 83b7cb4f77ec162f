/** What a list of messages asks for: a filter, and a page of its result. */
import {
  ClaimCondition,
  Direction,
  Instant,
  Labels,
  type MessageFilter,
  MESSAGES_PAGE_MAX,
  normalizeAddress,
  ThreadId,
} from "@mailroom/domain"
import { Schema } from "effect"

/** A filter whose conditions must all hold, and a page. Times are milliseconds since 1970. */
export interface MessageListQuery extends Partial<MessageFilter> {
  /** messages of the page, 1 to 100. Default 100 */
  readonly limit?: number | undefined
  /** `next` of the page before, with the same filter. Default null: the newest messages */
  readonly after?: string | null | undefined
}

const normalized = (decode: (text: string) => string) =>
  Schema.transform(Schema.String, Schema.String, { strict: true, decode, encode: (text) => text })

const Pattern = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("address"), address: normalized(normalizeAddress) }),
  Schema.Struct({
    kind: Schema.Literal("domain"),
    domain: normalized((domain) => normalizeAddress(`@${domain}`).slice(1)),
  }),
).annotations({
  message: () => ({
    message: 'must be { kind: "address", address } or { kind: "domain", domain }',
    override: true,
  }),
})

const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

/** The same with every default. */
export const MessageListTerms = Schema.Struct({
  direction: orNull(Direction),
  threadId: orNull(ThreadId),
  labels: Schema.optionalWith(Labels, { default: () => [] }),
  unread: orNull(Schema.Boolean),
  from: orNull(Pattern),
  to: orNull(Pattern),
  subject: orNull(Schema.String),
  hasAttachment: orNull(Schema.Boolean),
  since: orNull(Instant),
  before: orNull(Instant),
  claim: orNull(ClaimCondition),
  limit: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, MESSAGES_PAGE_MAX)), {
    default: () => MESSAGES_PAGE_MAX,
  }),
  after: orNull(Schema.String),
})
