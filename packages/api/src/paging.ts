/** Paging: query parameters and metadata (spec: decisions.metadata.page). */
import { described } from "@mailroom/domain"
import { Schema } from "effect"
import { saying } from "./query.js"

export const integer = Schema.NumberFromString.pipe(Schema.int()).annotations(
  saying("must be a whole number"),
)

/** `limit`, from 1 to `max`. */
export const pageLimit = (max: number, unlessGiven: number) =>
  Schema.optionalWith(
    integer.pipe(Schema.between(1, max)).annotations({
      jsonSchema: {
        type: "integer",
        minimum: 1,
        maximum: max,
        default: unlessGiven,
        description: `maximal length of the page, 1 to ${max}`,
      },
      ...saying(`must be a whole number from 1 to ${max}`),
    }),
    { default: () => unlessGiven },
  )

/** `offset`, from 0. */
export const pageOffset = Schema.optionalWith(
  integer.pipe(Schema.nonNegative()).annotations({
    jsonSchema: { type: "integer", minimum: 0, default: 0, description: "number of entries to skip" },
    ...saying("must be a whole number from 0"),
  }),
  { default: () => 0 },
)

export const cursor = Schema.optional(
  Schema.String.pipe(Schema.maxLength(200)).annotations({
    description: "`metadata.nextCursor` of the previous page; equally fast at any depth",
    ...saying("is not a cursor of ours"),
  }),
)

export const PageMetadata = Schema.Struct({
  limit: described(Schema.Int, "maximal length of the page"),
  hasMore: described(Schema.Boolean, "whether there are more entries after this page"),
  nextCursor: Schema.optional(Schema.String).annotations({
    description: "`cursor` of the next page; absent on the last page",
  }),
})
