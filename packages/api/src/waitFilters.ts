/** The messages that a wait or a claim is for: query parameters of a wait, and the field `filter` of a claim. */
import {
  ADDRESS_PATTERN_MAX_LENGTH,
  isDateTime,
  Labels,
  parseAddressPattern,
  SUBJECT_MAX_LENGTH,
  ThreadId,
} from "@mailroom/domain"
import { Schema } from "effect"
import { saying } from "./query.js"

const described = (description: string, message: string) => ({ description, ...saying(message) })

const Address = (field: string) =>
  Schema.String.pipe(
    Schema.filter((text) => parseAddressPattern(text) !== null),
    Schema.annotations({
      jsonSchema: {
        type: "string",
        maxLength: ADDRESS_PATTERN_MAX_LENGTH,
        description: `only messages with this address in ${field}, or with any at a domain: \`ada@example.org\` or \`@example.org\``,
      },
      ...saying("must be an address, or @ and a domain"),
    }),
  )

const Time = (which: string) =>
  Schema.String.pipe(
    Schema.filter(isDateTime),
    Schema.annotations({
      jsonSchema: {
        type: "string",
        format: "date-time",
        description: `only messages created ${which} this time`,
      },
      ...saying("must be an ISO 8601 date-time, such as 2026-03-01T09:30:00Z"),
    }),
  )

/** Fields that are the same in a query and in a body. */
const texts = {
  threadId: Schema.optional(
    ThreadId.annotations(described("only messages of this thread", "must be the id of a thread")),
  ),
  from: Schema.optional(Address("From")),
  to: Schema.optional(Address("To or Cc, or as the recipient of the delivery")),
  subject: Schema.optional(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(SUBJECT_MAX_LENGTH)).annotations(
      described("only messages with this in the subject, in any case", "must have 1 to 998 characters"),
    ),
  ),
  since: Schema.optional(Time("at or after")),
  before: Schema.optional(Time("before")),
}

const flags = {
  unread: "only unread messages, or only read ones",
  hasAttachment: "only messages with attachments, or only those without",
  hasCode: "only messages with a code in `codes`, or only those without",
  hasLink: "only messages with a link in `links`, or only those without",
}

/** The same field for each of the flags. */
const flagFields = <F>(of: (description: string) => F) => ({
  unread: of(flags.unread),
  hasAttachment: of(flags.hasAttachment),
  hasCode: of(flags.hasCode),
  hasLink: of(flags.hasLink),
})

const LABELS = "only messages with all of these labels"

/** The labels of a query, separated by commas. */
const LabelList = Schema.transform(Schema.String, Labels, {
  decode: (text) => text.split(",").map((label) => label.trim()),
  encode: (labels) => labels.join(","),
}).annotations(described(`${LABELS}, separated by commas`, "must be up to 20 labels, separated by commas"))

export const waitParameters = {
  ...texts,
  ...flagFields((description) =>
    Schema.optional(
      Schema.BooleanFromString.annotations({
        jsonSchema: { type: "boolean", description },
        ...saying("must be true or false"),
      }),
    ),
  ),
  labels: Schema.optional(LabelList),
}

export const ClaimFilter = Schema.Struct({
  ...texts,
  ...flagFields((description) => Schema.optional(Schema.Boolean).annotations({ description })),
  labels: Schema.optional(Labels).annotations({ description: LABELS }),
}).annotations({
  identifier: "ClaimFilter",
  description: "The messages that a claim is for; all conditions must hold, absent ones do not matter",
})

/** The fields of both, decoded. */
export type WaitFilterFields = typeof ClaimFilter.Type
