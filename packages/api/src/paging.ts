/** Lists that come in pages (decisions §2): how a page is asked for, and what it says about itself. */
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
        description: `how many at most, 1 to ${max}`,
      },
      ...saying(`must be a whole number from 1 to ${max}`),
    }),
    { default: () => unlessGiven },
  )

/** `offset`, from 0. */
export const pageOffset = Schema.optionalWith(
  integer.pipe(Schema.nonNegative()).annotations({
    jsonSchema: { type: "integer", minimum: 0, default: 0, description: "how many to leave out" },
    ...saying("must be a whole number from 0"),
  }),
  { default: () => 0 },
)

export const cursor = Schema.optional(
  Schema.String.pipe(Schema.maxLength(200)).annotations({
    description: "`metadata.nextCursor` of the page before: as fast at any depth",
    ...saying("is not a cursor of ours"),
  }),
)

export const PageMetadata = Schema.Struct({
  limit: described(Schema.Int, "how many a page has at most"),
  hasMore: described(Schema.Boolean, "whether there are more after this page"),
  nextCursor: Schema.optional(Schema.String).annotations({
    description: "`cursor` of the next page; absent on the last",
  }),
})
