/** The query parameters of filtered lists of messages (docs/specification/lists.md). */
import {
  atMostCharacters,
  Direction,
  isDateTime,
  LABELS_MAX,
  Label,
  ListOrder,
  MESSAGES_PAGE_DEFAULT,
  MESSAGES_PAGE_MAX,
  parseAddressPattern,
  SUBJECT_MAX_LENGTH,
  ThreadId,
} from "@mailroom/domain"
import { Schema } from "effect"
import { cursor, pageLimit } from "./paging.js"
import { saying } from "./query.js"

/** Any ISO 8601 date-time with a zone, or a date. */
export const dateTime = (description: string) =>
  Schema.String.pipe(
    Schema.filter(isDateTime),
    Schema.annotations({
      jsonSchema: { type: "string", format: "date-time", description },
      ...saying("must be an ISO 8601 date-time, such as 2026-03-01T09:30:00Z"),
    }),
  )

const addressPattern = (description: string) =>
  Schema.String.pipe(
    Schema.filter((text) => parseAddressPattern(text) !== null),
    Schema.annotations({
      jsonSchema: { type: "string", description },
      ...saying("must be an address, such as ada@example.org, or a domain, such as @example.org"),
    }),
  )

/** A parameter that is true or false. OpenAPI documents the encoded side of a transformation. */
export const flag = (description: string) =>
  Schema.transform(
    Schema.Literal("true", "false").annotations({
      jsonSchema: { type: "boolean", description },
      ...saying("must be true or false"),
    }),
    Schema.Boolean,
    { strict: true, decode: (text) => text === "true", encode: (value) => (value ? "true" : "false") },
  )

const isLabel = Schema.is(Label)
const labelsOf = (text: string): ReadonlyArray<string> => text.split(",")

/** Labels of a query, separated by commas. */
export const givenLabels = (description: string) =>
  Schema.transform(
    Schema.String.pipe(
      Schema.filter(
        (text) => labelsOf(text).length <= LABELS_MAX && labelsOf(text).every((one) => isLabel(one)),
      ),
      Schema.annotations({
        jsonSchema: { type: "string", description },
        ...saying(`must be 1 to ${LABELS_MAX} labels of 1 to 64 characters, separated by commas`),
      }),
    ),
    Schema.Array(Schema.String),
    { strict: true, decode: labelsOf, encode: (labels) => labels.join(",") },
  )

/** What a list can be narrowed to. All given conditions must hold. */
export const filterParameters = {
  direction: Schema.optional(
    Direction.annotations({
      description: "only INBOUND or only OUTBOUND messages",
      ...saying("must be INBOUND or OUTBOUND"),
    }),
  ),
  threadId: Schema.optional(
    ThreadId.annotations({
      description: "only messages of this thread",
      ...saying("must be the id of a thread"),
    }),
  ),
  labels: Schema.optional(givenLabels("only messages with all these labels, separated by commas")),
  unread: Schema.optional(flag("true for messages that are not marked as read, false for the others")),
  from: Schema.optional(
    addressPattern("only messages with this address in From; `@example.org` for all addresses of a domain"),
  ),
  to: Schema.optional(
    addressPattern(
      "only messages with this address in To, Cc or `deliveredTo`; `@example.org` for all addresses of a domain",
    ),
  ),
  subject: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), atMostCharacters(SUBJECT_MAX_LENGTH)).annotations({
      description: "only messages with this text in the subject, in any case",
      ...saying(`must be 1 to ${SUBJECT_MAX_LENGTH} characters`),
    }),
  ),
  hasAttachment: Schema.optional(flag("true for messages with attachments, false for those without")),
  since: Schema.optional(dateTime("created at or after this time")),
  before: Schema.optional(dateTime("created before this time")),
}

/** Asks for messages that are hidden otherwise. */
export const include = Schema.optional(
  Schema.Literal("quarantined").annotations({
    description: "quarantined: also messages in quarantine, which are hidden otherwise",
    ...saying("must be quarantined"),
  }),
)

/** Asks for less of each message or draft. */
export const bodies = Schema.optional(
  Schema.Literal("preview").annotations({
    description:
      "preview: `bodyText` is the beginning of the new text, up to 200 characters in one line; the other bodies are null, `links` and `references` empty, and `truncated` is true",
    ...saying("must be preview"),
  }),
)

/** The parameters of a filtered list: filter, order and page. */
export const listParameters = {
  ...filterParameters,
  order: Schema.optionalWith(
    ListOrder.annotations({
      description: "desc for newest first, asc for oldest first",
      ...saying("must be desc or asc"),
    }),
    { default: () => "desc" as const },
  ),
  include,
  quarantined: Schema.optional(
    flag("true for messages in quarantine alone; false hides them, unless `include` asks"),
  ),
  bodies,
  limit: pageLimit(MESSAGES_PAGE_MAX, MESSAGES_PAGE_DEFAULT),
  cursor,
}

const FilterParameters = Schema.Struct(filterParameters)
export type FilterParameters = typeof FilterParameters.Type
